import { join } from "node:path";
import jsqr from "jsqr";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BoxesControl, HubControl } from "../../../src/owner/index.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { awayTarget } from "../../support/away/away-samples.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { MemoryDocuments } from "../../support/fleet/memory-documents.js";
import { noRollout } from "../../support/fleet/no-rollout.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

/** Of CommonJS. */
const readQr = jsqr.default ?? jsqr;
const FLEET = "#/settings?part=fleet";
const CODE = "nvrd-hub://hub.example:7443/0wYk1n2o3p4q5r6s7t8u9v0wYk1n2o3p4q5r6s7t8u9/0wYk1n2o3p4q5r6s7t8u9v";
const TARGET_ID = "0d9c0000-0000-4000-8000-0000000000a1";
const SINCE_US = Date.UTC(2026, 10, 21, 9) * 1000;
const BOX = {
  ...{
    id: "0d9c0000-0000-4000-8000-00000000000b",
    name: "Warehouse",
    version: "1.2.3",
    health: "2 of 2 cameras record",
  },
  ...{ figures: undefined, addedUs: SINCE_US, seenUs: SINCE_US, silence: undefined, position: undefined },
  isReadOffSite: false,
};

/** A recorder that joins whatever hub it is given. */
class MemoryHub implements HubControl {
  state: HubControl["state"];

  async join(_code: string, limits: Parameters<HubControl["join"]>[1]): Promise<void> {
    this.state = {
      ...{ hub: "hub.example:7443", joinedUs: SINCE_US, sinceUs: SINCE_US, ...limits },
      ...{ isConnected: true, problem: undefined, detail: "", storage: undefined },
      hubs: [{ hub: "hub.example:7443", isConnected: true }],
    };
  }

  async change(limits: Parameters<HubControl["change"]>[0]): Promise<void> {
    if (this.state !== undefined) this.state = { ...this.state, ...limits };
  }

  async handStorage(wish: Parameters<HubControl["handStorage"]>[0]): Promise<void> {
    if (this.state === undefined) return;
    const storage = wish === undefined ? undefined : { ...wish, place: "https://s3.example bucket" };
    this.state = { ...this.state, storage };
  }

  async leave(): Promise<void> {
    this.state = undefined;
  }
}

const browser = new PageBrowser();
const hub = new MemoryHub();
const boxes: Pick<BoxesControl, "makeCode" | "open" | "problem"> & {
  list: ReturnType<BoxesControl["boxes"]>;
} = {
  list: [BOX, { ...BOX, id: "0d9c0000-0000-4000-8000-00000000000c", name: "Yard", silence: "ended" }],
  problem: undefined,
  makeCode: () => ({ code: CODE, untilUs: SINCE_US }),
  open: () => Promise.reject(new Error("nobody asks a recorder here")),
};
let api: ApiHarness;

beforeAll(async () => {
  const control: BoxesControl = {
    ...boxes,
    catalogue: { boxes: [], revision: 0, place: () => undefined },
    rollout: noRollout,
    documents: new MemoryDocuments(),
    boxes: () => boxes.list,
    box: (id) => boxes.list.find((box) => box.id === id),
    place: () => Promise.resolve(false),
    liveHub: () => undefined,
    openLive: () => Promise.reject(new Error("nobody watches a recorder here")),
    remove: async (id) => {
      boxes.list = boxes.list.filter((box) => box.id !== id);
      return true;
    },
  };
  const folder = join(REPOSITORY_ROOT, "build", "page");
  api = await startApi({ hub, boxes: () => control, settings: { page: { folder } } });
  await api.site.change((site) => ({ ...site, awayTargets: [awayTarget({ id: TARGET_ID })] }));
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

const WORDS = {
  en: { title: "Hub", add: "Add a recorder" },
  ru: { title: "Центр", add: "Добавить регистратор" },
} as const;

describe.skipIf(noBrowser !== undefined)(`the hub on the page${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody to use at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: FLEET }, async (visit) => {
      const words = WORDS[look.language];
      await visit.logIn("root", "secret");
      await visit.page.getByRole("heading", { name: words.title, exact: true }).waitFor();
      await visit.button(words.add).click();
      await visit.page.getByText(CODE).waitFor();
      await visit.shot("hub");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("is joined by its code, told how far it may go, and left again", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByLabel("Code of the hub").fill(CODE);
      await visit.button("Join the hub").click();
      await visit.page.getByText(/^Connected to hub\.example:7443 since /).waitFor();
      expect(hub.state?.ceiling).toBe("look");

      await visit.page.getByLabel("What the hub's users may do here").selectOption("Operate");
      await visit.page.getByText("It counts from now on.").waitFor();
      expect(hub.state?.ceiling).toBe("operate");

      await visit.page.getByLabel("Key for the hub").fill("hub-reads");
      await visit.page.getByLabel("Secret of this key").fill("a-secret");
      await visit.button("Let the hub read").click();
      await visit.page.getByText("The hub may read Cellar with the key hub-reads.").waitFor();
      await visit.button("Take it back").click();
      await visit.button(/^Really take it back\?/).click();
      await visit.page.getByLabel("Key for the hub").waitFor();
      expect(hub.state?.storage).toBeUndefined();

      await visit.button("Leave the hub").click();
      await visit.button(/^Really leave\?/).click();
      await visit.page.getByText("This recorder belongs to no hub.").first().waitFor();
      expect(hub.state).toBeUndefined();
    }));

  it("shows the code as a picture that a camera reads", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.button("Add a recorder").click();
      const picture = visit.page.locator("img.hub-code");
      await picture.waitFor();
      await picture.scrollIntoViewIfNeeded();

      // The recorder's own code in this process has sharp read nothing but JPEG.
      const shot = sharp(await picture.screenshot({ type: "jpeg", quality: 100 }))
        .ensureAlpha()
        .raw();
      const { data, info } = await shot.toBuffer({ resolveWithObject: true });
      const read = readQr(new Uint8ClampedArray(data), info.width, info.height);
      expect(read?.data).toBe(CODE);
    }));

  it("lists its recorders, says which is not there, and removes it", () =>
    browser.visit(api.url(""), { address: FLEET }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText("Warehouse").waitFor();
      await visit.page.getByText("Not connected: its connection has ended.").waitFor();

      await visit.button("Remove").last().click();
      await visit.button(/^Really remove\?/).click();
      await visit.page.getByText("Yard").waitFor({ state: "detached" });
      expect(boxes.list).toHaveLength(1);
    }));
});
