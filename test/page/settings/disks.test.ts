import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { ARCHIVE_OF_BOX, BOX_OF_DISKS, HISTORY_OF_DISK } from "../../support/page/box-of-disks.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const DISKS = "#/settings?part=disks";
const SMALL = { width: 360, height: 740 };
const { browser, recorder } = pageForAllTests({
  cameras: ["Gate", "Yard"],
  blankVolumes: 2,
  recordedUs: 5_000_000,
});

/** The box of the pictures in place of the test machine; answers what was asked of it. */
async function showBox(visit: PageVisit): Promise<{ readonly asked: [string, unknown][] }> {
  const asked: [string, unknown][] = [];
  await visit.page.route("**/api/disks", (route) => route.fulfill({ json: BOX_OF_DISKS }));
  await visit.page.route("**/api/archive", (route) => route.fulfill({ json: ARCHIVE_OF_BOX }));
  await visit.page.route(/\/api\/(tasks|disks\/\w+)$/, (route) => {
    const request = route.request();
    if (request.method() !== "POST") return route.fulfill({ json: [] });
    asked.push([new URL(request.url()).pathname, request.postDataJSON()]);
    return route.fulfill({ status: 202, json: { ...DONE, Kind: "Format" } });
  });
  await visit.page.route("**/api/tasks/1", (route) => route.fulfill({ json: DONE }));
  return { asked };
}

const DONE = {
  Id: "1",
  State: "Done",
  Progress: 1,
  Step: "",
  Result: { Path: "", Problem: null },
  Error: null,
};

async function openDisks(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.heading(/^(Disks and recordings|Диски и записи)$/).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`the disks of the recorder${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are told in people's words at $size size, $theme, $language", (options) =>
    browser.goOn(recorder.origin, { ...options, address: DISKS }, async (visit) => {
      await showBox(visit);
      await openDisks(visit);
      const isEnglish = options.language === "en";
      await visit.page
        .getByText(isEnglish ? "healthy, 61 % full, recordings go here" : "исправен, занят на 61 %")
        .waitFor();
      await visit.page.getByText(isEnglish ? "This disk is breaking." : "Диск ломается.").waitFor();
      await visit.shot("disks");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("fit on the narrowest phone", () =>
    browser.visit(
      recorder.origin,
      { isNobody: true, size: "phone", viewport: SMALL, address: DISKS },
      async (visit) => {
        await showBox(visit);
        await openDisks(visit);
        await visit.page.getByText("This disk is breaking.").waitFor();
        await visit.page.screenshot({ path: "build/screenshots/disks-360.png", fullPage: true });
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      },
    ));

  it("say of each camera how far back it reaches, why, and how far it will", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      await showBox(visit);
      await openDisks(visit);
      await visit.page.getByText("At today's rate the recordings last about 23 days.").waitFor();
      await visit.page.getByText(/The disks are full about 3 December 2026\./).waitFor();
      const row = (name: string) => visit.page.getByRole("listitem").filter({ hasText: name }).first();
      const texts = await Promise.all(
        ["Gate", "Yard", "Store", "Till", "Office", "Roof"].map((name) => row(name).textContent()),
      );
      expect(texts[0]).toContain("Recording began on 29 October 2026.");
      expect(texts[0]).toContain("43 GB a day");
      expect(texts[1]).toContain("deleted after 7 days");
      expect(texts[2]).toContain("made room for new ones");
      expect(texts[3]).toContain("Kept for the 30 days that are set at least");
      expect(texts[4]).toContain("too small for that");
      expect(texts[5]).toContain("Nothing is recorded yet.");
    }));

  it("that are small are not called full while they fill within hours", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      await showBox(visit);
      const small = { UsedBytes: 4.5e8, AllowedBytes: 4e9, FullTime: "2026-11-21T14:00:00.0000000Z" };
      const answer = (UsedBytes: number) =>
        visit.page.route("**/api/archive", (route) =>
          route.fulfill({ json: { ...ARCHIVE_OF_BOX, ...small, UsedBytes } }),
        );
      await answer(small.UsedBytes);
      await openDisks(visit);
      await visit.page.getByText(/The disks are full about 21 November 2026\./).waitFor();
      await answer(3.9e9);
      await visit.page.reload();
      await visit.page.getByText(/The disks are full: the oldest recordings make room/).waitFor();
    }));

  it("tell the same of this very recorder: its places, and cameras that began just now", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      await openDisks(visit);
      const reach = visit.page.getByRole("list", { name: "Cameras" });
      await reach
        .getByText(/^Recording began on/)
        .nth(1)
        .waitFor();
      // The cameras were recorded for seconds.
      await reach
        .getByText(/^\d minutes?$/)
        .nth(1)
        .waitFor();
      // A test machine has its disks in other places than a box: the two directories are below one of the lists.
      await expect.poll(() => visit.page.getByText("recordings go here").count()).toBeGreaterThan(0);
    }));

  it("are formatted for recordings after a question, by keys alone", () =>
    browser.visit(recorder.origin, { isNobody: true, address: DISKS }, async (visit) => {
      const { asked } = await showBox(visit);
      await openDisks(visit);
      await visit.tabTo("button", /^Use for recordings: 8 TB Seagate SkyHawk/);
      await visit.press("Enter");
      await visit.page.getByRole("dialog", { name: "Erase the disk?" }).waitFor();
      await visit.tabTo("button", "Erase and use");
      await visit.press("Enter");
      await visit.page.getByText("The disk is ready.").waitFor();
      const body = { Device: "/dev/sdc", Serial: "ZA1", Confirm: "ZA1", EraseFound: false };
      expect(asked).toEqual([["/api/tasks", { Kind: "Format", ...body }]]);
    }));

  it("are taken over with their recordings, or left", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      const { asked } = await showBox(visit);
      await openDisks(visit);
      await visit.button(/^Take over with its recordings: 4 TB Seagate IronWolf/).click();
      await expect.poll(() => asked).toEqual([["/api/tasks", { Kind: "Adopt", Path: "/srv/nvrd-1a2b3c4d" }]]);
    }));

  it("that are missing are given up only by who says that nothing on them is needed", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      const { asked } = await showBox(visit);
      await openDisks(visit);
      await visit.heading("Missing disks").waitFor();
      await visit.button("Give up: /srv/nvrd-99ff00ee").click();
      const give = visit.button("Give up");
      expect(await give.isDisabled()).toBe(true);
      await visit.field("I do not need these recordings any more").check();
      expect(await visit.violations()).toEqual([]);
      await give.click();
      await expect
        .poll(() => asked.at(-1))
        .toEqual([
          "/api/disks/forget",
          { Path: "/srv/nvrd-99ff00ee", Confirm: "77777777-0000-4000-8000-000000000009" },
        ]);
    }));

  it("say how they are in words and figures, over the years, and how much of their work they have done", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      await showBox(visit);
      await visit.page.route("**/api/disks/history?*", (route) => route.fulfill({ json: HISTORY_OF_DISK }));
      await openDisks(visit);
      await visit.button(/^Health: 4 TB WD Purple/).click();
      const dialog = visit.page.getByRole("dialog", { name: "4 TB WD Purple" });
      await dialog.getByText("It reports no fault.").waitFor();
      await dialog
        .getByText("About 24 TB a year are written to it: 13 % of the 180 TB that it is made for.")
        .waitFor();
      await dialog.getByRole("row", { name: /Commands that took too long.* 2/ }).waitFor();
      await dialog.getByText("22 September 2026 to 20 November 2026: 33°C to 39°C").waitFor();
      await dialog.getByText("22 September 2026 to 20 November 2026: 0 to 8").waitFor();
      await visit.shot("disk-health");
      expect(await visit.violations()).toEqual([]);
    }));

  it("are replaced step by step: which one takes the place, and what is lost on it", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      const { asked } = await showBox(visit);
      await openDisks(visit);
      await visit.button(/^Replace: 6 TB Toshiba/).click();
      await visit.page.getByRole("dialog", { name: /^Replace 6 TB Toshiba/ }).waitFor();
      await visit.field("New disk").selectOption("/dev/sdc");
      await visit.shot("disk-replace");
      expect(await visit.violations()).toEqual([]);
      await visit.button("Erase the new disk and replace").click();
      const body = { Device: "/dev/sdc", Serial: "ZA1", Confirm: "ZA1", EraseFound: false };
      await expect
        .poll(() => asked)
        .toEqual([["/api/tasks", { Kind: "Replace", Path: "/srv/nvrd-33cc44dd", ...body }]]);
    }));

  it("are checked beside recording: the outcome is there also when the page was closed meanwhile", async () => {
    await browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      await openDisks(visit);
      await visit.button("Check").click();
      await visit.page.getByText(/^All is well: \d+ recording files? checked\.$/).waitFor();
      expect(await visit.violations()).toEqual([]);
    });
    await browser.visit(recorder.origin, { address: DISKS }, async (visit) => {
      await openDisks(visit);
      await visit.page.getByText(/^All is well: \d+ recording files? checked\.$/).waitFor();
    });
  });

  it("show how far a check is, and stop it", () =>
    browser.goOn(recorder.origin, { address: DISKS }, async (visit) => {
      const task = { ...DONE, Kind: "Check", State: "Running", Progress: 0.45, Result: null };
      let state = task;
      await visit.page.route(/\/api\/tasks(\/1)?$/, (route) => {
        if (route.request().method() === "DELETE") state = { ...task, State: "Cancelled" };
        return route.fulfill({ json: /tasks$/.test(route.request().url()) ? [state] : state });
      });
      await openDisks(visit);
      await visit.page.getByRole("progressbar", { name: "The recordings are being checked" }).waitFor();
      await visit.page.getByText("45 %").waitFor();
      expect(await visit.violations()).toEqual([]);
      await visit.button("Stop the check").click();
      await visit.page.getByText("The check was stopped.").waitFor();
    }));

  it("are taken out of use, and then out of the box; the last one stays", () =>
    browser.visit(recorder.origin, { address: DISKS, allow: [/status of 409/] }, async (visit) => {
      await openDisks(visit);
      await visit.button(/^Take out of use: .*disk1$/).click();
      await visit.button("Take out of use").click();
      await visit.page.getByText("It is out of use. Its recordings can still be played.").waitFor();
      await visit.page
        .getByText(/(still on it|It is empty)/)
        .first()
        .waitFor();
      await visit.button(/^Take out of use: .*disk2$/).click();
      await visit.button("Take out of use").click();
      await visit.page.getByText(/is the only volume that can be recorded onto/).waitFor();
      await visit.button(/^Take it out now: .*disk1$/).click();
      const dialog = visit.page.getByRole("dialog", { name: /^Take .*disk1 out now\?$/ });
      const sure = dialog.getByLabel("I do not need these recordings any more");
      await dialog.waitFor();
      if ((await sure.count()) > 0) await sure.check();
      await dialog.getByRole("button", { name: "Take it out now" }).click();
      await visit.page.getByText(/^You may pull the disk out now\./).waitFor();
      await expect.poll(() => visit.page.getByRole("button", { name: /disk1$/ }).count()).toBe(0);
    }));
});
