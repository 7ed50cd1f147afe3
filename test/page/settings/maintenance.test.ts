import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeCertificate } from "../../support/http/certificate.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { pageForAllTests } from "../../support/page/page-for-tests.js";
import { LOOKS, type PageVisit } from "../../support/page/page-visit.js";

const MAINTENANCE = "#/settings?part=maintenance";
const { browser, recorder } = pageForAllTests();

const changes = (visit: PageVisit) =>
  visit.page.getByRole("list", { name: /Last changes|Последние изменения/ }).getByRole("listitem");

async function openMaintenance(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await changes(visit).first().waitFor();
}

async function addGroup(name: string): Promise<void> {
  const groups = [{ Name: name, Rights: {}, ChannelsAccessOptions: {} }];
  await recorder.service.json("/configure/groups", { method: "POST", body: groups });
}

async function groupNames(): Promise<readonly string[]> {
  const groups = (await recorder.service.json("/configure/groups")) as { readonly Name: string }[];
  return groups.map(({ Name }) => Name);
}

/** Chooses a file as a person does, by the button. */
async function choose(visit: PageVisit, label: string, file: string): Promise<void> {
  const chooser = visit.page.waitForEvent("filechooser");
  await visit.page.getByText(label, { exact: true }).click();
  await (await chooser).setFiles(file);
}

describe.skipIf(noBrowser !== undefined)(`the recorder's maintenance${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("is for everybody at $size size, $theme, $language", (options) =>
    browser.goOn(recorder.origin, { ...options, address: MAINTENANCE }, async (visit) => {
      await openMaintenance(visit);
      await visit.shot("maintenance");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("is not too wide for the smallest phone", () =>
    browser.visit(
      recorder.origin,
      { size: "phone", viewport: { width: 360, height: 2400 }, address: MAINTENANCE },
      async (visit) => {
        await openMaintenance(visit);
        await visit.shot("maintenance-360");
        expect(await visit.isTooWide()).toBe(false);
      },
    ));

  it("saves the configuration as a file, and imports it after a look at what that changes", () =>
    browser.goOn(recorder.origin, { address: MAINTENANCE }, async (visit) => {
      await addGroup("Kept");
      await openMaintenance(visit);
      const download = visit.page.waitForEvent("download");
      await visit.page.getByRole("link", { name: "Save as a file" }).click();
      const file = join(await temporaryDirectory(), "nvrd-configuration.json");
      await (await download).saveAs(file);
      expect(readFileSync(file, "utf8")).toContain("Kept");
      await addGroup("Brought in later");
      await choose(visit, "Import a file", file);
      await visit.page.getByRole("dialog", { name: "Import nvrd-configuration.json" }).waitFor();
      await visit.page.getByText("group Brought in later removed").waitFor();
      await visit.shot("maintenance-import");
      expect(await visit.violations()).toEqual([]);
      expect(await groupNames()).toContain("Brought in later");
      await visit.button("Change it").click();
      await visit.page.getByText("The configuration is changed.").waitFor();
      expect(await groupNames()).not.toContain("Brought in later");
      await changes(visit).first().getByText("imported: group Brought in later removed").waitFor();
    }));

  it("says of another file that it is none", () =>
    browser.visit(recorder.origin, { address: MAINTENANCE, allow: [/400/] }, async (visit) => {
      await openMaintenance(visit);
      const file = join(await temporaryDirectory(), "holiday.json");
      writeFileSync(file, "not this");
      await choose(visit, "Import a file", file);
      await visit.page.getByText("This file is not the configuration of a recorder.").waitFor();
      writeFileSync(file, "{}");
      await choose(visit, "Import a file", file);
      await visit.page.getByText(/not an exported configuration/).waitFor();
    }));

  it("brings former settings back, by keys alone", () =>
    browser.visit(recorder.origin, { isNobody: true, address: MAINTENANCE }, async (visit) => {
      await addGroup("A mistake");
      await openMaintenance(visit);
      await changes(visit).first().getByText("group A mistake added").waitFor();
      await changes(visit)
        .first()
        .getByText(/· root$/)
        .waitFor();
      await visit.tabTo("button", /^Bring back the settings of/);
      await visit.press("Enter");
      await visit.page.getByText("group A mistake removed").waitFor();
      await visit.tabTo("button", "Change it");
      await visit.press("Enter");
      await visit.page.getByText("The configuration is changed.").waitFor();
      expect(await groupNames()).not.toContain("A mistake");
    }));

  it("saves a file for support", () =>
    browser.goOn(recorder.origin, { address: MAINTENANCE }, async (visit) => {
      await openMaintenance(visit);
      const download = visit.page.waitForEvent("download");
      await visit.page.getByRole("link", { name: "Save the support file" }).click();
      expect((await download).suggestedFilename()).toMatch(/^nvrd-support-.*\.tar\.gz$/);
    }));

  it("says where a recorder is updated that is no box of its own", () =>
    browser.goOn(recorder.origin, { address: MAINTENANCE }, async (visit) => {
      await openMaintenance(visit);
      await visit.page.getByText(/^This recorder is updated by the system/).waitFor();
    }));
});

describe.skipIf(noBrowser !== undefined)(`a box on the page${notHere(noBrowser)}`, () => {
  let api: ApiHarness;

  beforeAll(async () => {
    api = await startApi({
      settings: { httpsPort: "any", page: { folder: join(REPOSITORY_ROOT, "build", "page") } },
    });
  });

  afterAll(() => api?.stop());

  async function open(visit: PageVisit): Promise<void> {
    await visit.logIn("root", "secret");
    await visit.heading("Update").waitFor();
  }

  it("is updated by a file, and tells each step until the new version stays", () =>
    browser.visit(api.url(""), { address: MAINTENANCE, allow: [/400/] }, async (visit) => {
      await open(visit);
      const file = join(await temporaryDirectory(), "nvrd.raucb");
      writeFileSync(file, "something else");
      await choose(visit, "Choose the file of an update", file);
      await visit.page.getByText(/^The update was not taken: .*signature/).waitFor();
      writeFileSync(file, "bundle nvrd-test 0.3.0");
      await choose(visit, "Choose the file of an update", file);
      await visit.page.getByText("Version 0.3.0 waits for its installation…").waitFor();
      api.updates.progress("installing");
      const progress = visit.page.getByRole("progressbar", { name: /^Version 0\.3\.0 is installed/ });
      await progress.waitFor();
      expect(await progress.getAttribute("value")).toBe("40");
      await visit.shot("maintenance-update");
      expect(await visit.violations()).toEqual([]);
      api.updates.progress("trial");
      await visit.page.getByText(/^Version 0\.3\.0 runs on trial/).waitFor();
      api.updates.progress("kept");
      await visit.page.getByText("Version 0.3.0 works and stays.").waitFor();
    }));

  it("shows its certificate, and takes another one that can be used", () =>
    browser.visit(api.url(""), { address: MAINTENANCE, allow: [/400/] }, async (visit) => {
      const directory = await temporaryDirectory();
      const [own, other] = [await makeCertificate("recorder.example"), await makeCertificate()];
      const written = (name: string, text: string): string => {
        writeFileSync(join(directory, name), text);
        return join(directory, name);
      };
      await open(visit);
      await visit.page.getByText(/^The recorder has made this certificate itself/).waitFor();
      await visit.page.getByText("Use another certificate").click();
      await choose(visit, "Choose: Certificate", written("own.pem", own.cert));
      await choose(visit, "Choose: Key", written("wrong.key", other.key));
      await visit.shot("maintenance-certificate");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.button("Use it").click();
      await visit.page.getByText(/the key is not that of the certificate/).waitFor();
      await choose(visit, "Key: wrong.key", written("own.key", own.key));
      await visit.button("Use it").click();
      await visit.page.getByText("The new certificate is used in a few seconds.").waitFor();
      await visit.page.getByText("recorder.example, 127.0.0.1").waitFor();
      const download = visit.page.waitForEvent("download");
      await visit.page.getByRole("link", { name: "Save the certificate" }).click();
      expect((await download).suggestedFilename()).toBe("nvrd.pem");
      await visit.button("Back to the recorder's own").click();
      await visit.button("Back to its own: browsers warn of it").click();
      await visit.page.getByText(/^The recorder has made this certificate itself/).waitFor();
      await expect.poll(() => visit.button(/^Back to/).count()).toBe(0);
    }));

  it("says why a version was given up", () =>
    browser.visit(api.url(""), { address: MAINTENANCE }, async (visit) => {
      await open(visit);
      const file = join(await temporaryDirectory(), "nvrd.raucb");
      writeFileSync(file, "bundle nvrd-test 0.4.0");
      await choose(visit, "Choose the file of an update", file);
      await visit.page.getByText("Version 0.4.0 waits for its installation…").waitFor();
      api.updates.progress("rolledBack", "no camera is recorded");
      await visit.page.getByText("Version 0.4.0 was given up: the former one runs again.").waitFor();
      await visit.page.getByText("no camera is recorded").waitFor();
    }));
});
