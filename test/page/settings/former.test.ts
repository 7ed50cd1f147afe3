import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";
import { fieldTime } from "../../support/page/recordings-world.js";

/** The gate's camera was removed, and its recordings stayed. */

const DISKS = "#/settings?part=disks";
const SENTENCE = "four words that nobody guesses";

interface Former {
  readonly Id: string;
  readonly Name: string;
  readonly GivenTo: string | null;
  readonly FromTime: string;
}

const browser = new PageBrowser();
let recorder: PageService;
let gate: string;
let yard: string;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate", "Yard"], recordedUs: 3_000_000 });
  [gate = "", yard = ""] = recorder.ids;
  await recorder.service.json(`/configure/channels/${gate}`, { method: "DELETE" });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
});

/** Somebody who may watch, save and protect recordings, and configures nothing. */
async function addArchivist(): Promise<void> {
  const groups = [
    {
      Name: "Archivists",
      Rights: {
        CanManageRec: true,
        CanUseArchiveExport: true,
        CanReceiveMainStream: true,
        CanReceiveSound: true,
      },
      ChannelsAccessOptions: { AllRealtimeAllowed: true, AllArchiveAllowed: true },
    },
  ];
  const { CreatedObjectsIds: ids } = await recorder.service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/groups",
    { method: "POST", body: groups },
  );
  const users = [{ Name: "archivist", GroupId: ids[0], Password: SENTENCE }];
  await recorder.service.json("/configure/users", { method: "POST", body: users });
}

/** Each test begins with recordings that are the former camera's own. */
beforeEach(async () => {
  if ((await former())?.GivenTo != null) await give(null);
});

async function former(): Promise<Former | undefined> {
  const [first] = await recorder.service.json<Former[]>("/api/archive/former");
  return first;
}

async function give(GivenTo: string | null): Promise<void> {
  await recorder.service.json(`/api/archive/former/${gate}`, { method: "PUT", body: { GivenTo } });
}

async function openPanel(visit: PageVisit): Promise<void> {
  await visit.logIn();
  const list = visit.page.getByRole("list", { name: /^(Former cameras|Прежние камеры)$/ });
  await list.scrollIntoViewIfNeeded();
}

describe.skipIf(noBrowser !== undefined)(`former cameras${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are reported with what can be done, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: DISKS }, async (visit) => {
      await openPanel(visit);
      await visit.shot("former");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.button(/^(Give to a camera|Передать камере): /).click();
      await visit.page.getByRole("dialog").waitFor();
      await visit.shot("former-give");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.page.keyboard.press("Escape");
      await visit.button(/^(Set up again|Настроить заново): /).click();
      await visit.page.getByRole("dialog").waitFor();
      await visit.shot("former-set-up");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.page.keyboard.press("Escape");
      await give(yard);
      await visit.page.reload();
      await visit.page.getByText(/^(They belong to|Они принадлежат камере) Yard\.$/).waitFor();
      await visit.page
        .getByRole("list", { name: /^(Former cameras|Прежние камеры)$/ })
        .scrollIntoViewIfNeeded();
      await visit.shot("former-given");
    }),
  );

  it("are given to a camera and taken back by the keyboard alone", () =>
    browser.visit(recorder.origin, { address: DISKS }, async (visit) => {
      await openPanel(visit);
      await visit.button(/^Give to a camera: /).focus();
      await visit.page.keyboard.press("Enter");
      await visit.page.getByRole("combobox", { name: "Camera" }).focus();
      await visit.page.keyboard.press("Tab");
      await visit.page.keyboard.press("Tab");
      await visit.page.keyboard.press("Enter");
      await visit.page.getByText("They belong to Yard.").waitFor();
      expect((await former())?.GivenTo).toBe(yard);
      await visit.button(/^Take back: /).focus();
      await visit.page.keyboard.press("Enter");
      await visit.button(/^Give to a camera: /).waitFor();
      expect((await former())?.GivenTo).toBeNull();
    }));

  it("are opened by a link to them, not the first camera", () => {
    const address = `#/playback?channel=${gate}`;
    return browser.visit(recorder.origin, { address }, async (visit) => {
      await visit.logIn();
      await visit.page
        .getByRole("button", { name: /\(former\)$/ })
        .first()
        .waitFor();
      await visit.shot("former-link");
      expect(visit.page.url()).toContain(gate);
    });
  });

  it("are saved as a file and protected by who is no administrator", async () => {
    await addArchivist();
    const recordedMs = Date.parse((await former())?.FromTime ?? "") + 1500;
    const address = `#/playback?channel=${gate}&time=${recordedMs}`;
    await browser.visit(recorder.origin, { address }, async (visit) => {
      await visit.logIn("archivist", SENTENCE);
      await visit.page
        .getByRole("button", { name: /\(former\)$/ })
        .first()
        .waitFor();
      await visit.button("Save as a file").click();
      for (const [name, at] of [
        ["Beginning", -1000],
        ["End", 1000],
      ] as const) {
        await visit
          .field(name)
          .last()
          .fill(fieldTime(recordedMs + at));
        await visit.page.keyboard.press("Enter");
      }
      await visit.page.getByText("Chosen: 2 s.").waitFor();
      const [download] = await Promise.all([
        visit.page.waitForEvent("download"),
        visit.button("Make file").click(),
      ]);
      expect(readFileSync(await download.path()).toString("latin1", 4, 8)).toBe("ftyp");
      await visit.button("Protect: Evidence").click();
      await visit.page.getByText("Protected.").waitFor();
    });
    const times = await recorder.service.json<{ readonly Id: string }[]>(`/api/channels/${gate}/protected`);
    expect(times).toHaveLength(1);
    await recorder.service.json(`/api/channels/${gate}/protected/${times[0]?.Id}`, { method: "DELETE" });
  });

  it("are shown by the camera that was given their recordings, also by a link to the former one", async () => {
    await give(yard);
    const time = Date.parse((await former())?.FromTime ?? "");
    await browser.visit(
      recorder.origin,
      { address: `#/playback?channel=${gate}&time=${time}` },
      async (visit) => {
        await visit.logIn();
        await expect.poll(() => visit.page.url()).toContain(yard);
      },
    );
  });

  it("are set up again with their recordings", () =>
    browser.visit(recorder.origin, { address: DISKS }, async (visit) => {
      await openPanel(visit);
      await visit.button(/^Set up again: /).click();
      await visit.button("Set up again").click();
      await visit.page.getByRole("alert").getByText("address", { exact: false }).waitFor();
      await visit.page.getByLabel("Address").fill(recorder.source?.url(0) ?? "");
      await visit.button("Set up again").click();
      await visit.page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await recorder.service.json<Former[]>("/api/archive/former")).toEqual([]);
      const cameras = await recorder.service.json<{ readonly Id: string }[]>("/configure/channels");
      expect(cameras.map(({ Id }) => Id)).toContain(gate);
      await recorder.service.json(`/configure/channels/${gate}`, { method: "DELETE" });
    }));
});
