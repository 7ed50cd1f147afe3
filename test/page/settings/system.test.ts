import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { writeMonthOfFigures } from "../../support/health/month-of-figures.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const SYSTEM = "#/settings?part=system";
const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  // Nobody vouches for its clock until an administrator does.
  recorder = await PageService.start({ cameras: ["Gate"], env: { NVRD_CLOCK_TRUST: "network" } });
  await recorder.down();
  await writeMonthOfFigures(recorder.service.dataDir);
  await recorder.up();
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** Words of the graphs that are not whole within their graph. */
const CUT_FIGURES = `[...document.querySelectorAll("svg text")].filter((text) => {
  const [word, graph] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
  return word.left < graph.left || word.right > graph.right;
}).map((text) => text.textContent)`;

async function openSystem(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/What the box did|Что делало устройство/).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`the recorder's own state${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody to read at $size size, $theme, $language", (options) =>
    browser.goOn(recorder.origin, { ...options, address: SYSTEM }, async (visit) => {
      await openSystem(visit);
      await visit.heading(/^(Processor|Процессор)$/).waitFor();
      await visit.shot("system");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      expect(await visit.page.evaluate(CUT_FIGURES)).toEqual([]);
    }),
  );

  it("is not too wide for the smallest phone", () =>
    browser.visit(
      recorder.origin,
      { size: "phone", viewport: { width: 360, height: 780 }, address: SYSTEM },
      async (visit) => {
        await openSystem(visit);
        await visit.button("Month").click();
        await visit.page.getByRole("img", { name: /^Temperature/ }).waitFor();
        await visit.shot("system-360");
        expect(await visit.isTooWide()).toBe(false);
      },
    ));

  it("is a sentence, and what is wrong with what to do, which then is done", () =>
    browser.goOn(recorder.origin, { address: SYSTEM }, async (visit) => {
      await openSystem(visit);
      const problems = visit.page.getByRole("list", { name: "What needs attention" });
      const wrong = problems.getByRole("listitem").filter({ hasText: "The time may be wrong" });
      await wrong.getByText(/^Give the box a time server under Network/).waitFor();
      await visit.page.getByText("nobody: it may be wrong").waitFor();
      await visit.button("This time is right").click();
      await visit.page.getByText("an administrator, who confirmed it").waitFor();
      await expect.poll(() => wrong.count()).toBe(0);
      await visit.page.getByText(/^1 of 1 camera is recorded now\./).waitFor();
    }));

  it("is shown by graphs of a day and a month, which who does not see them reads", () =>
    browser.goOn(recorder.origin, { address: SYSTEM }, async (visit) => {
      await openSystem(visit);
      const drawn = visit.page.getByRole("img", { name: /^Processor Now \d+ %\. 2\d % on average, at most/ });
      await drawn.waitFor();
      await visit.page.getByText("Processor: as a table").click();
      const rows = visit.page.getByRole("table").getByRole("row");
      await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(24);
      await visit.button("Month").click();
      await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(31);
      await expect.poll(() => visit.page.getByRole("columnheader", { name: "Day" }).count()).toBe(1);
      await visit.page.getByRole("img", { name: /^Network Received: .* Sent: / }).waitFor();
      await visit.page.getByText("How far back recordings go: as a table").click();
      await visit.page
        .getByRole("cell", { name: /^\d+ hours$/ })
        .first()
        .waitFor();
    }));

  it("ends with a restart, after which the page goes on by itself, and records as before", () =>
    browser.visit(
      recorder.origin,
      // What the page asks while nobody answers.
      {
        address: SYSTEM,
        allow: [/503|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket/],
      },
      async (visit) => {
        await openSystem(visit);
        await visit.button("Restart the recorder").click();
        await visit.page.getByText(/^Recording stops for some seconds/).waitFor();
        expect(await visit.violations()).toEqual([]);
        await visit.button("Restart now").click();
        await visit.page.getByText("The recorder restarts…").waitFor();
        await visit.page.getByText("The recorder is back.").waitFor();
        await visit.page.getByText(/^1 of 1 camera is recorded now\./).waitFor();
        const events = (await recorder.service.json("/archive_events?responsetype=json", {
          method: "POST",
          body: {},
        })) as { readonly eventName?: string }[];
        expect(JSON.stringify(events)).toContain("Restart of the recorder requested");
      },
    ));

  it("is read by keys alone", () =>
    browser.visit(recorder.origin, { address: SYSTEM }, async (visit) => {
      await openSystem(visit);
      await visit.tabTo("button", "Month");
      await visit.press("Enter");
      await visit.page.getByRole("button", { name: "Month", pressed: true }).waitFor();
      // Until the figures are there, nothing of a graph can have the focus.
      await visit.page.locator(".graphs summary").first().waitFor();
      await visit.press("Tab");
      await visit.page.locator("summary:focus").waitFor();
      await visit.press("Enter");
      await visit.page.getByRole("table").first().waitFor();
    }));
});
