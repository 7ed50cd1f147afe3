import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../../support/base/not-here.js";
import { OnvifCamera } from "../../../support/camera/onvif-camera.js";
import { noBrowser, PageBrowser } from "../../../support/page/page-browser.js";
import { PageService } from "../../../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../../../support/page/page-visit.js";

const PASSWORD = "Camera-secret-9";
const CAMERAS = "#/settings?part=cameras";
/** What another program sets, and what undoes it. */
const OF_ANOTHER = {
  AnalyzeSettings: { MotionDetectorEnabled: true },
  ArchiveSettings: { Schedule: { Monday: [{ From: "08:00", To: "09:00" }] } },
};
const AS_BEFORE = {
  AnalyzeSettings: { MotionDetectorEnabled: false },
  ArchiveSettings: { ArchivingMode: "AlwaysOn", Schedule: null },
};

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
  recorder = await PageService.start({ cameras: ["Gate", "Yard"], recordedUs: 2_000_000 });
  const rtspUrl = (): string => recorder.source?.url(0) ?? "";
  dome = await OnvifCamera.start({ rtspUrl, login: "viewer", password: PASSWORD, host: "127.0.0.2" });
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await dome?.stop();
});

/** The cameras as they are set up now, by name. */
async function known(name: string): Promise<CameraObject | undefined> {
  const list = await recorder.service.json<CameraObject[]>("/configure/channels");
  return list.find((camera) => camera.Name === name);
}

/** Changes a camera as another program does. */
async function change(name: string, part: object): Promise<void> {
  const camera = await known(name);
  const ConnectionSettings = { ModelId: camera?.ConnectionSettings.ModelId };
  await recorder.service.json(`/configure/channels/${camera?.Id}`, {
    ...{ method: "PUT", body: { ...part, ConnectionSettings } },
  });
}

async function openList(visit: PageVisit): Promise<void> {
  await visit.logIn();
  await visit.page.getByRole("list", { name: /^(Cameras|Камеры)$/ }).waitFor();
}

/** Opens one camera from the list. */
async function openCamera(visit: PageVisit, name: string): Promise<void> {
  await openList(visit);
  await visit.page.getByRole("link", { name, exact: true }).click();
  await visit.page.getByRole("heading", { level: 2, name }).waitFor();
}

async function save(visit: PageVisit, name: string): Promise<void> {
  await visit.button("Save").click();
  await visit.page.getByText(`${name} is saved.`).waitFor();
}

describe.skipIf(noBrowser !== undefined)(`the cameras of the recorder${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are shown with what they do now, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, { ...options, address: CAMERAS }, async (visit) => {
      await openList(visit);
      const recorded = visit.page.getByText(/^(Is recorded\.|Записывается\.)$/);
      await expect.poll(() => recorded.count()).toBe(2);
      await visit.page
        .getByRole("img", { name: /^(What Gate shows now|Что сейчас показывает Gate)$/ })
        .waitFor();
      await visit.shot("cameras");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await visit.page.getByRole("link", { name: "Gate", exact: true }).click();
      await visit.page.getByRole("cell", { name: /^0[.,]\d+ (Mbit|Мбит).* \d+ (pictures|кадр)/ }).waitFor();
      await visit.shot("camera");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("get another name, place, mode and time to be kept", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openCamera(visit, "Yard");
      await visit.field("Name").fill("Back yard");
      await visit.field("Place or note").fill("Over the ramp");
      await visit.field("Record").selectOption({ label: "On motion" });
      await visit.field("Motion is detected by").selectOption({ label: "nobody" });
      await visit.page.getByText("choose who detects motion").waitFor();
      await visit.field("Motion is detected by").selectOption({ label: "the recorder" });
      await visit.field("Seconds before motion").selectOption({ label: "3 seconds" });
      await visit.field("Seconds after motion").selectOption({ label: "6 seconds" });
      await visit.field("Sound").selectOption({ label: "Live only" });
      await visit.field("Days kept at least").fill("20");
      await visit.field("Days kept at most").fill("14");
      await visit.button("Save").click();
      await expect.poll(() => visit.alert().textContent()).toBe("At least is more than at most.");
      await visit.field("Days kept at least").fill("7");
      await save(visit, "Back yard");
      expect(await known("Back yard")).toMatchObject({
        Description: "Over the ramp",
        ConnectionSettings: { SoundReceivingEnabled: true },
        ArchiveSettings: {
          ...{ ArchivingMode: "MDandManual", ArchivingDisabled: false, ArchivingSoundDisabled: true },
          ...{ ArchivingMinDeepnessInDays: 7, ArchivingMaxDeepnessInDays: 14 },
          ...{ PreMotionDetectionRecSecs: 3, PostMotionDetectionRecSecs: 6 },
        },
        AnalyzeSettings: { MotionDetectorEnabled: true },
      });
      await visit.field("Record").selectOption({ label: "Always" });
      await visit.field("Name").fill("Yard");
      await save(visit, "Yard");
    }));

  it("are tried with another address before it is saved, and it is said what is wrong", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openCamera(visit, "Yard");
      const before = (await known("Yard"))?.ConnectionSettings;
      await visit.field("Address").fill("rtsp://127.0.0.1:9/nothing");
      await visit.button("Save").click();
      await visit.page.getByText(/^It does not answer\. Is it switched on/).waitFor();
      await visit.page.getByText("so nothing was saved").waitFor();
      await visit.shot("camera refused");
      expect((await known("Yard"))?.ConnectionSettings).toEqual(before);
      await visit.field("Address").fill(recorder.source?.url(0) ?? "");
      await visit.button("Try it").click();
      await visit.page.getByText("The camera answers and can be recorded.").waitFor();
      await visit.page.getByText(/H\.264, 320 × 240, \d+ pictures/).waitFor();
      await visit.page.locator(".trial").getByRole("img", { name: "What Yard shows now" }).waitFor();
      await visit.shot("camera tried");
      expect(await visit.violations()).toEqual([]);
      expect((await known("Yard"))?.ConnectionSettings).toEqual(before);
    }));

  it("are saved with an address that does not answer yet, if somebody wants it", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openCamera(visit, "Yard");
      const address = await visit.field("Address").inputValue();
      await visit.field("Address").fill("rtsp://127.0.0.1:9/later");
      await visit.button("Save").click();
      await visit.button("Save all the same").click();
      await visit.page.getByText("Yard is saved.").waitFor();
      await visit.page.getByText(/Sends nothing\. It does not answer/).waitFor();
      await visit.page.getByRole("img", { name: "The last recorded picture of Yard" }).waitFor();
      await visit.page.getByRole("link", { name: "All cameras" }).click();
      await visit.page.getByRole("img", { name: "The last recorded picture of Yard" }).waitFor();
      await visit.shot("camera lost");
      await visit.page.getByRole("link", { name: "Yard", exact: true }).click();
      await visit.field("Address").fill(address);
      await save(visit, "Yard");
      await visit.page.getByText("Is recorded.").waitFor();
    }));

  it("are not overwritten where somebody else changed the camera meanwhile, but where it was another one", () =>
    browser.visit(recorder.origin, { address: CAMERAS, allow: [/409/] }, async (visit) => {
      await openCamera(visit, "Yard");
      await visit.field("Place or note").fill("Mine");
      await change("Gate", { Description: "by another one" });
      await save(visit, "Yard");
      expect((await known("Yard"))?.Description).toBe("Mine");
      await visit.field("Place or note").fill("Mine again");
      await change("Yard", { Description: "by another one" });
      await visit.button("Save").click();
      await visit.page.getByText(/^Somebody else has changed this camera meanwhile/).waitFor();
      await expect.poll(() => visit.field("Place or note").inputValue()).toBe("by another one");
    }));

  it("keep what somebody else changed while another screen was shown", () =>
    browser.visit(recorder.origin, { address: CAMERAS, allow: [/409/] }, async (visit) => {
      await openCamera(visit, "Yard");
      await visit.screen("Account");
      await visit.heading("Account").first().waitFor();
      await change("Yard", { Description: "changed meanwhile" });
      await visit.page.goBack();
      await expect.poll(() => visit.field("Place or note").inputValue()).toBe("changed meanwhile");
    }));

  it("keep what somebody else changed while the recorder did not answer", () =>
    browser.visit(recorder.origin, { address: CAMERAS, allow: [/409|ERR_INTERNET/] }, async (visit) => {
      await openCamera(visit, "Yard");
      await visit.field("Name").fill("Mine");
      await visit.page.context().setOffline(true);
      await visit.page.getByText("The recorder does not answer.").waitFor();
      await change("Yard", { Description: "while it was away" });
      await visit.page.context().setOffline(false);
      await visit.page.getByText("The recorder does not answer.").waitFor({ state: "detached" });
      expect(await visit.field("Name").inputValue()).toBe("Mine");
      await visit.button("Save").click();
      await visit.page.getByText(/^Somebody else has changed this camera meanwhile/).waitFor();
      expect(await known("Yard")).toMatchObject({ Description: "while it was away" });
      await expect.poll(() => visit.field("Place or note").inputValue()).toBe("while it was away");
    }));

  it.each(["schedule", "motion"])(
    "show their %s anew where somebody else changed the camera meanwhile",
    async (view) => {
      const id = (await known("Yard"))?.Id;
      const address = `${CAMERAS}&camera=${id}&view=${view}`;
      await browser.visit(recorder.origin, { address, allow: [/409/] }, async (visit) => {
        await visit.logIn();
        await visit.button("Save").waitFor();
        await change("Yard", OF_ANOTHER);
        await visit.button("Save").click();
        await visit.page.getByText(/^Somebody else has changed this camera meanwhile/).waitFor();
        await save(visit, "Yard");
        expect(await known("Yard")).toMatchObject(OF_ANOTHER);
        await change("Yard", AS_BEFORE);
      });
    },
  );

  it("leave the focus on the button that saves them", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openCamera(visit, "Yard");
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText("Yard is saved.").waitFor();
      expect(await visit.button("Save").and(visit.page.locator(":focus")).count()).toBe(1);
    }));

  it("are added by an address, with their login, and removed again", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openList(visit);
      await visit.page.getByRole("link", { name: "Add cameras" }).click();
      await visit.button("Look again").and(visit.page.locator(":not([aria-disabled])")).waitFor();
      await visit.page.getByText("Add by address").click();
      await visit.field("Address").first().fill(dome.address);
      await visit.button("Look there").click();
      const row = visit.page.getByRole("listitem").filter({ hasText: dome.address });
      await row.waitFor();
      for (const other of await visit.page.getByRole("checkbox", { name: /^Choose/ }).all())
        await other.uncheck();
      await row.getByRole("checkbox").check();
      await visit.field("Login of the cameras").first().fill("viewer");
      await visit.field("Password of the cameras").first().fill("wrong");
      await visit.button("Try it on 1 camera").click();
      await visit.page.getByText(/^Login or password is wrong/).waitFor();
      await visit.field("Password of the cameras").first().fill(PASSWORD);
      await visit.button("Try it on 1 camera").click();
      await visit.shot("add cameras");
      await visit.page.getByRole("textbox", { name: "Name", exact: true }).fill("Dome");
      await visit.button("Add 1 camera").click();
      await visit.page.getByText("1 camera is added and recorded from now on.").waitFor();
      await visit.page.getByRole("link", { name: "All cameras" }).click();
      await visit.page.getByRole("link", { name: "Dome", exact: true }).click();
      expect((await known("Dome"))?.ConnectionSettings).toMatchObject({ Hostname: dome.address });
      await visit.button("Remove the camera").click();
      await visit.field("Delete its recordings too").check();
      await visit.button("Remove Dome and its recordings").click();
      await visit.page.getByText("Dome is removed.").waitFor();
      expect(await known("Dome")).toBeUndefined();
    }));

  it("are added by the address of their stream", () =>
    browser.visit(recorder.origin, { address: `${CAMERAS}&add=1` }, async (visit) => {
      await visit.logIn();
      await visit.page.getByText("Add by the address of the stream (RTSP)").click();
      await visit.field("Name").fill("Store");
      await visit.field("Address of the stream").fill("192.168.1.10");
      await visit.button("Add the camera").click();
      await expect.poll(() => visit.alert().textContent()).toMatch(/begins with rtsp:/);
      await visit.field("Address of the stream").fill(recorder.source?.url(1) ?? "");
      await visit.button("Add the camera").click();
      await visit.page.getByRole("heading", { level: 2, name: "Store" }).waitFor();
      await visit.page.getByText("Is recorded.").waitFor();
      await visit.button("Remove the camera").click();
      await visit.button("Remove Store").click();
      await visit.page.getByText("Store is removed.").waitFor();
    }));

  it("are set up by keys alone", () =>
    browser.visit(recorder.origin, { address: CAMERAS }, async (visit) => {
      await openList(visit);
      await visit.tabTo("link", "Gate");
      await visit.press("Enter");
      await visit.page.getByRole("heading", { level: 2, name: "Gate" }).waitFor();
      await visit.tabTo("combobox", "Record");
      await visit.page.keyboard.type("When");
      await visit.tabTo("button", "Save");
      await visit.press("Enter");
      await visit.page.getByText("Gate is saved.").waitFor();
      expect((await known("Gate"))?.ArchiveSettings).toMatchObject({ ArchivingMode: "OnlyManual" });
      await visit.field("Record").selectOption({ label: "Always" });
      await save(visit, "Gate");
    }));

  it("are nobody's to see or change who is no administrator", async () => {
    const { service } = recorder;
    const access = { AllRealtimeAllowed: true, AllArchiveAllowed: true };
    const groups = [{ Name: "Guards", Rights: {}, ChannelsAccessOptions: access }];
    const { CreatedObjectsIds: ids } = await service.json<{ CreatedObjectsIds: string[] }>(
      "/configure/groups",
      { method: "POST", body: groups },
    );
    const users = [{ Name: "guard", GroupId: ids[0], Password: "a long sentence of hers" }];
    await service.json("/configure/users", { method: "POST", body: users });
    await browser.visit(recorder.origin, { address: CAMERAS, allow: [/403/] }, async (visit) => {
      await visit.logIn("guard", "a long sentence of hers");
      await visit.page.getByText("Settings are for administrators.").waitFor();
      const tried = `fetch("/api/tasks", { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ Kind: "TryCamera", ChannelId: "${recorder.ids[0]}" }) }).then(({ status }) => status)`;
      expect(await visit.page.evaluate(tried)).toBe(403);
    });
  });
});
