import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";

const { browser, recorder } = pageForAllTests({
  cameras: ["Gate", "Yard"],
  blankVolumes: 2,
  settings: { segmentSeconds: 5 },
  recordedUs: 8_000_000,
});

describe.skipIf(noBrowser !== undefined)(`a disk that is taken out of use${notHere(noBrowser)}`, () => {
  it("is emptied onto the others on the page, and says that it may be taken out", () =>
    browser.visit(
      recorder.origin,
      { address: "#/settings?part=disks", patienceMs: 90_000 },
      async (visit) => {
        await visit.logIn();
        await visit.heading("Disks and recordings").waitFor();
        const retire = visit.page.getByRole("button", { name: /^Take out of use: / }).first();
        const label = (await retire.getAttribute("aria-label")) ?? "";
        const name = label.replace("Take out of use: ", "");
        await retire.click();
        await visit.button("Take out of use").click();
        await visit.button(`Move them to the other disks: ${name}`).click();
        const place = visit.page.getByRole("listitem").filter({ hasText: name }).last();
        await place.getByText(/^It is empty\./).waitFor();
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));
});
