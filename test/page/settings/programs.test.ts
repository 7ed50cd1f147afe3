import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

const PROGRAMS = "#/settings?part=programs";
const browser = new PageBrowser();
let api: ApiHarness;

beforeAll(async () => {
  api = await startApi({ settings: { page: { folder: join(REPOSITORY_ROOT, "build", "page") } } });
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

const WORDS = {
  en: { title: "Other programs", setUp: "Set up the broker", form: "Smart home (MQTT)" },
  ru: { title: "Другие программы", setUp: "Настроить брокер", form: "Умный дом (MQTT)" },
} as const;

describe.skipIf(noBrowser !== undefined)(`programs beside the page${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody to set up at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: PROGRAMS }, async (visit) => {
      const words = WORDS[look.language];
      await visit.logIn("root", "secret");
      await visit.heading(words.title).waitFor();
      await visit.shot("programs");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.button(words.setUp).click();
      await visit.page.getByRole("dialog", { name: words.form }).waitFor();
      await visit.shot("broker form");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("find their broker tried before it is kept, in the recorder's words, and then kept", () =>
    browser.visit(api.url(""), { address: PROGRAMS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText("No broker is set up.").waitFor();
      await visit.button("Set up the broker").click();
      const form = visit.page.getByRole("dialog", { name: "Smart home (MQTT)" });
      await form.getByLabel("Address of the broker").fill("mqtt://broker.example");
      await form.getByLabel("Login at the broker").fill("recorder");
      await form.getByLabel("Password at the broker", { exact: true }).fill("the broker's own");
      await form.getByLabel("Acts for the user").selectOption("root");
      api.broker.problem = "it refuses the login or its password";
      await form.getByRole("button", { name: "Try it" }).click();
      await form.getByText("That does not work: it refuses the login or its password.").waitFor();
      expect(api.site.current.broker).toBeUndefined();
      api.broker.problem = undefined;
      await form.getByRole("button", { name: "Try it" }).click();
      await form.getByText("The broker accepts the recorder.").waitFor();
      await form.getByRole("button", { name: "Save" }).click();
      await visit.page.getByText(/^It is set here\./).waitFor();
      expect(api.site.current.broker).toMatchObject({
        ...{ url: "mqtt://broker.example", login: "recorder", password: "the broker's own" },
        ...{ userName: "root", prefix: "nvrd" },
      });
      await visit.button("Remove what is set here").click();
      await visit.button(/^Really remove\?/).click();
      await visit.page.getByText("It can be set here, and is used at once.").waitFor();
      expect(api.site.current.broker).toBeUndefined();
    }));

  it("show at the field what is wrong with an address", () =>
    browser.visit(api.url(""), { address: PROGRAMS, allow: [/400 \(Bad Request\)/] }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.button("Set up the broker").click();
      const form = visit.page.getByRole("dialog", { name: "Smart home (MQTT)" });
      await form.getByLabel("Address of the broker").fill("broker.example");
      await form.getByRole("button", { name: "Save" }).click();
      await form.locator("input[aria-invalid=true]:focus").waitFor();
      expect(await form.getByLabel("Address of the broker").getAttribute("aria-invalid")).toBe("true");
    }));

  it("speak ONVIF with the users that are ticked, and who has to log in once is named", () =>
    browser.visit(api.url(""), { address: PROGRAMS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.heading("The recorder as an ONVIF device").waitFor();
      await visit.field("guard").check();
      await visit.button("Save").click();
      await visit.page.getByText(/^The password is not known yet: guard\./).waitFor();
      await visit.page.getByText(/\/onvif\/device_service$/).waitFor();
      expect(api.site.current.onvifDevice?.userNames).toEqual(["guard"]);
      await visit.field("Every user, also those added later").check();
      await visit.button("Save").click();
      await visit.page.getByText(/^The password is not known yet: root, guard\./).waitFor();
      expect(api.site.current.onvifDevice).toMatchObject({ isForAllUsers: true, userNames: ["guard"] });
    }));
});
