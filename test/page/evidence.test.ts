import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import type { PageVisit } from "../support/page/page-visit.js";

const WAIT_MS = 120_000;
const GOVERNANCE = "It can be lifted";
const SENTENCE = "a long sentence of hers";
/** What the browser itself notes of a lock that is refused. */
const REFUSED = [/409 \(Conflict\).*\/api\/away\/locks$/];

const browser = new PageBrowser();
let recorder: PageService;
let store: ScriptedStore;
let id = "";

interface Lock {
  readonly Mode: string;
  readonly UntilTime: string;
  readonly LegalHold: boolean;
  readonly IsLifted: boolean;
  readonly Segments: number;
  readonly Done: number;
}

async function locks(): Promise<readonly Lock[]> {
  return (await recorder.service.json("/api/away/locks")) as Lock[];
}

/** Locks of objects, as the store has them. */
function stored(): readonly string[] {
  return [...store.locks.values()].map(({ mode, until, hold }) => `${mode} ${until.slice(0, 10)} ${hold}`);
}

async function openProtected(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.button(/^(Protected recordings|Защищённые записи)$/).click();
  await visit.heading(/^(Protected recordings|Защищённые записи)$/).waitFor();
}

describe.skipIf(noBrowser !== undefined)(
  `locks of protected recordings in the page${notHere(noBrowser)}`,
  () => {
    beforeAll(async () => {
      store = await new ScriptedStore().start();
      recorder = await PageService.start({
        ...{ cameras: ["Gate"], settings: { segmentSeconds: 5 }, recordedUs: 12_000_000 },
      });
      [id = ""] = recorder.ids;
      const target = {
        ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "gate/" },
        ...{
          AccessKeyId: "AKID",
          SecretAccessKey: "a-secret-of-mine",
          Content: "Everything",
          From: "Oldest",
        },
      };
      await recorder.service.json("/configure/away", { method: "POST", body: [target] });
      const now = Date.now();
      const body = {
        FromTime: new Date(now - 10_000).toISOString(),
        ToTime: new Date(now - 1000).toISOString(),
        Comment: "fence",
      };
      await recorder.service.json(`/api/channels/${id}/protected`, { method: "POST", body });
      await addViewer();
    });

    afterAll(async () => {
      await browser.close();
      await recorder?.stop();
      store?.stop();
    });

    it("says why a storage without object lock takes none", () =>
      browser.visit(recorder.origin, { address: "#/playback", allow: REFUSED }, async (visit) => {
        await openProtected(visit);
        await visit.button("Lock off-site too").click();
        await visit.button("Lock").click();
        await visit.page.getByText(/no object lock/).waitFor();
        expect(await locks()).toEqual([]);
      }));

    it("sets a lock until a day, a hold beside it, and lifts both at the second press", () =>
      browser.visit(recorder.origin, { address: "#/playback" }, async (visit) => {
        store.hasLock = true;
        const { page } = visit;
        await openProtected(visit);
        await visit.button("Lock off-site too").click();
        await visit.field("Before its last day").selectOption(GOVERNANCE);
        await visit.field("Last day (UTC)").fill("2040-12-31");
        expect(await visit.violations()).toEqual([]);
        await visit.shot("evidence form");
        await visit.button("Lock").click();
        const lock = page.getByRole("group", { name: "Cellar: Locked until 2040-12-31." });
        await lock.getByText(/^([1-9]\d*) of \1 recordings are done\.$/).waitFor({ timeout: WAIT_MS });
        expect(stored()).toContain("GOVERNANCE 2041-01-01 OFF");
        await lock.getByRole("button", { name: "Change the lock" }).click();
        await visit.field(/^Legal hold/).check();
        await visit.button("Lock").click();
        const held = page.getByRole("group", { name: "Cellar: Locked until 2040-12-31. On legal hold." });
        await held.waitFor();
        await expect.poll(stored, { timeout: WAIT_MS }).toContain("GOVERNANCE 2041-01-01 ON");
        expect(await visit.violations()).toEqual([]);
        await visit.shot("evidence lock");
        await held.getByRole("button", { name: "Lift the lock" }).click();
        expect(await locks()).toMatchObject([{ IsLifted: false }]);
        await held.getByRole("button", { name: "Lift the lock" }).click();
        await page.getByRole("group", { name: "Cellar: Lifted." }).waitFor();
        expect(await locks()).toMatchObject([{ IsLifted: true }]);
        const isLocked = () => stored().some((text) => text.endsWith("ON"));
        await expect.poll(isLocked, { timeout: WAIT_MS }).toBe(false);
      }));

    it("asks twice for a lock that nobody can lift, and offers no lifting of it; in Russian on a phone", () =>
      browser.visit(
        recorder.origin,
        { address: "#/playback", language: "ru", size: "phone" },
        async (visit) => {
          store.hasLock = true;
          await openProtected(visit);
          await visit.button("Заблокировать и вне регистратора").click();
          await visit.field("До последнего дня").selectOption("Снять не может никто");
          await visit.field("Последний день (UTC)").fill("2040-12-31");
          await visit.button("Заблокировать").click();
          const before = await locks();
          await visit.button(/^До 2040-12-31 отменить это не сможет никто/).click();
          const name = "Cellar: Заблокировано до 2040-12-31; раньше снять не может никто.";
          const lock = visit.page.getByRole("group", { name });
          await lock.waitFor();
          expect(before.filter(({ Mode }) => Mode === "Compliance")).toEqual([]);
          expect(await lock.getByRole("button", { name: "Снять блокировку" }).count()).toBe(0);
          await lock.getByRole("button", { name: "Изменить блокировку" }).click();
          const modes = visit.field("До последнего дня").getByRole("option");
          expect(await modes.allInnerTexts()).toEqual(["Снять не может никто"]);
          expect(await visit.violations()).toEqual([]);
          expect(await visit.isTooWide()).toBe(false);
          await visit.shot("evidence compliance");
        },
      ));

    it("keeps showing a lock whose time is not protected here any more", () =>
      browser.visit(recorder.origin, { address: "#/playback" }, async (visit) => {
        await openProtected(visit);
        await visit.button("Release").click();
        await visit.button("Release").click();
        await visit.heading("Locked off-site, no longer protected here").waitFor();
        await visit.page.getByRole("group", { name: /^Cellar: Locked until 2040-12-31; nobody/ }).waitFor();
        expect(await visit.violations()).toEqual([]);
      }));

    it("offers neither protecting nor locks to who may not manage recordings", () =>
      browser.visit(recorder.origin, { address: "#/playback", allow: [/status of 403/] }, async (visit) => {
        await visit.logIn("viewer", SENTENCE);
        await visit.page.getByRole("slider", { name: "Timeline" }).waitFor();
        await visit.press("i", "o");
        await visit.button("Make file").waitFor();
        expect(await visit.page.getByRole("button", { name: /^Protect/ }).count()).toBe(0);
        // Nor may they save: it is said why.
        await visit.button("Make file").click();
        await visit.page.getByText(/your group may not do this \(right CanUseArchiveExport\)/).waitFor();
      }));
  },
);

/** Somebody who watches, and manages nothing. */
async function addViewer(): Promise<void> {
  const { service } = recorder;
  const access = { AllRealtimeAllowed: true, AllArchiveAllowed: true };
  const groups = [{ Name: "Viewers", Rights: {}, ChannelsAccessOptions: access }];
  const { CreatedObjectsIds: ids } = await service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/groups",
    { method: "POST", body: groups },
  );
  const users = [{ Name: "viewer", GroupId: ids[0], Password: SENTENCE }];
  await service.json("/configure/users", { method: "POST", body: users });
}
