import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AcmeServer } from "../../support/acme/acme-server.js";
import { loopbackReach } from "../../support/acme/loopback-reach.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import type { PageVisit } from "../../support/page/page-visit.js";

const MAINTENANCE = "#/settings?part=maintenance";
const browser = new PageBrowser();
let api: ApiHarness;
let server: AcmeServer;

beforeAll(async () => {
  api = await startApi({
    settings: { httpsPort: "any", page: { folder: `${REPOSITORY_ROOT}/build/page` } },
    nameReach: loopbackReach(() => api.port),
  });
  server = await AcmeServer.start({ httpPort: () => api.port, terms: "https://authority.example/terms" });
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
  await server?.stop();
});

beforeEach(async () => {
  await fetch(api.url(`/api/system/certificate/acme?${ROOT_QUERY}`), { method: "DELETE" });
});

async function open(visit: PageVisit, button: string): Promise<void> {
  await visit.logIn("root", "secret");
  await visit.button(button).click();
  await visit.page.getByRole("dialog").waitFor();
}

/** The authority of this test, as one of the owner's own. */
async function name(visit: PageVisit, labels: { more: string; url: string; trust: string }): Promise<void> {
  await visit.page.getByText(labels.more, { exact: true }).click();
  await visit.field(labels.url).fill(server.directoryUrl);
  await visit.field(labels.trust).fill(server.trust);
}

describe.skipIf(noBrowser !== undefined)(
  `a certificate from an authority on the page${notHere(noBrowser)}`,
  () => {
    it("is tried, agreed to, obtained, changed and switched off", () =>
      browser.visit(api.url(""), { address: MAINTENANCE, allow: [/409/] }, async (visit) => {
        const { page } = visit;
        await open(visit, "Set up");
        await visit.field("Names of this recorder").fill("nvr.example.org, name.unknown");
        await name(visit, {
          more: "Another authority",
          url: "Address of the authority",
          trust: "Certificates that its server is trusted by (PEM)",
        });
        await visit.button("Try it").click();
        await page.getByText("name.unknown: The name has no address").waitFor();
        await page.getByText("nvr.example.org: fine").waitFor();
        expect(await page.getByRole("link", { name: "Terms of the authority" }).getAttribute("href")).toBe(
          "https://authority.example/terms",
        );
        await visit.shot("acme-tried");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        await visit.field("Names of this recorder").fill("nvr.example.org");
        await visit.button("Save").click();
        await page.getByText("The authority gives certificates only to who agrees to its terms.").waitFor();
        await page.getByLabel("I agree to the authority's terms").check();
        await visit.button("Save").click();
        await page.getByText(/^For nvr\.example\.org\. It is renewed by itself: /).waitFor();
        await page.getByText("Test authority").waitFor();
        await expect.poll(() => page.getByText("Use another certificate").count()).toBe(0);
        await visit.shot("acme-obtained");
        expect(await visit.violations()).toEqual([]);

        await visit.button("Change").click();
        await visit.field("Names of this recorder").fill("recorder.local");
        await page.getByLabel("I agree to the authority's terms").check();
        await visit.button("Save").click();
        await page.getByText("recorder.local: the authority gives no certificate for this name").waitFor();
        await page.getByText(/Use a name that you own/).waitFor();
        await visit.shot("acme-failed");
        expect(await visit.violations()).toEqual([]);
        const before = server.count("new-order");
        await visit.button("Try again now").click();
        await expect.poll(() => server.count("new-order")).toBe(before + 1);

        await visit.button("Switch off").click();
        await visit.button("Really? The former certificate is used again").click();
        await page.getByText("An authority such as Let's Encrypt", { exact: false }).waitFor();
        await page.getByText("Use another certificate").waitFor();
      }));

    it("is set up in Russian on a phone", () =>
      browser.visit(api.url(""), { address: MAINTENANCE, size: "phone", language: "ru" }, async (visit) => {
        await open(visit, "Настроить");
        await visit.field("Имена этого регистратора").fill("nvr.example.org, name.unknown");
        await name(visit, {
          more: "Другой центр сертификации",
          url: "Адрес центра сертификации",
          trust: "Сертификаты, по которым доверять его серверу (PEM)",
        });
        await visit.button("Проверить").click();
        await visit.page.getByText("name.unknown: У имени нет адреса").waitFor();
        await visit.page.getByText("nvr.example.org: в порядке").waitFor();
        await visit.shot("acme-phone-ru");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      }));

    it("is set up by keys alone", () =>
      browser.visit(api.url(""), { address: MAINTENANCE }, async (visit) => {
        await visit.logIn("root", "secret");
        await visit.button("Set up").waitFor();
        await visit.tabTo("button", "Set up");
        await visit.press("Enter");
        await visit.page.getByRole("dialog").waitFor();
        // The first field has the focus.
        await visit.page.keyboard.type("nvr.example.org");
        await visit.tabTo("button", "Try it");
        await visit.press("Enter");
        await visit.page.getByText("Time: fine").waitFor();
        await visit.press("Escape");
        await visit.tabTo("button", "Leave without saving");
        await visit.press("Enter");
        await expect.poll(() => visit.page.getByRole("dialog").count()).toBe(0);
        expect(server.accounts.size).toBeLessThanOrEqual(1);
      }));
  },
);
