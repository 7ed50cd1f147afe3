import { describe, expect, it } from "vitest";
import { PushBrowser } from "../support/alarm/push-receiver.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser } from "../support/page/page-browser.js";
import { pageForAllTests } from "../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";

const LIST = "/api/push/subscriptions";
const { browser, recorder } = pageForAllTests({ cameras: ["Gate"] });

/**
 * Chromium without a window allows no messages, and without its maker's service has no address for them: the test gives it
 * both. The worker that it registers is the real one.
 */
async function givePushService({ page }: PageVisit): Promise<void> {
  const endpoint = "https://127.0.0.1:9/push";
  const { P256dh: p256dh, Auth: auth } = new PushBrowser().keys;
  const given = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  await page.evaluate(
    `PushManager.prototype.getSubscription = async () => null;
     PushManager.prototype.subscribe = async () => ({ toJSON: () => (${given}) });
     Object.defineProperty(Notification, "permission", { value: "default" });
     Notification.requestPermission = async () => "granted";`,
  );
}

async function openAccount(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.screen(/Account|Учётная запись/);
  await visit.heading(/^(Messages|Сообщения)$/).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`messages to browsers${notHere(noBrowser)}`, () => {
  it("are chosen, tried, changed and removed, and say when the recorder has no way out", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await givePushService(visit);
      await openAccount(visit);
      await visit.button("Add this browser").click();
      await visit.field("Name of this browser").fill("Desk");
      await visit.field("Of all cameras").uncheck();
      await visit.field("Gate").check();
      await visit.field("Hours").selectOption({ label: "Not at certain hours of each day" });
      expect(await visit.violations()).toEqual([]);
      await visit.shot("messages-form");
      await visit.button("Save").click();
      await visit.page
        .getByText(/The recorder did not reach 127\.0\.0\.1:9\. It needs a way to the internet/)
        .waitFor();
      const worker = "navigator.serviceWorker.ready.then(({ active, scope }) => [active.scriptURL, scope])";
      expect(await visit.page.evaluate(worker)).toEqual([
        `${recorder.origin}/worker.js`,
        `${recorder.origin}/`,
      ]);
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

  it("need a page that the browser trusts, and it says what to do", () =>
    browser.visit(recorder.origin, { isNobody: true }, async (visit) => {
      await visit.page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })");
      await openAccount(visit);
      await visit.page.getByText(/^Browsers allow messages over HTTPS only/).waitFor();
      await visit.page.getByRole("link", { name: "To the certificate" }).waitFor();
    }));

  it.each([...LOOKS, { size: "phone", viewport: { width: 360, height: 740 } } as const])(
    "look right at $size size, $theme, $language",
    (options) =>
      browser.visit(recorder.origin, { ...options, isNobody: true }, async (visit) => {
        const subscription = {
          Name: "Telephone",
          Endpoint: "https://push.example/",
          Keys: new PushBrowser().keys,
        };
        await recorder.service.json(LIST, { method: "POST", body: subscription });
        await givePushService(visit);
        await openAccount(visit);
        const row = visit.button(/^(Change Telephone|Изменить: Telephone)$/);
        await row.scrollIntoViewIfNeeded();
        await visit.shot(options.size === "phone" && "viewport" in options ? "messages-narrow" : "messages");
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
        start_url: "./",
        name: expect.any(String),
      });
      const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
      expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    }));
});
