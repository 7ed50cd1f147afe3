import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BoxState } from "../../../src/fleet/index.js";
import type { BoxesControl } from "../../../src/owner/index.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { MemoryDocuments } from "../../support/fleet/memory-documents.js";
import { chunksOf, MemoryRollout } from "../../support/fleet/memory-rollout.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { LOOKS } from "../../support/page/page-visit.js";

const SINCE_US = Date.UTC(2026, 10, 21, 9) * 1000;
const WELL: BoxState = {
  ...{ id: "0d9c0000-0000-4000-8000-00000000000b", name: "Warehouse", version: "1.2.3", health: "recording" },
  ...{ addedUs: SINCE_US, seenUs: SINCE_US, silence: undefined, position: undefined },
  isReadOffSite: false,
  figures: {
    ...{ cameras: 16, camerasLost: 0, volumes: 2, volumesAtFault: 0, daysLeft: 41.7 },
    ...{ problemCount: 0, problems: [] },
  },
};
const SICK: BoxState = {
  ...{ ...WELL, id: "0d9c0000-0000-4000-8000-00000000000c", name: "Yard", version: "1.2.2" },
  figures: {
    ...{ cameras: 4, camerasLost: 1, volumes: 2, volumesAtFault: 1, daysLeft: null, problemCount: 3 },
    problems: [
      { code: "camera-lost", severity: "error", text: "Gate is lost" },
      { code: "of-a-later-version", severity: "warning", text: "something that this hub does not know" },
    ],
  },
};
const SILENT: BoxState = {
  ...{ ...WELL, id: "0d9c0000-0000-4000-8000-00000000000d", name: "Harbour", silence: "ended" },
};

const ON_THE_MAP: readonly BoxState[] = [
  { ...SICK, position: { latitude: 59.93, longitude: 30.31 } },
  { ...WELL, position: { latitude: 59.95, longitude: 30.4 } },
  SILENT,
];

const browser = new PageBrowser();
const rollout = new MemoryRollout();
const boxes: { list: readonly BoxState[] } = { list: [SICK, WELL, SILENT] };
let api: ApiHarness;

beforeAll(async () => {
  const control: BoxesControl = {
    ...{ catalogue: { boxes: [], revision: 0, place: () => undefined } },
    rollout,
    documents: new MemoryDocuments(),
    ...{ problem: undefined, boxes: () => boxes.list, box: (id) => boxes.list.find((box) => box.id === id) },
    makeCode: () => ({ code: "", untilUs: SINCE_US }),
    remove: () => Promise.resolve(false),
    place: (id, position) => {
      boxes.list = boxes.list.map((box) => (box.id === id ? { ...box, position } : box));
      return Promise.resolve(true);
    },
    open: () => Promise.reject(new Error("nobody asks a recorder here")),
    liveHub: () => undefined,
    openLive: () => Promise.reject(new Error("nobody watches a recorder here")),
  };
  const folder = join(REPOSITORY_ROOT, "build", "page");
  api = await startApi({ boxes: () => control, settings: { page: { folder } } });
});

afterAll(async () => {
  await browser.close();
  await api?.stop();
});

const TITLES = { en: "Recorders", ru: "Регистраторы" } as const;
const RECORDERS = "#/recorders";

describe.skipIf(noBrowser !== undefined)(`a hub's recorders on its page${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are for everybody to see at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: RECORDERS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByRole("heading", { name: TITLES[look.language], exact: true }).waitFor();
      await visit.page.getByText("Warehouse").waitFor();
      await visit.shot("recorders");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("stand with what needs a hand first, each with its figures and a way into it", () =>
    browser.visit(api.url(""), { address: RECORDERS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText("2 of 3 need a hand.").waitFor();

      expect(await visit.page.locator("article h2 :is(a, span)").allInnerTexts()).toEqual([
        ...["Harbour", "Yard", "Warehouse"],
      ]);
      const way = visit.page.getByRole("link", { name: "Warehouse" });
      expect(await way.getAttribute("href")).toBe(`/boxes/${WELL.id}/`);
      const sick = visit.page.getByRole("article").filter({ hasText: "Yard" });
      for (const text of ["1 of 4 cameras lost", "1 of 2 disks at fault", "And 1 problem more."])
        await sick.getByText(text).waitFor();
    }));

  it("say what is wrong in the words of the page, and what a newer recorder says as it says it", () =>
    browser.visit(api.url(""), { address: RECORDERS, language: "ru" }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText("Камера не записывается").waitFor();
      await visit.page.getByText("something that this hub does not know").waitFor();
    }));

  it("are silent since a moment, and for a reason; no way leads into these", () =>
    browser.visit(api.url(""), { address: RECORDERS }, async (visit) => {
      await visit.logIn("root", "secret");
      await visit.page.getByText(/^Silent since .*: its connection has ended\.$/).waitFor();
      expect(await visit.page.getByRole("link", { name: "Harbour" }).count()).toBe(0);
    }));

  it.each(LOOKS)("are on a map at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: `${RECORDERS}?view=map` }, async (visit) => {
      boxes.list = ON_THE_MAP;
      await visit.logIn("root", "secret");
      await visit.page.locator(".map-mark").nth(1).waitFor();
      await visit.page.locator(".map-mark").nth(1).click();
      await visit.page.locator("article").waitFor();
      await visit.shot("recorders-map");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("are put on the map by a click, or where somebody types", () =>
    browser.visit(api.url(""), { address: RECORDERS }, async (visit) => {
      boxes.list = ON_THE_MAP;
      await visit.logIn("root", "secret");
      const { page } = visit;
      await page.getByRole("button", { name: "Map", exact: true }).click();
      await page.getByRole("button", { name: "Harbour", exact: true }).click();
      const plane = page.getByRole("application");
      const box = await plane.boundingBox();
      await plane.click({ position: { x: (box?.width ?? 0) / 2, y: 40 } });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Harbour: silent" }).waitFor();
      expect(boxes.list[2]?.position).toEqual({
        latitude: expect.any(Number),
        longitude: expect.any(Number),
      });

      await page.getByLabel("Latitude").fill("59,9");
      await page.getByLabel("Longitude").fill("30.25");
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => boxes.list[2]?.position).toEqual({ latitude: 59.9, longitude: 30.25 });
      await page.getByRole("button", { name: "To its cameras" }).click();
      await expect.poll(() => boxes.list[2]?.position).toBeUndefined();
    }));

  it("are updated in groups: first those that are chosen, then the others, and what fails is said", () =>
    browser.visit(api.url(""), { address: `${RECORDERS}?view=updates` }, async (visit) => {
      boxes.list = ON_THE_MAP;
      await visit.logIn("root", "secret");
      const { page } = visit;
      const file = {
        name: "nvrd.raucb",
        mimeType: "application/octet-stream",
        buffer: Buffer.alloc(2_000_000),
      };
      await page.getByLabel("Choose the file of the update").setInputFiles(file);
      await page.getByText("The file is at the hub (2 MB).").waitFor();
      await page.getByLabel("Warehouse (1.2.3)").check();
      await page.getByLabel("Recorders in each further group").fill("1");
      await page.getByRole("button", { name: "Update 3 recorders in 3 groups" }).click();

      await page.getByText("Version 1.3.0 is being rolled out.").waitFor();
      expect(rollout.begun).toEqual([[WELL.id], [SILENT.id], [SICK.id]]);
      await page.getByText("installs and tries it").waitFor();
      await visit.shot("recorders-updates");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      rollout.fail("it went back to the version before");
      await page.getByText("Stopped: no other recorder is begun.").waitFor();
      expect(await page.getByText("waits", { exact: true }).count()).toBe(2);
      await page.getByRole("button", { name: "Close, and delete the file" }).click();
      await page.getByText("The file is at the hub").waitFor({ state: "detached" });
    }));

  it.each(LOOKS)("and their update fit at $size size, $theme, $language", (look) =>
    browser.visit(api.url(""), { ...look, address: `${RECORDERS}?view=updates` }, async (visit) => {
      boxes.list = ON_THE_MAP;
      await rollout.receive({ chunks: chunksOf(Buffer.alloc(2_000_000)) });
      await visit.logIn("root", "secret");
      await visit.page.locator(".rollout-plan").waitFor();
      await visit.shot("recorders-updates-plan");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("are a screen of hubs alone", async () => {
    const alone = await startApi({ settings: { page: { folder: join(REPOSITORY_ROOT, "build", "page") } } });
    try {
      await browser.visit(alone.url(""), {}, async (visit) => {
        await visit.logIn("root", "secret");
        await visit.page.getByRole("link", { name: "Account" }).waitFor();
        expect(await visit.page.getByRole("link", { name: "Recorders" }).count()).toBe(0);
      });
    } finally {
      await alone.stop();
    }
  });
});
