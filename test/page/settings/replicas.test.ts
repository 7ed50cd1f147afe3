import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ReplicaShareState, ReplicasControl } from "../../../src/owner/index.js";
import { cameraOptions } from "../../../src/site/index.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { PARTNER, SINCE_US } from "../../support/fleet/partner-sample.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

const FLEET = "#/settings?part=fleet";
const partners = {
  ...{ servers: [], problem: undefined, states: () => [PARTNER] },
  makeCode: async () => ({ code: "", untilUs: SINCE_US }),
  join: async () => PARTNER,
  leave: async () => PARTNER,
};

/** A recorder that gives whatever share is asked for. */
class MemoryReplicas implements ReplicasControl {
  readonly port = 7445;
  readonly volumeId = undefined;
  readonly problem = undefined;
  given: ReplicaShareState[] = [];

  shares(): readonly ReplicaShareState[] {
    return this.given;
  }

  async give(id: string, bytesMax: number): Promise<void> {
    this.given = [{ id, name: "Gatehouse", bytesMax, usedBytes: 12e9, isPartner: true }];
  }

  async remove(): Promise<void> {
    this.given = [];
  }
}

const browser = new PageBrowser();
const replicas = new MemoryReplicas();
let api: ApiHarness;

beforeAll(async () => {
  const folder = join(REPOSITORY_ROOT, "build", "page");
  api = await startApi({ partners, replicas, settings: { page: { folder } } });
});

beforeEach(() => {
  replicas.given = [];
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

const namedServer = () => {
  const gate = api.site.current.cameras.find(({ name }) => name === "Gate");
  return gate === undefined ? undefined : cameraOptions(gate).servers.replicationServerId;
};

const WORDS = { en: "Recordings at partners", ru: "Записи у партнёров" } as const;

describe.skipIf(noBrowser !== undefined)(`replicas on the page${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody to use at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByRole("heading", { name: WORDS[look.language], exact: true }).waitFor();
      await visit.shot("replicas");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("go to the partner that is chosen for a camera, and to none again", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      const choice = visit.page
        .getByRole("article", { name: "Recordings at partners" })
        .getByLabel("Gate", { exact: true });
      await choice.selectOption("Gatehouse");
      await visit.page.getByText("Saved: Gate.").waitFor();
      expect(namedServer()).toBe(PARTNER.id);
      await choice.selectOption("On this recorder alone");
      await expect.poll(namedServer).toBeNull();
    }));

  it("are no storage of the configuration: what a partner has is shown where partners are", () =>
    browser.visit(api.url(""), { address: "#/settings?part=away" }, async (visit) => {
      api.away.running = [
        {
          ...{ id: PARTNER.id, name: "Gatehouse", isEnabled: true, activity: "idle", sentSegments: 3 },
          ...{ sentBytes: 12e9, monthBytes: 12e9, sentDays: [], lastSentUs: SINCE_US },
          waiting: { segments: 0, bytes: 0, isCounting: false, oldestDay: undefined },
          ...{ problem: undefined, failingUs: undefined },
        },
      ];
      await visit.logIn("root", "secret");
      await visit.page.getByText("Recordings are on this recorder alone.").waitFor();
      expect(await visit.page.getByLabel(/^Price/).count()).toBe(0);
      await visit.page.goto(api.url(FLEET));
      await visit.page.getByText("Gatehouse has 3 pieces, 12 GB.").waitFor();
      api.away.running = [];
    }));

  it("have the share of the disk that a partner is given, until all of it is deleted", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      const field = visit.page.getByLabel("GB for Gatehouse");
      await field.fill("half of it");
      await visit.button("Save").click();
      await visit.page.getByText("Enter whole gigabytes, or 0.").waitFor();
      expect(replicas.given).toEqual([]);
      await field.fill("500");
      await visit.button("Save").click();
      await visit.page.getByText("12 GB used.").waitFor();
      expect(replicas.given).toMatchObject([{ id: PARTNER.id, bytesMax: 500e9 }]);
      await visit.button("Delete all of it").click();
      await visit.button(/^Really delete\?/).click();
      await visit.page.getByText("All of it is deleted.").waitFor();
      expect(replicas.given).toEqual([]);
    }));
});
