// Own network: it looks for cameras, and other tests and programs on this machine have some, too.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HubBoxes } from "../../src/contract/answer/index.js";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { keepGuidePicture, WRITES_PICTURES } from "../support/page/guide-picture.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { BackgroundProcess, freePorts } from "../support/service/background-process.js";
import { PROGRAM, PROGRAM_PATH } from "../support/service/program.js";
import { pause } from "../support/service/service.js";

/** A hub and two recorders with four cameras each start on a machine with other work. */
const START_MS = 240_000;
const SEEN_MS = 120_000;
/** What is played ends so long before now, so that there is some to play on. */
const PLAYED_MS = 10_000;

const browser = new PageBrowser();
const directory = new TemporaryDirectory("fleet-demo");
let demo: BackgroundProcess;
let origin: string;
let password: string;
let channels: { Id: string; Name: string; AttachedToServer: string }[];

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  const ports = ["--http-port", `${(await freePorts(1))[0]}`, "--https-port", "0", "--rtsp-port", "0"];
  const flags = ["demo", "--fleet", "--data", directory.join("data"), "--listen", "127.0.0.1", ...ports];
  demo = new BackgroundProcess(PROGRAM, flags, {
    env: { PATH: PROGRAM_PATH, NVRD_ROOT_PASSWORD: undefined },
  });
  [, origin = "", password = ""] = await demo.waitFor(
    /^nvrd demo: open (http:\/\/[^/\s]+)\/ in a browser\n.*as root, password (\S+)\n.*Warehouse .*Harbour /m,
    START_MS,
  );
}, START_MS + SEEN_MS);

afterAll(async () => {
  await browser.close();
  await demo?.stop();
  directory.remove();
});

const authorization = () => `Basic ${Buffer.from(`root:${password}`).toString("base64")}`;

async function read<T>(path: string): Promise<T> {
  return (await (
    await fetch(`${origin}${path}`, { headers: { authorization: authorization() } })
  ).json()) as T;
}

async function write(path: string, body: object): Promise<void> {
  const { status } = await fetch(`${origin}${path}`, {
    ...{ method: "PUT", body: JSON.stringify(body), headers: { authorization: authorization() } },
  });
  expect(status).toBe(200);
}

async function readChannels(): Promise<typeof channels> {
  channels = await read<typeof channels>("/api/channels");
  return channels;
}

/** When the recordings of all of them have begun, Unix milliseconds; infinite: some have none yet. */
async function begunMs(ids: readonly string[]): Promise<number> {
  const nowMs = Date.now();
  const { Channels } = await read<{ Channels: readonly { Runs: readonly { From: number }[] }[] }>(
    `/api/timeline?channels=${ids.join(",")}&from=${nowMs - 3_600_000}&to=${nowMs}&steps=3600`,
  );
  return Math.max(...Channels.map(({ Runs: [run] }) => run?.From ?? Number.POSITIVE_INFINITY));
}

const moving = (visit: PageVisit) => () =>
  visit.page.evaluate<number>(
    "[...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0).length",
  );

describe.skipIf(noBrowser !== undefined)(`nvrd demo --fleet${notHere(noBrowser)}`, () => {
  const viewport = { width: 1200, height: 750 };

  it("shows both recorders, connected to the hub, which has the cameras of both", async () => {
    await expect.poll(() => readChannels(), { timeout: SEEN_MS }).toHaveLength(8);
    await browser.visit(origin, { viewport, address: "#/recorders" }, async (visit) => {
      await visit.logIn("root", password);
      for (const name of ["Warehouse", "Harbour"]) await visit.page.getByRole("link", { name }).waitFor();
      if (WRITES_PICTURES) await keepGuidePicture(visit, "recorders");
    });
  });

  it("shows them on the map, where they were put", () =>
    browser.visit(origin, { viewport, address: "#/recorders?view=map" }, async (visit) => {
      const { Boxes } = await read<HubBoxes>("/api/boxes");
      const places = { Warehouse: [59.931, 30.36], Harbour: [59.899, 30.241] } as const;
      for (const { Id, Name } of Boxes) {
        const [Latitude, Longitude] = places[Name as keyof typeof places];
        await write(`/api/boxes/${Id}`, { Position: { Latitude, Longitude } });
      }
      await visit.logIn("root", password);
      await visit.page.getByRole("button", { name: /^Warehouse/ }).click();
      await visit.page.getByRole("button", { name: /^Harbour/ }).waitFor();
      if (WRITES_PICTURES) await keepGuidePicture(visit, "recorders-map");
    }));

  it("shows the cameras of both on one wall", { timeout: SEEN_MS + 60_000 }, () =>
    browser.visit(origin, { viewport, theme: "dark" }, async (visit) => {
      await visit.logIn("root", password);
      await expect.poll(moving(visit), { timeout: SEEN_MS }).toBeGreaterThan(4);
      if (!WRITES_PICTURES) return;
      await pause(5000);
      await keepGuidePicture(visit, "hub-wall");
    }),
  );

  it("plays a camera of each at once", { timeout: 2 * SEEN_MS }, async () => {
    const ofEach = [
      ...new Map(
        channels.filter(({ Name }) => Name === "Street H.264").map((one) => [one.AttachedToServer, one]),
      ),
    ];
    const ids = ofEach.map(([, { Id }]) => Id);
    expect(ids).toHaveLength(2);
    await pause(30_000 * Number(WRITES_PICTURES));
    await expect
      .poll(async () => Date.now() - (await begunMs(ids)), { timeout: SEEN_MS })
      .toBeGreaterThan(PLAYED_MS + 2000);
    const time = Date.now() - PLAYED_MS;
    await browser.visit(
      origin,
      { viewport, address: `#/playback?channel=${ids.join(",")}&time=${time}` },
      async (visit) => {
        await visit.logIn("root", password);
        await expect.poll(moving(visit), { timeout: SEEN_MS }).toBe(2);
        await visit.button("Play").first().click();
        const places = () =>
          visit.page.evaluate<number[]>(
            "[...document.querySelectorAll('video')].map((video) => video.currentTime)",
          );
        const begun = await places();
        const played = async () =>
          Math.min(
            ...(await places()).map((place, video) => place - (begun[video] ?? Number.POSITIVE_INFINITY)),
          );
        await expect.poll(played).toBeGreaterThan(2);
        if (WRITES_PICTURES) await keepGuidePicture(visit, "hub-playback");
      },
    );
  });
});
