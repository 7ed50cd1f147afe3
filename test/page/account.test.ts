import { describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS } from "../support/page/page-visit.js";

const { browser, recorder } = pageForAllTests();

/** What a browser writes where a page looks for news by itself after its session was ended. */
const ENDED = [/401/, /WebSocket .*Authentication failed/];

describe.skipIf(noBrowser !== undefined)(`the page's account${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      await visit.screen(/Account|Учётная запись/);
      await visit.page.getByText(/^(This browser|Этот браузер)$/).waitFor();
      await visit.shot("account");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("ends the session of another browser, which then shows the login", () =>
    browser.visit(recorder.origin, { isNobody: true, allow: ENDED }, async (other) => {
      await other.logIn();
      await browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
        await visit.logIn();
        await visit.screen("Account");
        const end = visit.button(/^End the session of Chrome on Linux/);
        await end.first().waitFor();
        for (let left = await end.count(); left > 0; left -= 1) {
          await end.first().click();
          await expect.poll(() => end.count()).toBe(left - 1);
        }
        await visit.page.getByText("This browser", { exact: true }).waitFor();
      });
      await other.page.reload();
      await other.heading("Log in to the recorder").waitFor();
    }));

  it("says to who asks for something after the session ended that it has", () =>
    browser.visit(recorder.origin, { isNobody: true, allow: [/401/] }, async (visit) => {
      await visit.logIn();
      // At once: the page looks for news by itself too, and may find the end of the session before a press.
      await visit.page.evaluate(
        'fetch("/api/session", { method: "DELETE", headers: { "X-Requested-With": "x" } }).then(() => { location.hash = "#/events"; })',
      );
      await visit.page.getByText("Your session has ended: log in again.").waitFor();
      await visit.heading("Log in to the recorder").waitFor();
    }));

  it("names each screen and the recorder in the title, by which tabs of several recorders are distinguished", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const { ServerName } = await recorder.service.json<{ ServerName: string }>(
        "/api/session?anonymous=false",
      );
      await expect.poll(() => visit.page.title()).toBe(`Live · ${ServerName}`);
      await visit.screen("Account");
      await expect.poll(() => visit.page.title()).toBe(`Account · ${ServerName}`);
    }));

  it("changes the theme and the language at once, and keeps them", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await visit.screen("Account");
      const ground = () => visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
      expect(await ground()).toBe("rgb(244, 246, 248)");
      await visit.field("Colours").selectOption({ label: "Dark" });
      expect(await ground()).toBe("rgb(14, 19, 23)");
      await visit.field("Language").selectOption({ label: "Русский" });
      await visit.heading("Учётная запись").waitFor();
      await visit.page.reload();
      await visit.heading("Учётная запись").waitFor();
      expect(await ground()).toBe("rgb(14, 19, 23)");
    }));

  it("is used by keys alone, from the skip link to the list of keys", () =>
    browser.visit(recorder.origin, { address: "#/account" }, async (visit) => {
      await visit.logIn();
      await visit.heading("Account").waitFor();
      await visit.page.locator("body").press("Tab");
      await visit.tabTo("button", "Skip to the content");
      await visit.press("Enter");
      await visit.tabTo("button", "Log out");
      await visit.press("?");
      await visit.page.getByRole("dialog", { name: "Keys of this page" }).waitFor();
      expect(await visit.violations()).toEqual([]);
      await visit.press("Escape");
      await expect.poll(() => visit.page.getByRole("dialog").count()).toBe(0);
      expect(await visit.button("Log out").and(visit.page.locator(":focus")).count()).toBe(1);
    }));
});
