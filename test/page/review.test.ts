import { describe, expect, it } from "vitest";
import type { Findings } from "../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { nowUs, recordedBeyond } from "../support/event/service-events.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS, type PageVisit, type VisitOptions } from "../support/page/page-visit.js";

const PLATE = EVENT_TYPES.plateRecognized.id;

const { browser, recorder } = pageForAllTests({ cameras: ["Gate", "Yard"], recordedUs: 4_000_000 });

const visitReview = (options: VisitOptions, act: (visit: PageVisit) => Promise<void>): Promise<void> =>
  browser.visit(recorder.origin, options, act);

/** Cars that came at both cameras in turn, one each second until now: of the first ones there may be no recording, nor a picture. */
const comeLately = (...plates: string[]): Promise<void> =>
  recorder.addEvents(
    plates.map((plateText, at) => ({
      ...{ EventId: PLATE, ChannelId: recorder.ids[at % 2], plateText },
      Timestamp: new Date(Date.now() - (plates.length - at) * 1000).toISOString(),
    })),
  );

/** Cars that come now, one after the other at both cameras in turn. */
async function comeBy(...plates: string[]): Promise<void> {
  await recorder.addEvents(
    plates.map((plateText, at) => ({ EventId: PLATE, ChannelId: recorder.ids[at % 2], plateText })),
  );
}

/** The same, with pictures of them. */
async function comeRecorded(...plates: string[]): Promise<void> {
  await comeBy(...plates);
  await recordedBeyond(recorder.service, recorder.ids, nowUs());
}

const card = (visit: PageVisit, text: string) => visit.page.locator(".review-card").filter({ hasText: text });
const activeCard = (visit: PageVisit) => visit.page.locator(".review-card.active").textContent();
const titles = (visit: PageVisit) => visit.page.locator(".review-card .review-title").allTextContents();

describe.skipIf(noBrowser !== undefined)(`the page's review${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody at $size size, $theme, $language, each card with its picture", (options) =>
    visitReview({ ...options, address: "#/review?all=1" }, async (visit) => {
      await comeRecorded("LOOK1", "LOOK2");
      await visit.logIn();
      await card(visit, "LOOK1").first().locator("img, .moving").first().waitFor();
      await visit.shot("review");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("goes by keys from card to card, dims what was seen, and asks for it no more", () =>
    visitReview({ address: "#/review" }, async (visit) => {
      await comeRecorded("KEY1", "KEY2");
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

  it("leads from a card to a file of it", () =>
    visitReview({ address: "#/review?all=1" }, async (visit) => {
      await comeRecorded("SAVED1");
      await visit.logIn();
      await card(visit, "SAVED1").hover();
      await card(visit, "SAVED1")
        .getByRole("button", { name: /^Save as a file: .*SAVED1/ })
        .click();
      const panel = visit.page.getByRole("complementary");
      await panel.getByRole("button", { name: "Make file" }).waitFor();
      await panel.getByText("Chosen: 6 s.").waitFor();
    }));

  it("shows what comes by itself, narrowed by camera and words", () =>
    visitReview({ address: "#/review" }, async (visit) => {
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
    visitReview({ isNobody: true }, async (visit) => {
      await comeBy("FIRST1", "FIRST2");
      const time = Date.now();
      await visit.page.goto(`${recorder.origin}/#/review?time=${time}`);
      await visit.logIn();
      await card(visit, "FIRST").first().waitFor();
      await expect.poll(() => activeCard(visit)).toContain("FIRST");
      await visit.page.keyboard.press("Enter");
      await visit.page.waitForURL(/#\/playback\?channel=/);
    }));

  it("opens at the card of a message that more came after than a page holds, and goes on to the newest", () =>
    visitReview({ address: "#/account" }, async (visit) => {
      await comeLately("OLD1", ...Array.from({ length: 30 }, (_, at) => `MANY${at}`));
      const { Findings } = await recorder.service.json<Findings>("/api/findings?text=OLD1");
      await visit.logIn();
      await visit.page.goto(`${recorder.origin}/#/review?time=${Date.parse(Findings[0]?.Begin ?? "")}`);
      await expect.poll(() => activeCard(visit)).toContain("OLD1");
      await visit.button("Show the newest").click();
      await card(visit, "MANY29").waitFor();
    }));

  it("goes to the card of each message that is opened, whatever the list was narrowed to", () =>
    visitReview({ address: "#/review" }, async (visit) => {
      await comeLately("THEN1", "THEN2", "THEN3");
      const { Findings } = await recorder.service.json<Findings>("/api/findings?text=THEN");
      await visit.logIn();
      await card(visit, "THEN3").waitFor();
      for (const { Begin, Number: plate } of Findings) {
        await visit.field("Search").fill("nothing");
        await visit.page.getByText("Nothing fits the filter.").waitFor();
        await visit.page.evaluate(`location.hash = "#/review?time=${Date.parse(Begin)}"`);
        await expect.poll(() => activeCard(visit)).toContain(plate ?? "");
      }
    }));

  it("counts days by the recorder's clock", () =>
    visitReview({ address: "#/account" }, async (visit) => {
      await comeBy("TODAY1");
      await visit.logIn();
      await visit.page.addInitScript("{ const now = Date.now; Date.now = () => now() + 3 * 86_400_000; }");
      await visit.page.goto(`${recorder.origin}/#/review?day=today&all=1`);
      await visit.page.reload();
      await card(visit, "TODAY1").waitFor();
    }));

  it("comes back by itself when findings can be read again", () =>
    visitReview({ address: "#/account", allow: [/503/] }, async (visit) => {
      await comeBy("AGAIN1");
      await visit.logIn();
      await visit.page.route("**/api/findings?*", (route) => route.fulfill({ status: 503 }));
      await visit.page.goto(`${recorder.origin}/#/review`);
      await visit.button("Try again").waitFor();
      await visit.page.unroute("**/api/findings?*");
      await card(visit, "AGAIN1").waitFor();
    }));

  it("shows as seen only what the recorder has kept as seen", () =>
    visitReview({ address: "#/review", allow: [/503/] }, async (visit) => {
      await comeBy("KEPT1");
      await visit.logIn();
      await card(visit, "KEPT1").waitFor();
      await visit.page.route("**/api/findings/seen", (route) => route.fulfill({ status: 503 }));
      await card(visit, "KEPT1")
        .getByRole("button", { name: /^Seen: / })
        .click();
      await visit.page.locator(".notice.error").waitFor();
      expect(await card(visit, "KEPT1").getAttribute("class")).not.toContain("seen");
    }));

  it("offers the zones of the cameras that are shown", () =>
    visitReview({ address: "#/review" }, async (visit) => {
      const [gate, yard] = recorder.ids;
      const inZone = (zone: string, channel: string | undefined) => ({
        Findings: [{ ...finding, ChannelId: channel, Zones: [zone] }],
        ...{ Next: null, IsComplete: true },
      });
      await comeBy("ZONE1");
      const [finding] = (await recorder.service.json<Findings>("/api/findings?text=ZONE1")).Findings;
      await visit.page.route("**/api/findings?*", (route) => {
        const isYard = route.request().url().includes(`channelids=${yard}`);
        return route.fulfill({ json: isYard ? inZone("Lawn", yard) : inZone("Drive", gate) });
      });
      await visit.logIn();
      const zones = visit.page.getByLabel("Zone").locator("option");
      await expect.poll(() => zones.allTextContents()).toEqual(["All zones", "Drive"]);
      await visit.page.getByLabel("Camera").selectOption({ label: "Yard" });
      await expect.poll(() => zones.allTextContents()).toEqual(["All zones", "Lawn"]);
    }));
});
