import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import type { PageVisit } from "../support/page/page-visit.js";

const CAMERAS = ["Gate", "Yard", "Roof", "Store"];

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: CAMERAS, recordedUs: 4_000_000 });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** How many elements show a picture that moves on. */
const MOVING = `[...document.querySelectorAll("video")]
  .filter(({ videoWidth, currentTime, readyState }) => videoWidth > 0 && currentTime > 0.2 && readyState > 1).length`;
const moving = (visit: PageVisit) => () => visit.page.evaluate(MOVING);

describe.skipIf(noBrowser !== undefined)(`the page's screens${notHere(noBrowser)}`, () => {
  it.each([
    { size: "desktop", theme: "light", language: "en" },
    { size: "desktop", theme: "dark", language: "ru" },
    { size: "phone", theme: "light", language: "ru" },
    { size: "phone", theme: "dark", language: "en" },
  ] as const)("play for everybody, live and recorded, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      await expect.poll(moving(visit), { timeout: 30_000 }).toBe(CAMERAS.length);
      await visit.shot("wall");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      const [gate = ""] = recorder.ids;
      await visit.page.goto(`${recorder.origin}/#/playback?channel=${gate}&time=${Date.now() - 3000}&play=1`);
      await expect.poll(moving(visit), { timeout: 30_000 }).toBe(1);
      await visit.shot("playback");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );
});
