import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PartnersControl, ReserveStates } from "../../../src/owner/index.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { PARTNER, SINCE_US } from "../../support/fleet/partner-sample.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

const FLEET = "#/settings?part=fleet";
const CODE = "nvrd-box://192.0.2.9:7444/0wYk1n2o3p4q5r6s7t8u9v0wYk1n2o3p4q5r6s7t8u9/0wYk1n2o3p4q5r6s7t8u9v";
const GATE = "0d9c0000-0000-4000-8000-0000000000a1";

/** A recorder that becomes the partner of whoever asks. */
class MemoryPartners implements PartnersControl {
  readonly servers = [];
  readonly problem = undefined;
  list: ReturnType<PartnersControl["states"]> = [];

  states(): ReturnType<PartnersControl["states"]> {
    return this.list;
  }

  async makeCode() {
    return { code: CODE, untilUs: SINCE_US };
  }

  async join() {
    this.list = [PARTNER];
    return PARTNER;
  }

  async leave() {
    this.list = [];
    return PARTNER;
  }
}

const browser = new PageBrowser();
const partners = new MemoryPartners();
const states: { -readonly [P in keyof ReserveStates]: ReserveStates[P] } = {
  owners: () => [],
  reserves: () => [],
  forecast: undefined,
};
let api: ApiHarness;

beforeAll(async () => {
  const folder = join(REPOSITORY_ROOT, "build", "page");
  const reserve = { owners: () => states.owners(), reserves: () => states.reserves(), forecast: undefined };
  api = await startApi({ partners, reserve, settings: { page: { folder } } });
});

beforeEach(() => {
  partners.list = [];
  states.owners = () => [];
  states.reserves = () => [];
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

const WORDS = {
  en: { title: "Partners", make: "Make a code" },
  ru: { title: "Партнёры", make: "Создать код" },
} as const;

describe.skipIf(noBrowser !== undefined)(`partners on the page${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody to use at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: FLEET }, async (visit) => {
      const words = WORDS[look.language];
      await visit.logIn("root", "secret");
      await visit.page.getByRole("heading", { name: words.title, exact: true }).waitFor();
      await visit.button(words.make).click();
      await visit.page.getByText(CODE).waitFor();
      await visit.shot("partners");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("come by a code that is pasted, are listed, and go again", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText("This recorder has no partner.").waitFor();
      await visit.page.getByLabel("Code of another recorder").fill(CODE);
      await visit.button("Become partners").click();
      await visit.page.locator("strong", { hasText: "Gatehouse" }).waitFor();
      await visit.page.getByText(/^It is there since /).waitFor();

      await visit.button("End the partnership").click();
      await visit.button(/^Really end it\?/).click();
      await visit.page.getByText("This recorder has no partner.").waitFor();
      expect(partners.list).toEqual([]);
    }));

  it("are chosen to stand in for a camera", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      partners.list = [PARTNER];
      const [camera] = api.site.current.cameras;
      await visit.logIn("root", "secret");
      const card = visit.page.getByRole("article", { name: "Who stands in for cameras" });
      await card.getByLabel(camera?.name ?? "", { exact: true }).selectOption("Gatehouse");
      await visit.page.getByText(`${camera?.name} is saved.`).waitFor();

      const [changed] = api.site.current.cameras;
      expect(changed?.kept?.servers?.reservedServerId).toBe(PARTNER.id);
    }));

  it("say what they do for each other, and why one is silent", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      partners.list = [{ ...PARTNER, isConnected: false, problem: "unreachable" }];
      const cameras = [GATE];
      states.owners = () => [{ ownerId: PARTNER.id, cameras, recorded: cameras, sinceUs: SINCE_US }];
      states.reserves = () => [{ reserveId: PARTNER.id, cameras, isKept: false, problem: "it is full" }];
      await visit.logIn("root", "secret");
      await visit.page.getByText(/^It is not heard since .*: nothing answers there/).waitFor();
      await visit.page.getByText(/^Cameras of it that are recorded here since .*: 1\.$/).waitFor();
      await visit.page.getByText("It does not stand in for this recorder's cameras: it is full").waitFor();
    }));
});
