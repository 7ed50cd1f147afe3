import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const ALARMS = "#/settings?part=alarms";
const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({});
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

const question = (visit: PageVisit) => visit.page.getByRole("dialog", { name: "Leave without saving?" });
const form = (visit: PageVisit) => visit.page.getByRole("dialog", { name: "New receiver" });

async function begin(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.button("Add a receiver").click();
  await visit.field("Name").fill("Half typed");
}

describe.skipIf(noBrowser !== undefined)(
  `what was typed in a form and not saved${notHere(noBrowser)}`,
  () => {
    it.each(["Escape", "Cancel", "Close"])("is asked for before %s loses it", (way) =>
      browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
        await begin(visit);
        if (way === "Escape") await visit.press("Escape");
        else await form(visit).getByRole("button", { name: way, exact: true }).click();
        await question(visit).waitFor();
        expect(await visit.violations()).toEqual([]);
        await visit.button("Stay here").click();
        expect(await visit.field("Name").inputValue()).toBe("Half typed");
        await visit.button("Cancel").click();
        await visit.button("Leave without saving").click();
        await form(visit).waitFor({ state: "detached" });
        await visit.button("Add a receiver").click();
        await visit.button("Cancel").click();
        await form(visit).waitFor({ state: "detached" });
        expect(await question(visit).count()).toBe(0);
      }),
    );

    it.each([
      ["another password", "#/account", "Present password"],
      ["the code of a hub", "#/settings?part=fleet", "Code of the hub"],
      ["the code of a partner", "#/settings?part=fleet", "Code of another recorder"],
    ])("is asked for where it is no part of the settings that are saved: %s", (_, address, label) =>
      browser.goOn(recorder.origin, { address }, async (visit) => {
        await visit.logIn();
        await visit.field(label).fill("half typed");
        await visit.page.evaluate("location.hash = '#/events'");
        await question(visit).waitFor();
        await visit.button("Stay here").click();
        expect(await visit.field(label).inputValue()).toBe("half typed");
        await visit.page.evaluate("location.hash = '#/events'");
        await visit.button("Leave without saving").click();
        await visit.heading("Events").waitFor();
      }),
    );

    it("is asked for before another screen is shown", () =>
      browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
        await begin(visit);
        await visit.page.evaluate("location.hash = '#/events'");
        await question(visit).waitFor();
        await visit.button("Stay here").click();
        expect(new URL(visit.page.url()).hash).toBe(ALARMS);
        expect(await visit.field("Name").inputValue()).toBe("Half typed");
        await visit.page.evaluate("location.hash = '#/events'");
        await visit.button("Leave without saving").click();
        await visit.heading("Events").waitFor();
      }));

    it("is still there after a login where the session ends in between, and is saved then", () =>
      browser.visit(
        recorder.origin,
        { isNobody: true, address: ALARMS, allow: [/status of 401/] },
        async (visit) => {
          await begin(visit);
          await visit.field("To").fill("owner@example.org");
          await visit.field("From").fill("nvr@example.org");
          await visit.field("Mail server").fill("mail.example");
          await visit.page.evaluate("fetch('/api/session', { method: 'DELETE' })");
          await visit.button("Save").click();
          const login = visit.page.getByRole("dialog", { name: "Log in to the recorder" });
          await login.waitFor();
          await visit.shot("login-again");
          expect(await visit.violations()).toEqual([]);
          await visit.press("Escape", "Escape");
          await login.getByLabel("Name", { exact: true }).fill("root");
          await login.getByLabel("Password", { exact: true }).fill(recorder.password);
          await login.getByRole("button", { name: "Log in" }).click();
          await login.waitFor({ state: "detached" });
          expect(await form(visit).getByLabel("Name", { exact: true }).inputValue()).toBe("Half typed");
          await visit.button("Save").click();
          await visit.page.getByText("Half typed is saved. Send it a test.").waitFor();
        },
      ));

    it("has what the recorder refuses at its field, until that is changed", () =>
      browser.goOn(recorder.origin, { address: ALARMS, allow: [/status of 400/] }, async (visit) => {
        await begin(visit);
        await visit.field("To").fill("no address");
        await visit.field("From").fill("nvr@example.org");
        await visit.field("Mail server").fill("mail.example");
        await visit.button("Save").click();
        const to = visit.field("To").and(visit.page.locator(":focus"));
        await to.waitFor();
        expect(await to.getAttribute("aria-invalid")).toBe("true");
        await visit.page.locator(".field-fault", { hasText: "a mail address" }).waitFor();
        expect(await visit.violations()).toEqual([]);
        await visit.shot("field-fault");
        await visit.field("To").fill("owner@example.org");
        expect(await visit.page.locator(".field-fault").count()).toBe(0);
      }));

    it("goes to the right field where the address of a stream is typed as that of a camera", () =>
      browser.goOn(recorder.origin, { address: "#/settings?part=cameras&add=" }, async (visit) => {
        await visit.logIn();
        await visit.page.getByText("Add by address", { exact: true }).click();
        await visit.field("Address").first().fill("rtsp://ada:pa%20ss@192.0.2.7:8554/cam/1");
        await visit.button("Look there").click();
        await expect
          .poll(() => visit.field("Address of the stream").inputValue())
          .toBe("rtsp://192.0.2.7:8554/cam/1");
        const filled = visit.page.locator("details[open]", {
          has: visit.page.getByText("Add by the address of the stream (RTSP)"),
        });
        expect(await filled.getByLabel("Login of the cameras", { exact: true }).inputValue()).toBe("ada");
        expect(await filled.getByLabel("Password of the cameras", { exact: true }).inputValue()).toBe(
          "pa ss",
        );
      }));

    it("is asked for where buttons alone have changed it", () =>
      browser.goOn(recorder.origin, { address: "#/settings?part=scenarios" }, async (visit) => {
        await visit.logIn();
        await visit.button("Add a scenario").click();
        await visit.button("Add an action").click();
        await visit.button("Cancel").click();
        await question(visit).waitFor();
        await visit.button("Leave without saving").click();
      }));

    it("is asked for before a camera's stream is left, and not once the camera is added", () =>
      browser.visit(recorder.origin, { address: "#/settings?part=cameras&add=" }, async (visit) => {
        await visit.logIn();
        await visit.page.getByText("Add by the address of the stream (RTSP)", { exact: true }).click();
        await visit.field("Address of the stream").fill("rtsp://127.0.0.1:9/cam/1");
        await visit.page.evaluate("location.hash = '#/events'");
        await question(visit).waitFor();
        await visit.button("Stay here").click();
        await visit.button("Add the camera").click();
        await visit.page.waitForURL(/camera=[0-9a-f-]{36}/);
        expect(await question(visit).count()).toBe(0);
      }));

    it("is not needed for the box's network, which says who sets it where no keeper is installed", () =>
      browser.goOn(recorder.origin, { address: "#/settings?part=network" }, async (visit) => {
        await visit.logIn();
        await visit.page.getByText(/^This machine sets its network itself;/).waitFor();
        expect(await visit.page.getByText(/keeper/).count()).toBe(0);
      }));
  },
);
