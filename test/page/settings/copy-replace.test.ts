import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/index.js";
import { notHere } from "../../support/base/not-here.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { noBrowser, PageBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { LOOKS } from "../../support/page/page-visit.js";

const PASSWORD = "Camera-secret-9";

interface CameraObject {
  readonly Id: string;
  readonly Name: string;
  readonly ConnectionSettings: { readonly ModelId: string; readonly Hostname: string };
  readonly [member: string]: unknown;
}

const browser = new PageBrowser();
let recorder: PageService;
let dome: OnvifCamera;

beforeAll(async () => {
  recorder = await PageService.start({ cameras: ["Gate", "Yard", "Roof"], recordedUs: 2_000_000 });
  const rtspUrl = (): string => recorder.source?.url(1) ?? "";
  dome = await OnvifCamera.start({ rtspUrl, login: "viewer", password: PASSWORD });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await dome?.stop();
});

const address = (view: string): string => `#/settings?part=cameras&camera=${recorder.ids[0]}&view=${view}`;

async function known(name: string): Promise<CameraObject> {
  const list = await recorder.service.json<CameraObject[]>("/configure/channels");
  const found = list.find((camera) => camera.Name === name);
  if (found === undefined) throw new Error(`there is no camera ${name}`);
  return found;
}

async function change(name: string, settings: object): Promise<void> {
  const { Id, ConnectionSettings } = await known(name);
  const { ModelId } = ConnectionSettings;
  const body = { ConnectionSettings: { ModelId }, ...settings };
  await recorder.service.json(`/configure/channels/${Id}`, { method: "PUT", body });
}

describe.skipIf(noBrowser !== undefined)(`the settings of a camera${notHere(noBrowser)}`, () => {
  it("are copied to others, what was chosen and no more, and it is said what to look at there", async () => {
    const Schedule = { Monday: [{ From: "08:00", To: "18:00" }] };
    const zones = [{ Name: "Ramp", Grid: { Columns: 1, Rows: 2, Cells: "01" } }];
    await change("Gate", {
      ArchiveSettings: { ArchivingMode: "MDandManual", Schedule, ArchivingMaxDeepnessInDays: 9 },
      AnalyzeSettings: { MotionDetectorEnabled: true, MotionDetectorSettings: { Zones: zones } },
    });
    await change("Yard", { AnalyzeSettings: { MotionDetectorEnabled: false } });
    const roof = await known("Roof");
    await browser.visit(recorder.origin, { address: address("copy") }, async (visit) => {
      await visit.logIn();
      await visit.field("When it records").check();
      await visit.field("Schedule").check();
      await visit.field("Zones of the picture").check();
      await visit.field("Yard").check();
      await visit.button("Copy now").click();
      await visit.page.getByText("Yard has it now.").waitFor();
      await visit.page.getByText("Nobody detects motion there").waitFor();
      await visit.page.getByText("look whether the zones fit").waitFor();
      await visit.shot("copy");
      expect(await visit.violations()).toEqual([]);
    });
    expect(await known("Yard")).toMatchObject({
      ArchiveSettings: { ArchivingMode: "MDandManual", Schedule, ArchivingMaxDeepnessInDays: 0 },
      AnalyzeSettings: { MotionDetectorEnabled: false, MotionDetectorSettings: { Zones: zones } },
    });
    expect(await known("Roof")).toEqual(roof);
    for (const name of ["Gate", "Yard"])
      await change(name, { ArchiveSettings: { ArchivingMode: "AlwaysOn" } });
  });

  it("are shown for copying on a narrow phone, and worked by keys", () =>
    browser.visit(
      recorder.origin,
      { ...LOOKS[1], viewport: { width: 360, height: 740 }, address: address("copy") },
      async (visit) => {
        await visit.logIn();
        await visit.tabTo("checkbox", "Сколько дней хранить");
        await visit.press("Space");
        await visit.tabTo("checkbox", "На все другие");
        await visit.press("Space");
        await visit.tabTo("button", "Скопировать сейчас");
        await visit.press("Enter");
        await visit.page.getByText("Готово: Roof.").waitFor();
        await visit.shot("copy 360");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        expect((await known("Roof")).ArchiveSettings).toMatchObject({ ArchivingMaxDeepnessInDays: 9 });
      },
    ));

  it("are kept with the recordings where another camera is put in its place", async () => {
    const [gate = ""] = recorder.ids;
    await recorder.service.recorded([gate], 1_000_000);
    const before = await recorder.service.fragments(gate);
    await browser.visit(recorder.origin, { address: address("replace") }, async (visit) => {
      await visit.logIn();
      await visit.field("Address").fill(dome.address);
      await visit.field("Login of the camera").fill("viewer");
      await visit.field("Password of the camera").fill("wrong");
      await visit.button("Save").click();
      await expect.poll(() => visit.alert().textContent()).toMatch(/^Try it first/);
      await visit.button("Try it").click();
      await visit.page.getByText(/^Login or password is wrong/).waitFor();
      await visit.field("Password of the camera").fill(PASSWORD);
      await visit.button("Try it").click();
      await visit.page.getByText("The camera answers and can be recorded.").waitFor();
      await visit.shot("replace");
      expect(await visit.violations()).toEqual([]);
      await visit.button("Save").click();
      await visit.page.getByText("Gate is saved.").waitFor();
      await visit.page.getByText("Is recorded.").waitFor();
    });
    expect((await known("Gate")).Id).toBe(gate);
    expect((await known("Gate")).ConnectionSettings).toMatchObject({
      ...{ ModelId: ONVIF_MODEL.id, Hostname: dome.address },
    });
    const replacedUs = Date.now() * 1000;
    const recordedTo = async (): Promise<number> =>
      (await recorder.service.fragments(gate)).at(-1)?.toUs ?? 0;
    await expect.poll(recordedTo).toBeGreaterThan(replacedUs + 2_000_000);
    const after = await recorder.service.fragments(gate);
    // One channel has what the old camera sent and what the new one sends.
    expect(after.slice(0, before.length).map(({ fromUs }) => fromUs)).toEqual(
      before.map(({ fromUs }) => fromUs),
    );
    for (const timeUs of [(before[0]?.fromUs ?? 0) + 500_000, replacedUs + 1_000_000]) {
      const time = new Date(timeUs / 1000).toISOString().slice(0, 23).replace("T", " ");
      const path = `/site?channelid=${gate}&mode=archive&resolutionx=160&starttime=${encodeURIComponent(time)}`;
      const picture = await recorder.service.get(path);
      expect(picture.status).toBe(200);
    }
  });
});
