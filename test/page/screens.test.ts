import { describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { violationsOfParts } from "../support/page/opened-parts.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";

const CAMERAS = ["Gate", "Yard", "Roof", "Store"];

const { browser, recorder } = pageForAllTests({ cameras: CAMERAS, recordedUs: 4_000_000 });

/** How many elements show a picture that moves on. */
const MOVING = `[...document.querySelectorAll("video")]
  .filter(({ videoWidth, currentTime, readyState }) => videoWidth > 0 && currentTime > 0.2 && readyState > 1).length`;
const moving = (visit: PageVisit) => () => visit.page.evaluate(MOVING);

/** Each part of each screen is opened and looked at. */
const LONG_MS = 300_000;

describe.skipIf(noBrowser !== undefined)(`the page's screens${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("play for everybody, live and recorded, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      await expect.poll(moving(visit)).toBe(CAMERAS.length);
      await visit.shot("wall");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      const [gate = ""] = recorder.ids;
      await visit.page.goto(`${recorder.origin}/#/playback?channel=${gate}&time=${Date.now() - 3000}&play=1`);
      await expect.poll(moving(visit)).toBe(1);
      await visit.shot("playback");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it.each(LOOKS)(
    "have no part that axe-core finds wrong or that is too wide, at $size size, $theme, $language",
    { timeout: LONG_MS },
    (options) =>
      browser.visit(recorder.origin, { ...options, isNobody: true }, async (visit) => {
        await visit.button(/Log in|Войти/).waitFor();
        expect(await visit.violations()).toEqual([]);
        await visit.logIn();
        await expect.poll(moving(visit)).toBe(CAMERAS.length);
        const found: string[] = [];
        for (const screen of ["wall", "playback", "review", "events", "account"]) {
          await visit.page.goto(`${recorder.origin}/#/${screen}`);
          await visit.page.locator(`nav a[aria-current=page][href^="#/${screen}"]`).waitFor();
          await visit.page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
          found.push(...(await violationsOfParts(visit)).map((violation) => `${screen}: ${violation}`));
        }
        expect(found).toEqual([]);
      }),
  );

  it("say that they could not be loaded, and come when they can be", () =>
    browser.visit(recorder.origin, { allow: [/ERR_FAILED .*\/page\/account-screen-/] }, async (visit) => {
      const file = /\/page\/account-screen-/;
      await visit.page.route(file, (route) => route.abort());
      await visit.logIn();
      await visit.page.goto(`${recorder.origin}/#/account`);
      await visit.alert().getByText("This part of the page could not be loaded.").waitFor();
      await visit.page.unroute(file);
      await visit.heading("Account").waitFor();
    }));

  it("are loaded again by a person when what they are made of is there no more", () =>
    browser.visit(recorder.origin, { allow: [/404 .*\/page\/account-screen-/] }, async (visit) => {
      let isGone = true;
      await visit.page.route(/\/page\/account-screen-/, (route) =>
        isGone ? route.fulfill({ status: 404 }) : route.fallback(),
      );
      await visit.logIn();
      await visit.page.goto(`${recorder.origin}/#/account`);
      await visit.button("Try again").waitFor();
      await visit.page.evaluate("window.isSame = true");
      // The files of the page that is loaded again are those of the version that runs now.
      visit.page.once("domcontentloaded", () => (isGone = false));
      await visit.button("Try again").click();
      await visit.heading("Account").waitFor();
      expect(await visit.page.evaluate("window.isSame")).toBeUndefined();
    }));
});
