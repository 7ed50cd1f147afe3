import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS } from "../../support/page/page-visit.js";

const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

describe.skipIf(noBrowser !== undefined)(`the settings${notHere(noBrowser)}`, () => {
  it("are found by a word of their name, in whatever part they are, and shown there", () =>
    browser.goOn(recorder.origin, { address: "#/settings?part=users" }, async (visit) => {
      await visit.logIn();
      await visit.field("Find a setting").fill("time zone");
      await visit.page.getByRole("link", { name: /^Time zone .*Network/ }).waitFor();
      await visit.field("Find a setting").fill("syslog");
      await visit.shot("settings-search");
      expect(await visit.violations()).toEqual([]);
      await visit.field("Find a setting").fill("add a receiver");
      await visit.page.getByRole("link", { name: "Add a receiver Alarms" }).click();
      await visit.button("Add a receiver").and(visit.page.locator(".is-found")).waitFor();
      await visit.field("Find a setting").fill("nothing of the kind");
      await visit.page.getByText("No setting is called so.").waitFor();
    }));

  it("are found in the language of the page", () =>
    browser.visit(recorder.origin, { language: "ru", address: "#/settings?part=users" }, async (visit) => {
      await visit.logIn();
      await visit.field("Найти настройку").fill("часовой пояс");
      await visit.page
        .getByRole("link", { name: /^Часовой пояс/ })
        .first()
        .waitFor();
    }));

  it("and the other screens are gone to by keys, and the focus goes to the title of what is opened", () =>
    browser.goOn(recorder.origin, { address: "#/settings?part=users" }, async (visit) => {
      await visit.logIn();
      const focused = (role: "heading", name: string) =>
        visit.page.getByRole(role, { name, exact: true }).and(visit.page.locator(":focus"));
      await visit.tabTo("link", "Scenarios");
      await visit.press("Enter");
      await focused("heading", "Scenarios").waitFor();
      await visit.page.getByRole("link", { name: "Account", exact: true }).focus();
      await visit.press("Enter");
      await visit.page.locator("#content h1:focus").waitFor();
    }));

  it("have a list at their side that stays while a part is shown", () =>
    browser.goOn(recorder.origin, { address: "#/settings?part=users" }, async (visit) => {
      await visit.logIn();
      const parts = visit.page.getByRole("navigation", { name: "Settings" });
      await parts.getByRole("link", { name: "Disks" }).click();
      await visit.heading("Disks").first().waitFor();
      expect(await parts.getByRole("link", { name: "Disks" }).getAttribute("aria-current")).toBe("page");
      const [list, part] = await Promise.all([
        parts.boundingBox(),
        visit.page.locator(".settings-shown").boundingBox(),
      ]);
      expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(part?.x ?? 0);
    }));

  it("are a level at a time on a phone", () =>
    browser.visit(recorder.origin, { size: "phone", address: "#/settings" }, async (visit) => {
      await visit.logIn();
      const parts = visit.page.getByRole("navigation", { name: "Settings" });
      await parts.waitFor();
      await visit.shot("settings-list");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await parts.getByRole("link", { name: "Alarms" }).click();
      await visit.button("Add a receiver").waitFor();
      expect(await parts.isVisible()).toBe(false);
      await visit.page.locator(".settings-back a").click();
      await parts.waitFor();
      expect(await visit.button("Add a receiver").isVisible()).toBe(false);
    }));

  it.each(LOOKS)("look right at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: "#/settings?part=alarms" }, async (visit) => {
      await visit.logIn();
      await visit.heading(/^(Alarms|Оповещения)$/).waitFor();
      await visit.shot("settings-layout");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );
});
