import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../src/camera/index.js";
import { g711ToPcm } from "../../src/live/codec/g711.js";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { OnvifCamera } from "../support/camera/onvif-camera.js";
import { eventsOf } from "../support/event/service-events.js";
import { ffmpegFilter, hear, tonePcm } from "../support/media/tone.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import { LOOKS, type PageVisit } from "../support/page/page-visit.js";
import { GstTalkCamera } from "../support/rtsp/gst-talk-camera.js";

const LOGIN = "viewer";
const PASSWORD = "Camera-secret-9";
const HERTZ = 600;
const OUTPUTS = /^(Outputs|Выходы)/;
const ANNOUNCEMENTS = /^(Announcements|Объявления)$/;

const browser = new PageBrowser();
let directory: TemporaryDirectory;
let recorder: PageService;
let door: OnvifCamera;
let talkCamera: GstTalkCamera;
let sound: string;

async function addOnvif(name: string, device: OnvifCamera, more: object = {}): Promise<void> {
  const { SenderId } = await recorder.service.json<{ SenderId: string }>("/configex?responsetype=json");
  const ConnectionSettings = {
    ...{ ModelId: ONVIF_MODEL.id, Hostname: device.address, Login: LOGIN, Password: PASSWORD },
    ...more,
  };
  const body = [{ Name: name, ServerBindingsSettings: { OwnerServerId: SenderId }, ConnectionSettings }];
  await recorder.service.json("/configure/channels", { method: "POST", body });
}

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  directory = new TemporaryDirectory("page-devices");
  sound = directory.join("Closing time.wav");
  const pcm = tonePcm({ frequency: HERTZ, level: 0.5, rate: 8000, seconds: 2 });
  writeFileSync(
    sound,
    await ffmpegFilter(
      ["-f", "s16le", "-ar", "8000", "-ac", "1", "-i", "pipe:0", "-f", "wav", "pipe:1"],
      pcm,
    ),
  );
  recorder = await PageService.start({ cameras: ["Hall"] });
  talkCamera = await GstTalkCamera.start();
  const rtspUrl = (): string => recorder.source?.url(0) ?? "";
  const scripted = { rtspUrl, login: LOGIN, password: PASSWORD, host: "127.0.0.2" };
  door = await OnvifCamera.start({ ...scripted, relays: [["lamp"], ["door", 5]] });
  await addOnvif("Door", door, { IoProcessingEnabled: true });
  await addOnvif("Porch", door);
  await recorder.service.addCameras([
    { name: "Yard", url: talkCamera.url("pcmu"), format: "MJPEG", archivingDisabled: true, soundVolume: 100 },
    {
      name: "Attic",
      url: talkCamera.url("mute"),
      format: "MJPEG",
      archivingDisabled: true,
      soundVolume: 100,
    },
  ]);
});

afterAll(async () => {
  await browser.close();
  await recorder?.stop();
  await talkCamera?.stop();
  await door?.stop();
  directory?.remove();
});

async function enlarged(visit: PageVisit, camera: string) {
  const tile = visit.page.getByRole("listitem", { name: camera, exact: true });
  await tile
    .getByRole("button", { name: new RegExp(`^(Enlarge|Увеличить:?) ${camera}$`) })
    .first()
    .click();
  return tile;
}

/** The dialog of a camera's devices, as a person opens it. */
async function opened(visit: PageVisit, camera: string, name: RegExp) {
  const tile = await enlarged(visit, camera);
  await tile.getByRole("button", { name }).click();
  const dialog = visit.page.getByRole("dialog", { name: camera });
  await dialog.waitFor();
  return dialog;
}

describe.skipIf(noBrowser !== undefined)(`outputs and announcements on the wall${notHere(noBrowser)}`, () => {
  it.each(LOOKS)("are offered at a camera, at $size size, $theme, $language", (options) =>
    browser.visit(recorder.origin, options, async (visit) => {
      await visit.logIn();
      const dialog = await opened(visit, "Door", OUTPUTS);
      await dialog.getByText("door", { exact: false }).first().waitFor();
      await dialog.getByText(/goes off by itself after 5 seconds|выключается сам: 5 секунд/).waitFor();
      await visit.shot("outputs");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
      await dialog.getByRole("button", { name: /^(Close|Закрыть)$/ }).click();
      const speaker = await opened(visit, "Yard", ANNOUNCEMENTS);
      await speaker.getByRole("heading", { name: /^(Announcements|Объявления)$/ }).waitFor();
      await visit.shot("announcements");
      expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
    }),
  );

  it("switch an output, also for a time, and say how it was left", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const dialog = await opened(visit, "Door", OUTPUTS);
      await dialog.getByRole("button", { name: "Switch on: lamp" }).click();
      await dialog.getByRole("listitem").filter({ hasText: "lamp switched on" }).waitFor();
      await dialog.getByLabel("For how long").selectOption("1");
      await dialog.getByRole("button", { name: "Switch off: lamp" }).click();
      await dialog.getByRole("listitem").filter({ hasText: "lamp switched off for 1 second" }).waitFor();
      await visit.page.getByText("Door, lamp: switched off for 1 second").waitFor();
      await expect.poll(() => door.relayCommands).toEqual(["lamp active", "lamp inactive", "lamp active"]);
      const raised = await eventsOf(recorder.service, "outputSwitched");
      expect(raised.length).toBe(2);
    }));

  it("are switched by the keyboard alone", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const before = door.relayCommands.length;
      await visit.tabTo("button", "Enlarge Hall");
      await visit.press("ArrowRight");
      await visit.page
        .getByRole("button", { name: "Enlarge Door" })
        .and(visit.page.locator(":focus"))
        .waitFor();
      await visit.press("o");
      const dialog = visit.page.getByRole("dialog", { name: "Door" });
      await dialog.getByRole("button", { name: "Switch on: door" }).waitFor();
      await visit.tabTo("button", "Switch on: door");
      await visit.press("Enter");
      await visit.page.getByText("Door, door: switched on for 5 seconds").waitFor();
      expect(door.relayCommands.slice(before)).toEqual(["door active"]);
      await visit.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }));

  it("are offered where a camera has outputs that are used, and nowhere else", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      const outputs = async (camera: string): Promise<number> => {
        const tile = await enlarged(visit, camera);
        await tile.getByRole("button", { name: "Save a picture" }).waitFor();
        const count = await tile.getByRole("button", { name: /Outputs/ }).count();
        await visit.press("Escape");
        await tile
          .getByRole("button", { name: `Enlarge ${camera}` })
          .first()
          .waitFor();
        return count;
      };
      await expect.poll(() => outputs("Door")).toBe(1);
      for (const camera of ["Porch", "Hall", "Yard"])
        expect([camera, await outputs(camera)]).toEqual([camera, 0]);
    }));

  it("are offered as soon as they are used", () =>
    browser.visit(recorder.origin, {}, async (visit) => {
      await visit.logIn();
      await addOnvif("Late", door, { IoProcessingEnabled: true });
      await visit.page.getByRole("button", { name: "Enlarge Late" }).first().waitFor();
      await (await enlarged(visit, "Late")).getByRole("button", { name: "Outputs" }).waitFor();
    }));

  it("are switched on at the camera in the settings, with how loud its loudspeaker is", () =>
    // The camera has no events.
    browser.visit(
      recorder.origin,
      {
        isNobody: true,
        address: "#/settings?part=cameras",
        allow: [/status of 501 .*cameraevents/],
      },
      async (visit) => {
        interface Kept {
          readonly Id: string;
          readonly Name: string;
          readonly ConnectionSettings: object;
        }
        const kept = async (): Promise<Kept | undefined> =>
          (await recorder.service.json<Kept[]>("/configure/channels")).find(({ Name }) => Name === "Spare");
        await addOnvif("Spare", door);
        await visit.logIn();
        await visit.page.goto(
          `${recorder.origin}/#/settings?part=cameras&camera=${(await kept())?.Id}&view=events`,
        );
        const form = visit.page.locator("form").filter({ hasText: "Loudspeaker, inputs and outputs" });
        await form.getByLabel("Speak to it, and play announcements").check();
        await form.getByLabel("How loud, 0 to 100").fill("101");
        await form.getByLabel("Use the inputs and outputs of the camera").check();
        await form.getByRole("button", { name: "Save" }).click();
        await form.getByRole("alert").getByText("How loud is a number from 0 to 100.").waitFor();
        await form.getByLabel("How loud, 0 to 100").fill("70");
        await visit.shot("camera-devices");
        expect([await visit.violations(), await visit.isTooWide()]).toEqual([[], false]);
        await form.getByRole("button", { name: "Save" }).click();
        await visit.page.getByText("Spare is saved.").waitFor();
        expect((await kept())?.ConnectionSettings).toMatchObject({
          ...{ SoundTransmittingEnabled: true, SoundVolume: 70, IoProcessingEnabled: true },
        });
      },
    ));

  it("take a sound file, play it at the camera, and delete it", () =>
    browser.visit(recorder.origin, { allow: [/status of 409 .*announcements/] }, async (visit) => {
      await visit.logIn();
      const dialog = await opened(visit, "Yard", ANNOUNCEMENTS);
      await dialog.getByText("No announcement is kept yet.").waitFor();
      await dialog.getByLabel("Add a sound file…").setInputFiles(sound);
      await dialog.getByText(/Closing time 2 seconds/).waitFor();
      await dialog.getByLabel("Name of the new announcement").fill("Good evening");
      await dialog.getByLabel("Add a sound file…").setInputFiles(sound);
      await dialog.getByText(/Good evening 2 seconds/).waitFor();
      await visit.shot("announcements-kept");
      const heard = talkCamera.heard().length;
      await dialog.getByRole("button", { name: "Play: Closing time" }).click();
      await dialog.getByText("“Closing time” was played at Yard.").waitFor();
      await expect.poll(() => talkCamera.heard()[heard]?.hasEnded).toBe(true);
      const { sound: bytes } = talkCamera.heard()[heard] ?? { sound: Buffer.alloc(0) };
      expect(hear(g711ToPcm([bytes.subarray(1600, 8000)], "mu"), 8000).frequency).toBeCloseTo(HERTZ, -1);
      await dialog.getByRole("button", { name: "Delete the announcement “Good evening”" }).click();
      await dialog.getByRole("button", { name: "Delete “Good evening” for good" }).click();
      await visit.page.getByText("The announcement “Good evening” is deleted.").waitFor();
      await expect.poll(() => dialog.getByText(/Good evening 2 seconds/).count()).toBe(0);
    }));

  it("say why a sound is not heard, or not taken", () =>
    browser.visit(recorder.origin, { allow: [/status of 400 .*announcements/] }, async (visit) => {
      await visit.logIn();
      const dialog = await opened(visit, "Attic", ANNOUNCEMENTS);
      await dialog.getByRole("button", { name: "Play: Closing time" }).click();
      await dialog.getByText(/^“Closing time” was not played: .*back channel/).waitFor();
      const file = directory.join("no sound.wav");
      writeFileSync(file, "this is no sound");
      await dialog.getByLabel("Add a sound file…").setInputFiles(file);
      await visit.page
        .getByRole("status")
        .getByText(/neither WAV nor AAC|damaged|WAV/)
        .waitFor();
    }));

  it("are not offered to users who may neither speak nor switch, and announcements alone to those who may speak", () =>
    browser.visit(recorder.origin, { allow: [/401/] }, async (visit) => {
      const group = async (name: string, CanTransmitSound: boolean): Promise<void> => {
        const { CreatedObjectsIds } = await recorder.service.json<{ CreatedObjectsIds: string[] }>(
          "/configure/groups",
          {
            method: "POST",
            body: [
              {
                Name: name,
                Rights: { CanTransmitSound },
                ChannelsAccessOptions: { AllRealtimeAllowed: true, AllArchiveAllowed: true },
              },
            ],
          },
        );
        const body = [{ Name: name, Password: "a guard of ours", GroupId: CreatedObjectsIds[0] }];
        await recorder.service.json("/configure/users", { method: "POST", body });
      };
      await group("guard", true);
      await group("watcher", false);
      await visit.logIn("guard", "a guard of ours");
      const dialog = await opened(visit, "Yard", ANNOUNCEMENTS);
      await dialog.getByRole("button", { name: "Play: Closing time" }).waitFor();
      expect(await dialog.getByRole("button", { name: /Delete|Switch/ }).count()).toBe(0);
      expect(await dialog.getByLabel("Add a sound file…").count()).toBe(0);
      await visit.press("Escape");
      await visit.openAsNobody();
      await visit.logIn("watcher", "a guard of ours");
      await visit.page.getByRole("button", { name: "Enlarge Yard" }).first().click();
      expect(await visit.page.getByRole("button", { name: /Announcements|Outputs/ }).count()).toBe(0);
    }));
});
