import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { FirstRunBox, LOGIN, OWN } from "../../support/page/first-run-box.js";
import { noBrowser } from "../../support/page/page-browser.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const box = new FirstRunBox("22222222-0000-4000-8000-0000000000f2", 1);
const { browser } = box;

/** Goes to a field by Tab and types into it. */
async function type(visit: PageVisit, name: string, text: string): Promise<void> {
  await visit.tabTo("textbox", name);
  await visit.page.keyboard.type(text);
}

/** Goes to a button by Tab and presses it by Enter. */
async function enter(visit: PageVisit, name: string): Promise<void> {
  await visit.button(name).and(visit.page.locator(":not([aria-disabled])")).waitFor();
  await visit.tabTo("button", name);
  await visit.press("Enter");
}

/** No step is wider than the phone, and nothing is behind the edge. */
async function fits(visit: PageVisit, name: string): Promise<void> {
  await visit.shot(`first run by keys, ${name}`);
  expect([name, await visit.violations(), await visit.isTooWide()]).toEqual([name, [], false]);
}

const PHONE = { size: "phone", viewport: { width: 360, height: 740 } } as const;

describe.skipIf(noBrowser !== undefined)(`the first run by keys alone${notHere(noBrowser)}`, () => {
  it("leads from the login to the wall on a phone's screen", () =>
    browser.visit(box.recorder.origin, { ...PHONE, timeZone: "Europe/Berlin" }, async (visit) => {
      await box.hideOthers(visit);
      await type(visit, "Name", "root");
      await type(visit, "Password", box.recorder.password);
      await visit.press("Enter");

      await visit.heading("Set up the recorder").waitFor();
      await type(visit, "New password", OWN);
      await type(visit, "New password again", OWN);
      await visit.page.getByText("Very hard to guess").waitFor();
      await type(visit, "Name of the recorder", "Warehouse");
      await fits(visit, "recorder");
      await enter(visit, "Next");

      await visit.heading("Disks for the recordings").waitFor();
      await visit.page.getByText("Room for recordings").waitFor();
      await fits(visit, "disks");
      await enter(visit, "Next");

      await visit.heading("Need a login").waitFor();
      for (const name of ["Street H.264", "Street H.265"])
        await visit.page.getByRole("checkbox", { name: `Choose ${name}` }).waitFor();
      await visit.tabTo("checkbox", "Choose Street H.265");
      await visit.press("Space");
      await type(visit, "Login of the cameras", LOGIN.user);
      await type(visit, "Password of the cameras", LOGIN.password);
      await fits(visit, "cameras");
      await enter(visit, "Try it on 3 cameras");
      await visit.page.getByRole("img", { name: "What Street H.264 shows now" }).waitFor();
      await fits(visit, "cameras read");
      await enter(visit, "Add 3 cameras");
      // One was left out, so the step stays until one goes on.
      await enter(visit, "Next");

      await visit.heading("The recorder is set up").waitFor();
      await visit.page.getByText("3 of 3 cameras are recorded.").waitFor();
      await fits(visit, "done");
      await enter(visit, "Open the live wall");
      await visit.page.getByRole("navigation").first().waitFor();
      expect(await visit.page.evaluate("location.hash")).toMatch(/^(#\/(wall)?)?$/);
    }));
});
