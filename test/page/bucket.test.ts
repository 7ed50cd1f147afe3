import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../src/away/plan/manifest.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { until } from "../support/api/api-harness.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { momentOf, waitForPictures } from "../support/page/recordings-world.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";

const WAIT_MS = 120_000;
const SECRET = "away-Secret-1";
const SENTENCE = "lantern copper violin harbour";
/** The way to all screens. */
const FRAME = ["Recordings", "Review", "Events", "Settings", "Account"];

const browser = new PageBrowser();
let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let reader: Service;
let ids: readonly string[] = [];
let fromMs = 0;

const origin = () => `http://127.0.0.1:${reader.httpPort}`;

/** The page of a server that shows what a recorder has sent to a bucket, before it is gone. */
describe.skipIf(noBrowser !== undefined)(`the page of recordings from a bucket${notHere(noBrowser)}`, () => {
  beforeAll(async () => {
    directory = new TemporaryDirectory("nvrd-page-bucket");
    store = await new ScriptedStore().start();
    source = await PacedSource.start(2, SMALL_CLIP);
    await recordAndSend();
    writeFileSync(directory.join("secret"), `${SECRET}\n`);
    reader = await Service.start({
      dataDir: directory.join("reader"),
      settings: readerSettings(),
    });
    while ((await reader.get("/configex?responsetype=json")).status !== 200) await pause(100);
  }, 3 * WAIT_MS);

  afterAll(async () => {
    await browser.close();
    await reader?.stop();
    await source?.stop();
    store?.stop();
    directory?.remove();
  });

  it("opens with the recordings of its cameras, and plays them", () =>
    browser.visit(
      origin(),
      { address: `#/playback?channel=${ids.join(",")}&time=${fromMs}` },
      async (visit) => {
        await visit.logIn();
        await waitForPictures(visit, ids.length);
        const before = await momentOf(visit);
        await visit.page.getByRole("button", { name: "Play", exact: true }).click();
        await expect.poll(async () => (await momentOf(visit)) - before).toBeGreaterThan(2000);
        await visit.keepPicture("bucket playback");
      },
    ));

  it("shows what was seen, each with its picture, and keeps what was looked through", () =>
    browser.visit(origin(), { address: "#/review" }, async (visit) => {
      await visit.logIn();
      const card = visit.page.locator(".review-card").filter({ hasText: "BUCKET1" });
      await card.locator("img, .moving").first().waitFor();
      await visit.keepPicture("bucket review");
      await visit.page.keyboard.press("a");
      await visit.page.getByText("Everything is seen.").waitFor();
      expect(await visit.violations()).toEqual([]);
    }));

  it("offers neither live video, nor protecting, nor cameras and disks to set", () =>
    browser.visit(origin(), {}, async (visit) => {
      await visit.logIn();
      const { page } = visit;
      await page.getByRole("slider", { name: "Timeline" }).waitFor();
      expect(await page.getByRole("button", { name: "Live" }).count()).toBe(0);
      await visit.press("i", "o");
      await visit.button("Make file").waitFor();
      expect(await page.getByRole("button", { name: /^Protect/ }).count()).toBe(0);
      await visit.button("Search the picture").click();
      await visit.field("How much has to change").waitFor();
      await visit.keepPicture("bucket search");
      await visit.press("?");
      await page.getByText("Play backwards; faster").waitFor();
      expect(await page.getByText("Go to live").count()).toBe(0);
      await visit.press("Escape");
      const named = (role: "navigation") => page.getByRole(role).getByRole("link").allInnerTexts();
      expect(await named("navigation")).toEqual(FRAME);
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Users", exact: true }).waitFor();
      await visit.keepPicture("bucket settings");
      const parts = await named("navigation");
      expect(parts.filter((part) => !FRAME.includes(part))).toEqual([
        ...["Users", "Alarms", "Network", "Other programs", "Hub", "System", "Maintenance", "Log"],
      ]);
      // Each of them is there without a refusal: that would be reported on the console.
      for (const part of parts.filter((name) => !FRAME.includes(name))) {
        await page.getByRole("link", { name: part, exact: true }).click();
        await page.getByRole("heading", { level: 2, name: part, exact: true }).waitFor();
        await expect.poll(() => page.getByText("Loading…").count()).toBe(0);
        expect([part, await visit.violations()]).toEqual([part, []]);
        await visit.keepPicture(`bucket ${part}`);
      }
    }));

  it.each([
    {
      ...({ size: "desktop", theme: "light", language: "en", colours: "What the colours mean" } as const),
      ...{ list: "What this time has, in words", away: "Only at the storage away from the recorder" },
    },
    {
      ...({ size: "phone", theme: "dark", language: "ru", colours: "Что значат цвета" } as const),
      ...{ list: "Что есть за это время, словами", away: "Только в хранилище вне регистратора" },
    },
  ])("says of its timeline in words what is only at the storage, at $size size", (look) =>
    browser.visit(
      origin(),
      { ...look, address: `#/playback?channel=${ids[0]}&time=${fromMs}` },
      async (visit) => {
        await visit.logIn();
        await waitForPictures(visit, 1);
        const { page } = visit;
        const slider = page.getByRole("slider", { name: /^(Timeline|Шкала времени)$/ });
        await expect.poll(() => slider.getAttribute("aria-valuetext")).toContain(look.away);
        await page.locator("summary", { hasText: look.list }).click();
        await page
          .getByRole("button", { name: new RegExp(`^${look.away}, `) })
          .first()
          .waitFor();
        const legend = page.getByRole("list", { name: look.colours }).last();
        await legend.getByText(look.away).waitFor();
        expect(await visit.violations()).toEqual([]);
        expect(await visit.isTooWide()).toBe(false);
        await visit.keepPicture("bucket timeline");
      },
    ),
  );

  it("has a first run that asks for neither disks nor cameras", async () => {
    const fresh = await Service.launch({
      ...{ dataDir: directory.join("fresh"), settings: readerSettings() },
      env: { NVRD_ROOT_PASSWORD: undefined },
    });
    try {
      const file = directory.join("fresh", "root-password");
      await until("the password", () => existsSync(file));
      const password = readFileSync(file, "utf8").trim();
      await fresh.ready(undefined, undefined, { login: "root", password });
      await browser.visit(`http://127.0.0.1:${fresh.httpPort}`, { size: "phone" }, async (visit) => {
        const { page } = visit;
        await visit.fillLogin("root", password);
        await visit.heading("Set up the recorder").waitFor();
        expect(await page.getByRole("listitem").count()).toBe(1);
        await page.getByLabel("New password", { exact: true }).fill(SENTENCE);
        await page.getByLabel("New password again", { exact: true }).fill(SENTENCE);
        expect(await visit.violations()).toEqual([]);
        const order = orderOfRequests(page);
        await visit.button("Next").click();
        await page.getByRole("slider", { name: "Timeline" }).waitFor();
        // The session says that the password is chosen, and the page looks whether the first run is over.
        expect(order.slice(0, 5)).toEqual([
          ...["POST /api/setup", "answer to POST /api/setup", "POST /api/setup", "answer to POST /api/setup"],
          "GET /api/session",
        ]);
      });
    } finally {
      await fresh.stop();
    }
  });

  it("may have its own system updated", async () => {
    const answer = await reader.get("/api/update", { method: "POST", body: {} });
    expect([answer.status, answer.body.toString()]).toEqual([
      expect.any(Number),
      expect.not.stringMatching(/changes none of it/),
    ]);
  });
});

/** What the page asks of the first run and the session from now on, and when it is answered. */
function orderOfRequests(page: Page): readonly string[] {
  const order: string[] = [];
  const note = (request: Request, what: string): void => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/(?:setup|session)$/.test(pathname)) order.push(`${what}${request.method()} ${pathname}`);
  };
  page.on("request", (request) => note(request, ""));
  page.on("response", (response) => note(response.request(), "answer to "));
  return order;
}

function readerSettings(): Readonly<Record<string, unknown>> {
  return {
    ...{ bucketEndpoint: `http://127.0.0.1:${store.port}`, bucketName: "nvrd", bucketAccessKeyId: "AKID" },
    bucketSecretKeyFile: directory.join("secret"),
  };
}

async function recordAndSend(): Promise<void> {
  const settings = { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }] };
  const box = await Service.start({ dataDir: directory.join("box"), settings });
  const cameras = ["Gate", "Yard"].map((name, at) => ({ name, url: source.url(at) }));
  ids = await box.addCameras(cameras);
  await box.recorded(ids, 8_000_000, WAIT_MS);
  await box.json("/api/events", {
    method: "POST",
    body: [{ EventId: EVENT_TYPES.plateRecognized.id, ChannelId: ids[0], plateText: "BUCKET1" }],
  });
  await box.recorded(ids, 22_000_000, WAIT_MS);
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: SECRET, Content: "Everything", From: "Oldest" },
  };
  await box.json("/configure/away", { method: "POST", body: [target] });
  await until("the recordings to be named", () => ids.every((id) => firstRun(id).length >= 4));
  await until("what was seen to be sent", () =>
    [...store.objects.keys()].some((key) => key.endsWith(".findings")),
  );
  fromMs = Math.max(...ids.map((id) => firstRun(id)[0] ?? 0)) / 1000 + 1000;
  await box.stop();
}

/** When the segments begin that the newest manifest of a camera names, up to the first that is not sent yet; Unix microseconds. */
function firstRun(id: string): readonly number[] {
  const keys = [...store.objects.keys()].filter((key) => key.startsWith(`box/manifests/${id}/`));
  const content = store.objects.get(keys.sort().at(-1) ?? "");
  const segments = content === undefined ? [] : [...readManifest(content).segments];
  segments.sort((a, b) => a.fromUs - b.fromUs);
  const gap = segments.findIndex((segment, at) => at > 0 && segments[at - 1]?.toUs !== segment.fromUs);
  return (gap < 0 ? segments : segments.slice(0, gap)).map(({ fromUs }) => fromUs);
}
