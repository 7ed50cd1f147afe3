import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const AWAY = "#/settings?part=away";
/** What the browser itself notes of a target that is refused. */
const REFUSED = [/400 \(Bad Request\).*\/configure\/away$/];
const WAIT_MS = 120_000;
/** Public, of a pair that nobody uses. */
const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
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
    recorder = await PageService.start({ cameras: ["Gate", "Yard"], settings: { segmentSeconds: 5 } });
  });

  afterAll(async () => {
    await browser.close();
    await recorder?.stop();
    store?.stop();
  });

  afterEach(async () => {
    for (const { Id } of await targets())
      await recorder.service.json(`/configure/away/${Id}`, { method: "DELETE" });
  });

  it("is not kept with wrong keys, and says why; with the right ones it is sent to", () =>
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
    }));

  it("is changed without its secret, switched off and removed, in Russian on a phone", () =>
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
        await visit.page.getByText(/^Не больше кбит\/с: нужно целое число от /).waitFor();
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
    ));

  it("has the way there, plans of cameras, limits by the hour, keeping and encryption", () =>
    browser.visit(recorder.origin, { address: AWAY }, async (visit) => {
      await add({ Name: "Full", Prefix: "full/", IsEnabled: false });
      const { page } = visit;
      await openAway(visit);
      await visit.button("Change Full").click();
      const open = (name: string) => page.locator("summary", { hasText: name }).click();
      await open("The way there");
      await visit.field("Where the bucket's name stands").selectOption("In the host's name");
      const pem = { name: "ca.pem", mimeType: "application/x-pem-file", buffer: Buffer.from(PEM) };
      await page.getByLabel("Authority of its certificate").setInputFiles(pem);
      await visit.field("Proxy").fill("http://proxy.example:3128");
      await visit.field("Login at the proxy").fill("box");
      await page.getByLabel("Password at the proxy", { exact: true }).fill("a-password");
      // Another authority, or a proxy, may be somebody else's: the key is entered again.
      await page.getByLabel("Secret key", { exact: true }).fill("a-secret-of-mine");
      await visit.field("What is sent").selectOption("Events and what is protected");
      await visit.field("Seconds before an event").fill("15");
      await open("Cameras with another plan");
      await visit.button("Add a plan").click();
      const plan = page.getByRole("group", { name: "Plan 1" });
      await plan.getByLabel("Gate").check();
      await plan.getByLabel("Yard").check();
      await plan.getByLabel("What is sent").selectOption("Everything");
      await plan.getByLabel("Stream").selectOption("Alternative");
      await plan.getByLabel("From").selectOption("The oldest recording on");
      await open("Other limits by the hour");
      await visit.button("Add a limit").click();
      await page.getByRole("group", { name: "Limit 1" }).getByLabel("At most kbit/s").fill("250");
      await page.getByRole("gridcell", { name: "Monday 08:00 to 08:30" }).focus();
      await visit.press("Space", "Shift+ArrowRight");
      await open("How long it stays");
      await visit.field("Days kept there").fill("365");
      await visit.field("Who removes what is older").selectOption("Rules of the bucket");
      await visit.field("Lock what is protected").selectOption("Yes, it can be lifted");
      await visit.field("Days it is locked").fill("30");
      await visit.field("Legal hold of what is protected, too").check();
      await visit.field("Read back each day, %").fill("0.5");
      await open("Encryption");
      await visit.field("Public keys (age)").fill(RECIPIENT);
      expect(await visit.violations()).toEqual([]);
      await visit.shot("away all");
      await visit.button("Save").click();
      await page.getByText("Full is saved.").waitFor();
      expect(await named("Full")).toMatchObject({
        ...{ Style: "Host", Proxy: "http://proxy.example:3128", ProxyLogin: "box" },
        ...{ Content: "Events", SecondsBefore: 15, SecondsAfter: 60, From: "Now" },
        Cameras: recorder.ids.map((ChannelId) => ({
          ...{ ChannelId, Content: "Everything", Stream: "Alternative", From: "Oldest" },
          ...{ SecondsBefore: 15, SecondsAfter: 60 },
        })),
        Hours: [{ Day: "Monday", FromMinute: 480, ToMinute: 540, KilobitsPerSecondMax: 250 }],
        ...{ KeepDays: 365, AgeBy: "Bucket", LockMode: "Governance", LockDays: 30, LegalHold: true },
        ...{ AuditPercentPerDay: 0.5, Recipients: [RECIPIENT] },
      });
      expect((await named("Full"))?.Authority).toBe(PEM);
      // What was not touched the second time stays.
      const before = await named("Full");
      await visit.button("Change Full").click();
      await visit.button("Save").click();
      await page.getByText("Full is saved.").waitFor();
      expect(await named("Full")).toEqual(before);
    }));

  it("shows what the bucket has, and sets the rules that the recorder proposes", () =>
    browser.visit(recorder.origin, { address: AWAY, allow: REFUSED }, async (visit) => {
      const { page } = visit;
      store.rules = "<Rule><ID>of-somebody</ID><Status>Enabled</Status></Rule>";
      await add({ Name: "Attic", Prefix: "attic/", KeepDays: 90, AgeBy: "Bucket" });
      await openAway(visit);
      await visit.button("What the bucket has: Attic").click();
      await page.getByText("Object lock: no. Only a new bucket can have it.").waitFor();
      await page.getByText("of-somebody", { exact: true }).waitFor();
      const proposed = page.getByRole("listitem").filter({ hasText: /removed|gone for good/ });
      await expect
        .poll(() => proposed.allInnerTexts())
        .toEqual([
          "Uploads that were not finished are removed after 7 days. not set",
          "Recordings are removed after 90 days, protected ones excepted. not set",
        ]);
      await visit.button("Set these rules").click();
      await expect.poll(() => proposed.filter({ hasText: "not set" }).count()).toBe(0);
      expect(await proposed.filter({ hasText: "set" }).count()).toBe(2);
      expect(store.rules).toMatch(/of-somebody.*nvrd:attic\/:uploads.*nvrd:attic\/:age/s);
      expect(await visit.violations()).toEqual([]);
      await visit.shot("away bucket");
    }));

  it("says what it will cost as it goes on", () =>
    browser.visit(recorder.origin, { address: AWAY }, async (visit) => {
      await add({ Name: "Store", Prefix: "store/", KeepDays: 60 });
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      // As the recorder answers tomorrow.
      await visit.page.route("**/api/away", async (route) => {
        const answer = await route.fetch();
        const [state] = (await answer.json()) as object[];
        const sent = { SentBytes: 100e9, SentDays: [{ Day: yesterday, Bytes: 10e9 }] };
        await route.fulfill({ response: answer, json: [{ ...state, ...sent }] });
      });
      await openAway(visit);
      await visit.field("Price for a GB and month").fill("0,01");
      const said =
        "In the last 1 day 10 GB a day went. If it goes on like that it costs at most 4 a month in 30 days, and 6 in a year.";
      await visit.page.getByText(said).waitFor();
    }));

  it("says why the bucket cannot be asked", () =>
    browser.visit(recorder.origin, { address: AWAY, allow: [/503.*\/api\/away\/buckets/] }, async (visit) => {
      await add({ Name: "Lost", Prefix: "lost/", IsEnabled: false, AccessKeyId: "AKIDWRONG" });
      await openAway(visit);
      await visit.button("What the bucket has: Lost").click();
      await visit
        .alert()
        .getByText(/the bucket of Lost cannot be asked/)
        .waitFor();
    }));

  it("keeps a target that was switched off so", () =>
    browser.visit(recorder.origin, { address: AWAY, allow: [/ERR_CONNECTION_REFUSED/] }, async (visit) => {
      await add({ Name: "Shed", Prefix: "shed/" });
      await openAway(visit);
      await visit.button("Change Shed").click();
      await visit.field("Is used").uncheck();
      await visit.button("Save").click();
      await visit.page.getByText("Shed is saved.").waitFor();
      expect(await named("Shed")).toMatchObject({ IsEnabled: false });
      await recorder.down();
      await recorder.up();
      await visit.page.reload();
      const card = visit.page.getByRole("article").filter({ hasText: "Shed" });
      await card.getByText("Switched off.").waitFor({ timeout: WAIT_MS });
      const states = (await recorder.service.json("/api/away")) as { readonly Name: string }[];
      expect(states.map(({ Name }) => Name)).not.toContain("Shed");
    }));

  it("has all its settings on a phone, in Russian", () =>
    browser.visit(
      recorder.origin,
      { address: AWAY, language: "ru", size: "phone", theme: "dark" },
      async (visit) => {
        const { page } = visit;
        await openAway(visit);
        await visit.button("Добавить хранилище").click();
        for (const part of await page.locator("summary").all()) await part.click();
        await visit.button("Добавить план").click();
        await visit.button("Добавить ограничение").click();
        await page.getByRole("grid", { name: "Часы с этим ограничением" }).waitFor();
        expect(await visit.violations()).toEqual([]);
        expect(await visit.isTooWide()).toBe(false);
        expect(
          await page.evaluate(
            "(([dialog]) => dialog.scrollWidth > dialog.clientWidth)(document.querySelectorAll('dialog'))",
          ),
        ).toBe(false);
        await visit.shot("away phone");
      },
    ));
});

const named = async (name: string) => (await targets()).find(({ Name }) => Name === name);

/** By the API, as the page does it. */
async function add(change: object): Promise<void> {
  const body = {
    ...{ Endpoint: place(), Bucket: "nvrd", AccessKeyId: "AKIDRIGHT", SecretAccessKey: "a-secret-of-mine" },
    ...change,
  };
  await recorder.service.json("/configure/away", { method: "POST", body: [body] });
}
