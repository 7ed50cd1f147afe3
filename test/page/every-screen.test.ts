import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import type { PageVisit, VisitOptions } from "../support/page/page-visit.js";
import { ROOT_PASSWORD } from "../support/service/service.js";

/** What owners have: a small laptop, a large screen, and a phone upright and lying. */
const DEVICES = [
  { viewport: { width: 1366, height: 768 }, theme: "light", language: "en" },
  { viewport: { width: 1366, height: 768 }, theme: "dark", language: "ru" },
  { viewport: { width: 1920, height: 1080 }, theme: "dark", language: "en" },
  { size: "phone", viewport: { width: 390, height: 844 }, theme: "light", language: "ru" },
  { size: "phone", viewport: { width: 844, height: 390 }, theme: "dark", language: "en" },
] as const satisfies readonly VisitOptions[];
const LOOKED = process.env.NVRD_TEST_PAGE_LOOKS === "all" ? DEVICES : DEVICES.slice(0, 1);

const PARTS = [
  ...["cameras", "users", "disks", "alarms", "scenarios", "analysers", "away", "network", "programs"],
  ...["fleet", "system", "maintenance", "log"],
];
const CAMERA_VIEWS = ["general", "schedule", "motion", "masks", "objects", "events", "copy", "replace"];
const LONG_MS = 600_000;
const GUEST_PASSWORD = "Guest-secret-7";

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate", "Yard"] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

function addresses(): readonly string[] {
  const [gate = ""] = recorder.ids;
  return [
    ...["wall", "playback", "review", "events", "account", "setup"].map((name) => `#/${name}`),
    ...PARTS.map((part) => `#/settings?part=${part}`),
    ...CAMERA_VIEWS.map((view) => `#/settings?part=cameras&camera=${gate}&view=${view}`),
  ];
}

/** Opens an address, and waits until nothing of it is awaited. */
async function shown(visit: PageVisit, address: string): Promise<void> {
  await visit.page.goto(`${recorder.origin}/${address}`);
  const isThere =
    "(() => { const main = document.querySelector('main'); return main !== null && main.textContent.trim() !== '' && !/Loading…|Загрузка…/.test(main.textContent); })()";
  await expect.poll(() => visit.page.evaluate(isThere)).toBe(true);
}

describe.skipIf(noBrowser !== undefined)(`every screen${notHere(noBrowser)}`, () => {
  it.each(LOOKED)(
    "is free of what axe-core finds wrong, and no wider than $viewport.width x $viewport.height, $theme, $language",
    { timeout: LONG_MS },
    (options) =>
      browser.visit(recorder.origin, options, async (visit) => {
        await visit.logIn();
        const found: string[] = [];
        for (const address of addresses()) {
          await shown(visit, address);
          const wrong = await visit.violations();
          if (await visit.isTooWide()) wrong.push("it is too wide");
          found.push(...wrong.map((text) => `${address}: ${text}`));
          await visit.shot(`every ${options.viewport.width} ${address.replace(/camera=[^&]*&/, "")}`);
        }
        expect(found).toEqual([]);
      }),
  );

  it("shows picture, buttons and timeline of a recording together on a phone that lies", () =>
    browser.visit(
      recorder.origin,
      { size: "phone", viewport: { width: 844, height: 390 }, address: "#/playback" },
      async (visit) => {
        await visit.logIn();
        await visit.shot("landscape playback");
        const { page } = visit;
        const parts = [page.locator(".pictures"), page.locator(".transport"), page.locator(".timeline")];
        const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
        for (const box of boxes) {
          expect(box).not.toBeNull();
          expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(390);
        }
        expect(boxes[0]?.height).toBeGreaterThan(100);
      },
    ));

  it.each([
    ["Save as a file", "Make file"],
    ["Search the picture", "Start"],
  ])("has the button of a panel in sight on a small laptop: %s", (panel, button) =>
    browser.visit(
      recorder.origin,
      { viewport: { width: 1366, height: 768 }, address: "#/playback" },
      async (visit) => {
        await visit.logIn();
        await visit.button(panel).click();
        const main = visit.page.getByRole("complementary").getByRole("button", { name: button, exact: true });
        await main.waitFor();
        await visit.shot(`panel ${panel}`);
        const box = await main.boundingBox();
        expect((box?.y ?? 768) + (box?.height ?? 0)).toBeLessThanOrEqual(768);
      },
    ),
  );

  it("opens at the camera and the moment of a link, after the login of whoever follows it", async () => {
    const [, yard = ""] = recorder.ids;
    await recorder.service.recorded([yard], 4_000_000);
    const moment = Math.floor((Date.now() - 2000) / 1000) * 1000;
    const address = `#/playback?channel=${yard}&time=${moment}`;
    await browser.visit(recorder.origin, { isNobody: true, address }, async (visit) => {
      await visit.fillLogin("root", ROOT_PASSWORD);
      await visit.button("Yard").first().waitFor();
      const time = new Date(moment).toISOString().slice(11, 19);
      await visit.page.locator(".moment").getByText(time).waitFor();
      expect(visit.page.url()).toContain(`channel=${yard}`);
    });
  });

  it("says what to do where a link is to a camera that one may not see", async () => {
    const [gate = "", yard = ""] = recorder.ids;
    const seen = { ChannelsArchiveAllowed: [gate], ChannelsRealtimeAllowed: [gate] };
    const group = { Name: "Gate only", ChannelsAccessOptions: seen };
    const made = (path: string, body: object) =>
      recorder.service.json<{ CreatedObjectsIds: string[] }>(path, { method: "POST", body: [body] });
    const [groupId = ""] = (await made("/configure/groups", group)).CreatedObjectsIds;
    await made("/configure/users", { Name: "guest", GroupId: groupId, Password: GUEST_PASSWORD });
    const address = `#/playback?channel=${yard}&time=${Date.now() - 2000}`;
    await browser.visit(recorder.origin, { isNobody: true, address }, async (visit) => {
      await visit.fillLogin("guest", GUEST_PASSWORD);
      await visit.page
        .getByText("You may not see recordings of this camera: ask an administrator.")
        .waitFor();
      await visit.page.getByText("Choose a camera to see what it recorded.").waitFor();
    });
  });
});
