import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const AWAY = "#/settings?part=away";
/** What the browser itself notes of a target that is refused. */
const REFUSED = [/400 \(Bad Request\).*\/configure\/away$/];
const WAIT_MS = 120_000;
const browser = new PageBrowser();
let recorder: PageService;
let store: ScriptedStore;

const place = () => `http://127.0.0.1:${store.port}`;

async function openAway(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/^(Off-site storage|Внешнее хранилище)$/).waitFor();
}

async function targets(): Promise<readonly Record<string, unknown>[]> {
  return (await recorder.service.json("/configure/away")) as Record<string, unknown>[];
}

describe.skipIf(noBrowser !== undefined)(`the storage away in the page${notHere(noBrowser)}`, () => {
  beforeAll(async () => {
    store = await new ScriptedStore().start();
    // The store knows one pair of keys.
    store.fault = ({ headers }) =>
      headers.authorization?.includes("Credential=AKIDRIGHT/") === true
        ? undefined
        : { status: 403, code: "SignatureDoesNotMatch" };
    recorder = await PageService.start({ cameras: ["Gate"], settings: { segmentSeconds: 5 } });
  }, WAIT_MS);

  afterAll(async () => {
    await browser.close();
    await recorder?.stop();
    store?.stop();
  });

  it(
    "is not kept with wrong keys, and says why; with the right ones it is sent to",
    { timeout: WAIT_MS },
    () =>
      browser.visit(recorder.origin, { address: AWAY, allow: REFUSED }, async (visit) => {
        await openAway(visit);
        const { page } = visit;
        await page.getByText("Recordings are on this recorder alone.").waitFor();
        await visit.button("Add a storage").click();
        await visit.field("Name").fill("Cellar");
        await visit.field("Address").fill(place());
        await visit.field("Bucket").fill("nvrd");
        await visit.field("Folder, with a slash at the end").fill("gate/");
        await visit.field("Access key").fill("AKIDWRONG");
        await page.getByLabel("Secret key", { exact: true }).fill("a-secret-of-mine");
        await visit.field("From").selectOption("Oldest");
        expect(await visit.violations()).toEqual([]);
        await visit.button("Save").click();
        await page.getByText(/the access key or its secret is wrong/).waitFor();
        expect(await targets()).toEqual([]);
        await visit.field("Access key").fill("AKIDRIGHT");
        await visit.button("Save").click();
        await page.getByText(/^Sent: [1-9]/).waitFor({ timeout: WAIT_MS });
        await page.getByText("All is sent.").waitFor({ timeout: WAIT_MS });
        await visit.button("Try it: Cellar").click();
        await page.getByText("It takes recordings and gives them back.").waitFor();
        await visit.field("Price for a GB and month").fill("1000");
        await page.getByText(/^What was sent costs at most [\d.,]+ a month/).waitFor();
        expect(await visit.violations()).toEqual([]);
        await visit.shot("away");
      }),
  );

  it(
    "is changed without its secret, switched off and removed, in Russian on a phone",
    { timeout: WAIT_MS },
    () =>
      browser.visit(
        recorder.origin,
        { isNobody: true, address: AWAY, allow: REFUSED, language: "ru", size: "phone" },
        async (visit) => {
          const body = {
            ...{ Name: "Phone", Endpoint: place(), Bucket: "nvrd", Prefix: "phone/", IsEnabled: false },
            ...{ AccessKeyId: "AKIDRIGHT", SecretAccessKey: "a-secret-of-mine" },
          };
          await recorder.service.json("/configure/away", { method: "POST", body: [body] });
          const kept = async () => (await targets()).find(({ Name }) => Name === "Phone");
          await openAway(visit);
          await visit.page.getByText("Выключено.").waitFor();
          await visit.button("Изменить: Phone").click();
          expect(await visit.page.getByLabel("Секретный ключ", { exact: true }).inputValue()).toBe("");
          await visit.field("Не больше кбит/с").fill("many");
          await visit.button("Сохранить").click();
          await visit.page.getByText(/KilobitsPerSecondMax/).waitFor();
          await visit.field("Не больше кбит/с").fill("500");
          await visit.field("Используется").check();
          expect(await visit.violations()).toEqual([]);
          expect(await visit.isTooWide()).toBe(false);
          await visit.button("Сохранить").click();
          await expect.poll(kept).toMatchObject({ KilobitsPerSecondMax: 500, IsEnabled: true });
          await visit.page.getByText("Выключено.").waitFor({ state: "detached" });
          expect(await visit.violations()).toEqual([]);
          expect(await visit.isTooWide()).toBe(false);
          await visit.button("Изменить: Phone").click();
          await visit.button("Удалить хранилище").click();
          await visit.button("Удалить Phone насовсем").click();
          await expect.poll(kept).toBeUndefined();
        },
      ),
  );
});
