import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";

const PLATE = EVENT_TYPES.plateRecognized.id;

const { browser, recorder } = pageForAllTests({ cameras: ["Gate", "Yard"], recordedUs: 4_000_000 });

/** Cars that come now, one after the other at both cameras in turn. */
async function comeBy(...plates: string[]): Promise<void> {
  await recorder.addEvents(
    plates.map((plateText, at) => ({ EventId: PLATE, ChannelId: recorder.ids[at % 2], plateText })),
  );
}

const card = (visit: PageVisit, text: string) => visit.page.locator(".review-card").filter({ hasText: text });
const titles = (visit: PageVisit) => visit.page.locator(".review-card .review-title").allTextContents();

describe.skipIf(noBrowser !== undefined)(`the page's review${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody at $size size, $theme, $language, each card with its picture", (options) =>
    browser.visit(recorder.origin, { ...options, address: "#/review?all=1" }, async (visit) => {
      await comeBy("LOOK1", "LOOK2");
      await visit.logIn();
      await card(visit, "LOOK1").first().locator("img, .moving").first().waitFor();
      await visit.shot("review");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("goes by keys from card to card, dims what was seen, and asks for it no more", () =>
    browser.visit(recorder.origin, { address: "#/review" }, async (visit) => {
      await comeBy("KEY1", "KEY2");
      await visit.logIn();
      await card(visit, "KEY2").waitFor();
      await visit.page.keyboard.press("j");
      await visit.page.keyboard.press("j");
      await expect.poll(() => visit.page.locator(".review-card.seen").count()).toBe(1);
      await visit.page.locator(".review-card.active .moving").waitFor();
      await visit.page.keyboard.press("a");
      await visit.page.getByText("Everything is seen.").waitFor();
      await visit.page.reload();
      await visit.page.getByText("Nothing new has happened.").waitFor();
    }));

  it("shows what comes by itself, narrowed by camera and words", () =>
    browser.visit(recorder.origin, { address: "#/review" }, async (visit) => {
      await visit.logIn();
      await visit.page.getByRole("heading", { name: "Review" }).waitFor();
      await comeBy("COME1", "COME2");
      await card(visit, "COME2").waitFor();
      await visit.field("Search").fill("plate yard");
      await expect.poll(() => titles(visit)).toEqual([expect.stringContaining("COME2")]);
      await visit.page.getByLabel("Camera").selectOption({ label: "Gate" });
      await visit.page.getByText("Nothing fits the filter.").waitFor();
    }));

  it("opens at the card that a message is about, and leads to its recording", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await comeBy("FIRST1", "FIRST2");
      const time = Date.now();
      await visit.page.goto(`${recorder.origin}/#/review?time=${time}`);
      await visit.logIn();
      await card(visit, "FIRST").first().waitFor();
      await expect.poll(() => visit.page.locator(".review-card.active").textContent()).toContain("FIRST");
      await visit.page.keyboard.press("Enter");
      await visit.page.waitForURL(/#\/playback\?channel=/);
    }));
});
