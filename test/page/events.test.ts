import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";

const PLATE = EVENT_TYPES.plateRecognized.id;
const FIRE = EVENT_TYPES.fireDetected.id;

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate", "Yard"], recordedUs: 2_000_000 });
  const [gate = "", yard = ""] = recorder.ids;
  await recorder.addEvents([
    { EventId: PLATE, ChannelId: gate, plateText: "A123BC77", Comment: "guest" },
    { EventId: FIRE, ChannelId: yard, Comment: "behind the barn" },
  ]);
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

describe.skipIf(noBrowser !== undefined)(`the page's events${notHere(noBrowser)}`, () => {
  it.each([
    { size: "desktop", theme: "light", language: "en" },
    { size: "desktop", theme: "dark", language: "ru" },
    { size: "phone", theme: "light", language: "ru" },
    { size: "phone", theme: "dark", language: "en" },
  ] as const)("are shown at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      await visit.screen(/Events|События/);
      await visit.page.getByText("A123BC77").waitFor();
      await visit.page.waitForTimeout(1500);
      await visit.shot("events");
      expect(await visit.violations()).toEqual([]);
      expect(await visit.isTooWide()).toBe(false);
    }),
  );
});
