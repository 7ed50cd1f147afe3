import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const LOG = "#/settings?part=log";
const { browser, recorder } = pageForAllTests({ cameras: ["Gate"] });

const lines = (visit: PageVisit) =>
  visit.page.getByRole("list", { name: /Lines of the log|Строки журнала/ }).getByRole("listitem");

async function openLog(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await lines(visit).first().waitFor();
}

describe.skipIf(noBrowser !== undefined)(`the recorder's log${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody to read at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: LOG }, async (visit) => {
      await openLog(visit);
      await visit.shot("log");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("is filtered by words, camera and importance, by keys alone", () =>
    browser.visit(recorder.origin, { address: LOG }, async (visit) => {
      await openLog(visit);
      await visit.tabTo("searchbox", "Words in it");
      await visit.page.keyboard.type("API is listening");
      await visit.press("Enter");
      await expect.poll(() => lines(visit).count()).toBe(1);
      await visit.field("Words in it").fill("");
      await visit.press("Enter");
      await expect.poll(() => lines(visit).count()).toBeGreaterThan(1);
      await visit.field("Camera").selectOption({ label: "Gate" });
      await expect
        .poll(async () => (await lines(visit).allTextContents()).every((text) => text.includes("Gate")))
        .toBe(true);
      await visit.field("How bad").selectOption({ label: "Errors" });
      await visit.page.getByText("There are no lines to show.").waitFor();
    }));
});
