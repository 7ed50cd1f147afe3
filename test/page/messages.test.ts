import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PushBrowser } from "../support/alarm/push-receiver.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";

const LIST = "/api/push/subscriptions";
const browser = new PageBrowser();
let recorder: PageService;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate"] });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** Chromium without its maker's service has no address for messages: the test gives it one. Its worker is the real one. */
async function givePushService(page: Page, endpoint = "https://127.0.0.1:9/push"): Promise<void> {
  const { P256dh: p256dh, Auth: auth } = new PushBrowser().keys;
  const given = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  await page.evaluate(
    `PushManager.prototype.getSubscription = async () => null;
     PushManager.prototype.subscribe = async () => ({ toJSON: () => (${given}) });
     Notification.requestPermission = async () => "granted";`,
  );
}

async function openAccount(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.screen(/Account|Учётная запись/);
  await visit.heading(/^(Messages|Сообщения)$/).waitFor();
}

/** Hands a message to the page's worker as the browser does, and says what it then shows. */
async function pushed(context: BrowserContext, page: Page, message: object): Promise<unknown> {
  const session = await context.newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await found;
  const { origin } = new URL(page.url());
  await session.send("ServiceWorker.deliverPushMessage", {
    origin,
    registrationId,
    data: JSON.stringify(message),
  });
  return await page.evaluate(
    `(async () => {
       const registration = await navigator.serviceWorker.ready;
       for (let tries = 0; tries < 200; tries += 1) {
         const [shown] = await registration.getNotifications();
         if (shown) return { title: shown.title, body: shown.body, data: shown.data, tag: shown.tag, lang: shown.lang };
         await new Promise((resolve) => setTimeout(resolve, 50));
       }
     })()`,
  );
}

describe.skipIf(noBrowser !== undefined)(`messages to browsers${notHere(noBrowser)}`, () => {
  it("are chosen, tried, changed and removed, and say when the recorder has no way out", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await openAccount(visit);
      await givePushService(visit.page);
      await visit.button("Tell this browser").click();
      await visit.field("Name of this browser").fill("Desk");
      await visit.field("Of all cameras").uncheck();
      await visit.field("Gate").check();
      await visit.field("Send nothing at certain hours").check();
      expect(await visit.violations()).toEqual([]);
      await visit.shot("messages-form");
      await visit.button("Save").click();
      await visit.page
        .getByText(/The recorder did not reach 127\.0\.0\.1:9\. It needs a way to the internet/)
        .waitFor();
      const [kept] = await recorder.service.json<Record<string, unknown>[]>(LIST);
      expect(kept).toMatchObject({
        Name: "Desk",
        Language: "en",
        ChannelIds: recorder.ids,
        AllChannels: false,
      });
      await visit.button("Change Desk").click();
      await visit.field("Events").selectOption("ErrorsAndAlarms");
      await visit.button("Save").click();
      await visit.page.getByText(/^Errors and alarms\. Quiet from 22:00 to 06:00/).waitFor();
      await visit.button("Remove Desk").click();
      await visit.button("Remove Desk for good").click();
      await expect.poll(() => recorder.service.json(LIST)).toEqual([]);
    }));

  it("are shown by the page's worker while the page is elsewhere", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      const context = visit.page.context();
      await context.grantPermissions(["notifications"], { origin: recorder.origin });
      await openAccount(visit);
      await givePushService(visit.page);
      await visit.button("Tell this browser").click();
      await visit.button("Save").click();
      await visit.button(/^Send a test: /).waitFor();
      const about = {
        Tag: "1",
        Time: "2026-01-01T00:00:00.000Z",
        Language: "en",
        Url: "/#/events",
        Picture: null,
      };
      expect(await pushed(context, visit.page, { Title: "Motion", Body: "Gate", ...about })).toEqual({
        ...{ title: "Motion", body: "Gate", data: "/#/events", tag: "1", lang: "en" },
      });
      for (const { Id } of await recorder.service.json<{ Id: string }[]>(LIST))
        await recorder.service.json(`${LIST}/${Id}`, { method: "DELETE" });
    }));

  it("need a page that the browser trusts, and it says what to do", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })");
      await openAccount(visit);
      await visit.page.getByText(/^Browsers allow messages over HTTPS only/).waitFor();
      await visit.page.getByRole("link", { name: "To the certificate" }).waitFor();
    }));

  it.each(LOOKS)("look right at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await openAccount(visit);
      await visit.shot("messages");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("the page can be installed under the recorder's name", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const session = await visit.page.context().newCDPSession(visit.page);
      const { errors, data } = await session.send("Page.getAppManifest");
      expect(errors).toEqual([]);
      expect(JSON.parse(data ?? "{}")).toMatchObject({
        display: "standalone",
        start_url: "/",
        name: expect.any(String),
      });
      const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
      expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    }));
});
