import { describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { ROOT_PASSWORD } from "../support/service/service.js";

/** What Chromium writes for each refused login. */
const REFUSED = [/status of (401|429) .*\/api\/session$/];

/** What it writes for a file that the test keeps from the page. */
const UNFETCHED = [/ERR_FAILED .*\/page\/words-ru-/];

const { browser, recorder } = pageForAllTests({ env: { NVRD_LANGUAGE: "ru" } });

describe.skipIf(noBrowser !== undefined)(`the page's login${notHere(noBrowser)}`, () => {
  it("lets in by keys alone: the name has the focus, Enter sends", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await visit.field("Name").waitFor();
      await visit.page.keyboard.type("root");
      await visit.press("Tab");
      await visit.page.keyboard.type(ROOT_PASSWORD);
      await visit.press("Enter");
      await visit.heading("Live").or(visit.page.getByRole("navigation")).first().waitFor();
      expect(new URL(visit.page.url()).search).toBe("");
    }));

  it("says that name or password is wrong, empties the password and goes there", () =>
    browser.visit(recorder.origin, { isNobody: true, allow: REFUSED }, async (visit) => {
      await visit.fillLogin("root", "wrong");
      await visit.alert().getByText("Name or password is wrong.").waitFor();
      const password = visit.field("Password");
      expect([await password.inputValue(), await password.getAttribute("aria-invalid")]).toEqual([
        "",
        "true",
      ]);
      expect(await password.and(visit.page.locator(":focus")).count()).toBe(1);
      expect(await visit.violations()).toEqual([]);
    }));

  it("keeps neither the password nor its MD5 in the browser's storage, address or cookie", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const kept = await visit.page.evaluate<string>(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie])",
      );
      expect(kept).not.toMatch(new RegExp(`${ROOT_PASSWORD}|[0-9a-f]{32}|nvrd-session`));
    }));

  it("shows a password that a person wants to see", () =>
    browser.visit(recorder.origin, { isNobody: true, size: "phone" }, async (visit) => {
      const password = visit.field("Password");
      await password.fill("secret");
      await visit.button("Show: Password").click();
      expect(await password.getAttribute("type")).toBe("text");
      await visit.button("Show: Password").click();
      expect(await password.getAttribute("type")).toBe("password");
    }));

  it("outlasts a reload, and ends for all of it by logging out", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await visit.page.reload();
      await visit.screen("Account");
      // The list of sessions is under way until then, and would be refused.
      await visit.page.getByText("This browser").first().waitFor();
      await visit.button("Log out").first().click();
      await visit.heading("Log in to the recorder").waitFor();
      await visit.page.reload();
      await visit.heading("Log in to the recorder").waitFor();
    }));

  it.each([
    { size: "desktop", theme: "light", language: "en" },
    { size: "phone", theme: "dark", language: "ru" },
  ] as const)("is for everybody at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, isNobody: true }, async (visit) => {
      await visit.heading(/Log in|Вход/).waitFor();
      await visit.shot("login");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("changes its language before anybody is logged in, and remembers it", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await visit.field("Language").selectOption({ label: "Русский" });
      await visit.heading("Вход в регистратор").waitFor();
      await visit.page.reload();
      await visit.heading("Вход в регистратор").waitFor();
      expect(await visit.page.evaluate("document.documentElement.lang")).toBe("ru");
    }));

  it("keeps its language where the words of another cannot be fetched, and fetches them when asked again", () =>
    browser.visit(recorder.origin, { isNobody: true, allow: UNFETCHED }, async (visit) => {
      const words = /\/page\/words-ru-/;
      await visit.page.route(words, (route) => route.abort());
      await visit.field("Language").selectOption({ label: "Русский" });
      await visit.page.getByText("This part of the page could not be loaded.").waitFor();
      await visit.heading("Log in to the recorder").waitFor();
      expect(await visit.field("Language").inputValue()).toBe("en");
      await visit.page.unroute(words);
      await visit.field("Language").selectOption({ label: "Русский" });
      await visit.heading("Вход в регистратор").waitFor();
    }));

  it("says what is the matter in the browser's language where no words can be fetched", () =>
    browser.visit(recorder.origin, { isNobody: true, language: "ru", allow: UNFETCHED }, async (visit) => {
      const words = /\/page\/words-ru-/;
      await visit.page.route(words, (route) => route.abort());
      await visit.page.reload();
      await visit.alert().getByText("Эту часть страницы не удалось загрузить.").waitFor();
      await visit.page.unroute(words);
      await visit.button("Повторить").click();
      await visit.heading("Вход в регистратор").waitFor();
    }));

  it("fetches the words of one language alone", () =>
    browser.visit(recorder.origin, { isNobody: true, language: "ru" }, async (visit) => {
      await visit.heading("Вход в регистратор").waitFor();
      const fetched = await visit.page.evaluate<string[]>(
        "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
      );
      expect(fetched.filter((name) => /\/words-\w\w-/.test(name))).toEqual([
        expect.stringMatching(/\/words-ru-/),
      ]);
    }));

  it("shows the box's language where the browser has none of the page's", () =>
    browser.visit(recorder.origin, { isNobody: true, locale: "de-DE" }, async (visit) => {
      await visit.fillLogin("root", ROOT_PASSWORD);
      await visit.page.getByRole("link", { name: "События" }).waitFor();
    }));

  // Last: the address stays locked out.
  it("says how long to wait after too many wrong passwords", () =>
    browser.visit(recorder.origin, { isNobody: true, allow: REFUSED }, async (visit) => {
      let count = 0;
      const guess = async (): Promise<string | null> => {
        count += 1;
        await visit.fillLogin("root", `wrong ${count}`);
        return await visit.alert().textContent();
      };
      await expect.poll(guess).toMatch(/^Too many wrong passwords\. Try again in \d+ (second|minute)s?\.$/);
      await visit.shot("locked out");
    }));
});
