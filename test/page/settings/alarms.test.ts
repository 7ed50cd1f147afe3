import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MessageService, RECEIVERS, TOKENS } from "../../support/alarm/message-services.js";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const ALARMS = "#/settings?part=alarms";
const browser = new PageBrowser();
const received: { readonly IsTest: boolean; readonly Target: string }[] = [];
let recorder: PageService;
let receiver: Server;
let hook: string;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      received.push(JSON.parse(body));
      response.writeHead(request.url === "/refuse" ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  recorder = await PageService.start({ cameras: ["Gate", "Yard"] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  receiver.close();
});

async function openAlarms(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/^(Alarms|Оповещения)$/).waitFor();
}

async function addTarget(target: object): Promise<void> {
  await recorder.service.json("/configure/alarms", { method: "POST", body: [target] });
}

/** The configuration as it is kept. */
async function kept(name: string): Promise<Record<string, unknown> | undefined> {
  const targets = (await recorder.service.json("/configure/alarms")) as Record<string, unknown>[];
  return targets.find(({ Name }) => Name === name);
}

describe.skipIf(noBrowser !== undefined)(`the alarms of the recorder${notHere(noBrowser)}`, () => {
  it("go to a web address that gets a test, and the outcome stays", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      await openAlarms(visit);
      await visit.page.getByText("Nobody gets messages yet.").waitFor();
      await visit.button("Add a receiver").click();
      await visit.field("Name").fill("Chat");
      await visit.field("How").selectOption("Webhook");
      await visit.field("Address").fill(`${hook}/take`);
      await visit.field("Hours").selectOption({ label: "Not at certain hours of each day" });
      await visit.field("Quiet from").fill("21:30");
      await visit.field("Events").selectOption("ErrorsAndAlarms");
      expect(await visit.violations()).toEqual([]);
      await visit.shot("alarm-form");
      await visit.button("Save").click();
      await visit.page.getByText("Quiet from 21:30 to 06:00").waitFor();
      await visit.page.getByText("Nothing was sent yet.").waitFor();
      await visit.button("Send a test: Chat").click();
      await visit.page.getByText(/^Last test: .* It was accepted\.$/).waitFor();
      expect(received.at(-1)).toMatchObject({ IsTest: true, Target: "Chat" });
      await visit.page.reload();
      await visit.page.getByText(/^Last test: .* It was accepted\.$/).waitFor();
    }));

  it("go to a phone over a service, of which an owner fills in three fields", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      const ntfy = await MessageService.start("Ntfy");
      try {
        await openAlarms(visit);
        await visit.button("Add a receiver").click();
        await visit.field("Name").fill("Phone");
        await visit.field("How").selectOption({ label: "ntfy" });
        expect(await visit.field("Server").inputValue()).toBe("https://ntfy.sh");
        await visit.field("Server").fill(ntfy.base);
        await visit.field(/^Access token/).fill(TOKENS.Ntfy);
        await visit.field("Topic").fill(RECEIVERS.Ntfy);
        expect(await visit.field("Address of this page for the link").inputValue()).toBe(
          `${recorder.origin}/`,
        );
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        await visit.shot("alarm-service");
        await visit.button("Save").click();
        await visit.page.getByText(`ntfy: ${RECEIVERS.Ntfy}`).waitFor();
        await visit.button("Send a test: Phone").click();
        await visit.page.getByText("The test to Phone was accepted. Look whether it has arrived.").waitFor();
        const link = `${recorder.origin}/#/events`;
        expect(ntfy.arrived).toMatchObject([{ to: RECEIVERS.Ntfy, link }]);
        const Webhook = { Form: "Ntfy", To: RECEIVERS.Ntfy, Secret: null, HasPicture: true };
        expect(await kept("Phone")).toMatchObject({ Kind: "Webhook", Webhook });
      } finally {
        ntfy.stop();
      }
    }));

  it("are sent in the hours of a week that is painted, by keys too", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      await addTarget({ Name: "Guards", Kind: "Webhook", Webhook: { Url: `${hook}/take` } });
      await openAlarms(visit);
      await visit.button("Change Guards").click();
      await visit.field("Events").selectOption("ErrorsAndAlarms");
      await visit.field("Hours").selectOption({ label: "In painted hours of the week" });
      await visit.button("Nothing").click();
      const cell = (name: string) => visit.page.getByRole("gridcell", { name });
      await cell("Monday 18:00 to 18:30").hover();
      await visit.page.mouse.down();
      await cell("Monday 23:30 to 24:00").hover();
      await visit.page.mouse.up();
      await cell("Sunday 00:00 to 00:30").focus();
      await visit.press("Space", "Shift+ArrowRight");
      await visit.field("What happens at other hours").selectOption({ label: "is not sent" });
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.shot("alarm-week");
      await visit.button("Save").click();
      await visit.page
        .getByText("Errors and alarms. In painted hours of the week. Errors are sent all the same.")
        .waitFor();
      const Week = {
        Monday: [{ From: "18:00", To: "24:00" }],
        Sunday: [{ From: "00:00", To: "01:00" }],
      };
      expect(await kept("Guards")).toMatchObject({
        SendingHours: { IsOn: true, Week, Otherwise: "Never", ErrorsAnyway: true },
        QuietHours: { IsOn: false },
      });
    }));

  it("of errors alone are not reported at quiet hours either", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      await addTarget({ Name: "Sleeper", Kind: "Webhook", Webhook: { Url: `${hook}/take` } });
      await openAlarms(visit);
      await visit.button("Change Sleeper").click();
      await visit.field("Hours").selectOption({ label: "Not at certain hours of each day" });
      expect(await visit.field("Errors are sent all the same").count()).toBe(0);
      await visit.button("Save").click();
      await visit.page.getByText("Errors only. Quiet from 22:00 to 06:00.").waitFor();
      expect(await kept("Sleeper")).toMatchObject({ QuietHours: { IsOn: true, ErrorsAnyway: false } });
    }));

  it("that are refused say it with the names of the form's fields", () =>
    browser.goOn(recorder.origin, { address: ALARMS, allow: [/status of 4\d\d/] }, async (visit) => {
      await openAlarms(visit);
      await visit.button("Add a receiver").click();
      await visit.field("Name").fill("Nobody");
      await visit.field("To").fill("no address");
      await visit.field("From").fill("nvr@example.org");
      await visit.field("Mail server").fill("mail.example");
      await visit.button("Save").click();
      await expect.poll(() => visit.alert().textContent()).toBe("To: a mail address");
      await visit.field("To").fill("owner@example.org");
      await visit.field("Hours").selectOption({ label: "In painted hours of the week" });
      await visit.button("Nothing").click();
      await visit.button("Save").click();
      await expect.poll(() => visit.alert().textContent()).toBe("Hours: has no hours: switch it off instead");
    }));

  it("that do not arrive say why, and never more of a web address than its host", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      await addTarget({ Name: "Refusing", Kind: "Webhook", Webhook: { Url: `${hook}/refuse` } });
      await openAlarms(visit);
      await visit.button("Send a test: Refusing").click();
      await visit.page.getByText(/^Last test: .* It did not arrive: .* answered 500/).waitFor();
      expect(await visit.page.getByText("/refuse").count()).toBe(0);
    }));

  it("go by mail with what was typed, and keep the password that is not typed again, by keys alone", () =>
    browser.visit(recorder.origin, { address: ALARMS }, async (visit) => {
      await openAlarms(visit);
      await visit.tabTo("button", "Add a receiver");
      await visit.press("Enter");
      // Keys that are pressed before the form is there go to the button.
      await visit.field("Name").and(visit.page.locator(":focus")).waitFor();
      await visit.page.keyboard.type("Owner");
      for (const [field, text] of [
        ["To", "ada@example.org, ben@example.org"],
        ["From", "nvr@example.org"],
        ["Mail server", "smtp.example.org"],
        ["Login", "nvr"],
        ["Password", "a secret of mine"],
      ] as const) {
        await visit.tabTo("textbox", new RegExp(`^${field}$`));
        await visit.page.keyboard.type(text);
      }
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText("Mail: ada@example.org, ben@example.org").waitFor();
      const mail = {
        Host: "smtp.example.org",
        Port: 587,
        Security: "StartTls",
        Login: "nvr",
        Password: null,
      };
      await expect
        .poll(() => kept("Owner"))
        .toMatchObject({ Mail: mail, Events: "Errors", AllChannels: true });
    }));

  it("report chosen events and cameras alone", () =>
    browser.goOn(recorder.origin, { address: ALARMS }, async (visit) => {
      await addTarget({ Name: "Log", Kind: "Syslog", Syslog: { Host: "127.0.0.1", Port: 9 } });
      await openAlarms(visit);
      await visit.button("Change Log").click();
      await visit.field("Events").selectOption("Chosen");
      await visit.field("Connection to camera lost").check();
      await visit.field("Of all cameras").uncheck();
      await visit.field("Yard").check();
      await visit.button("Save").click();
      await visit.page.getByText("Log is saved. Send it a test.").waitFor();
      const log = await kept("Log");
      expect(log).toMatchObject({ Events: "Chosen", AllChannels: false, ChannelIds: [recorder.ids[1]] });
      expect(log?.EventTypeIds).toHaveLength(1);
    }));

  it("that cannot be are refused, and the form says why; the second press removes", () =>
    browser.visit(
      recorder.origin,
      { isNobody: true, address: ALARMS, allow: [/status of 400/] },
      async (visit) => {
        await addTarget({ Name: "Gone", Kind: "Webhook", Webhook: { Url: hook } });
        await openAlarms(visit);
        await visit.button("Change Gone").click();
        await visit.field("Address").fill("not an address");
        await visit.button("Save").click();
        await expect.poll(() => visit.alert().textContent()).toBe("Address: an http:// or https:// URL");
        await visit.button("Remove the receiver").click();
        await visit.button("Remove Gone for good").click();
        await visit.page.getByText("Gone is removed.").waitFor();
        expect(await kept("Gone")).toBeUndefined();
      },
    ));

  it.each(LOOKS)("look right at $size size, $theme, $language", (options) =>
    browser.goOn(recorder.origin, { ...options, address: ALARMS }, async (visit) => {
      await openAlarms(visit);
      await visit.button(/^(Send a test|Проверить): Chat$/).waitFor();
      await visit.shot("alarms");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("fit on the narrowest phone", () =>
    browser.visit(
      recorder.origin,
      { size: "phone", viewport: { width: 360, height: 740 }, address: ALARMS },
      async (visit) => {
        await openAlarms(visit);
        await visit.button("Change Chat").click();
        await visit.page.getByRole("dialog", { name: "Change Chat" }).waitFor();
        await visit.page.screenshot({ path: "build/screenshots/alarms-360.png" });
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));
});
