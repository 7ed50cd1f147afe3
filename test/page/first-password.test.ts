import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";

const OWN = "a sentence of my own";
const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ generatedPassword: true });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

describe.skipIf(noBrowser !== undefined)(`the first password${notHere(noBrowser)}`, () => {
  it("is changed before anything else is shown, with a word about each fault", () =>
    browser.visit(recorder.origin, { allow: [/status of 40[03] .*\/password$/] }, async (visit) => {
      await visit.fillLogin("root", recorder.password);
      await visit.heading("Choose a password of your own").waitFor();
      await visit.shot("first password");
      expect(await visit.violations()).toEqual([]);
      expect(await visit.page.getByRole("navigation").count()).toBe(0);
      const change = async (current: string, next: string, again = next): Promise<string | null> => {
        await visit.field("Present password").fill(current);
        await visit.field("New password").fill(next);
        await visit.field("New password again").fill(again);
        await visit.button("Change password").click();
        return await visit.alert().textContent();
      };
      expect(await change(recorder.password, OWN, "another")).toBe("The two new passwords differ.");
      await expect.poll(() => change("wrong", OWN)).toBe("The present password is wrong.");
      await expect.poll(() => change(recorder.password, "short")).toMatch(/^Choose another/);
      void change(recorder.password, OWN).catch(() => undefined);
      await visit.page.getByRole("navigation").waitFor();
    }));

  it("is another one from then on", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn("root", OWN);
    }));
});
