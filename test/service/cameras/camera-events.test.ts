import { afterAll, beforeAll, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { OnvifCamera } from "../../support/camera/onvif-camera.js";
import { eventsOf, newEvents, nowUs, until } from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

/** Were the channel still recorded, its fragment would be longer after this. */
const WRITTEN_LATER_MS = 3000;
const PASSWORD = "Camera-secret-9";
const moving = (on: boolean) => ({
  topic: "tns1:RuleEngine/CellMotionDetector/Motion",
  source: { VideoSourceConfigurationToken: "vsc_1", Rule: "Door" },
  data: { IsMotion: String(on) },
});

let directory: TemporaryDirectory;
let service: Service;
let sources: PacedSource;
let camera: OnvifCamera;
let pusher: OnvifCamera;
let id = "";

beforeAll(async () => {
  directory = new TemporaryDirectory("camera-events");
  service = await Service.start({ dataDir: directory.join("data") });
  sources = await PacedSource.start(2, SMALL_CLIP);
  camera = await OnvifCamera.start({
    rtspUrl: ({ token }) => sources.url(token === "profile_2" ? 1 : 0),
    login: "viewer",
    password: PASSWORD,
    ptz: true,
  });
  pusher = await OnvifCamera.start({
    rtspUrl: ({ token }) => sources.url(token === "profile_2" ? 1 : 0),
    login: "viewer",
    password: PASSWORD,
    uuid: "4c1a9b70-0000-4000-8000-b8a44f000002",
    events: "base-notification",
  });
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const body = [
    {
      Name: "Gate",
      ServerBindingsSettings: { OwnerServerId: SenderId },
      ConnectionSettings: {
        ModelId: ONVIF_MODEL.id,
        Hostname: camera.address,
        Login: "viewer",
        Password: PASSWORD,
        PtzEnabled: true,
        IoProcessingEnabled: true,
      },
      ArchiveSettings: { ArchivingMode: "MDandManual" },
      AnalyzeSettings: {
        MotionDetectorEnabled: true,
        MotionDetectorSettings: {
          BuildInCameraDetectorEnabled: true,
          GenerationOfEventMotionStartAndEndEnabled: true,
        },
      },
    },
    {
      Name: "Yard",
      ServerBindingsSettings: { OwnerServerId: SenderId },
      ConnectionSettings: {
        ModelId: ONVIF_MODEL.id,
        Hostname: pusher.address,
        Login: "viewer",
        Password: PASSWORD,
        IoProcessingEnabled: true,
      },
      ArchiveSettings: { ArchivingMode: "OnlyManual" },
    },
  ];
  const request = { method: "POST", body } as const;
  const created = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", request);
  id = created.CreatedObjectsIds[0] ?? "";
  await until(service, "the subscription", () => camera.calls.includes("subscription PullMessages"));
  await until(service, "the other subscription", () => pusher.notifier.open === 1);
});
afterAll(async () => {
  await service?.stop();
  await camera?.stop();
  await pusher?.stop();
  await sources?.stop();
  directory?.remove();
});

it("motion that a camera reports is recorded, and an event when it begins and ends", async () => {
  camera.emit(moving(true));
  expect((await newEvents(service, "motionDetected"))[0]).toMatchObject({ ChannelName: "Gate" });
  await service.recorded([id], 500_000);
  camera.emit(moving(false));
  expect((await newEvents(service, "motionEnded"))[0]).toMatchObject({ ChannelName: "Gate" });
});

it("its recording ends after it, and is reported with its beginning and its end", async () => {
  const [stopped] = await newEvents(service, "recordingStopped");
  const reportedUs = nowUs();
  expect(stopped).toMatchObject({ ChannelName: "Gate", EventComment: "motion ended" });
  expect(await eventsOf(service, "recordingStarted")).toMatchObject([{ ChannelName: "Gate" }]);
  const fragments = await service.fragments(id);
  expect(fragments.at(-1)?.toUs).toBeLessThan(reportedUs);
  await pause(WRITTEN_LATER_MS);
  expect(await service.fragments(id)).toEqual(fragments);
});

it("motion under a name of the camera's own, as 1 and 0, is recorded while it lasts and not after it", async () => {
  const topic = "tns1:VideoAnalytics/tnssamsung:MotionDetection";
  const move = (on: boolean) =>
    camera.emit({
      topic,
      source: { VideoSourceConfigurationToken: "vsc_1" },
      data: { Motion: on ? "1" : "0" },
    });
  move(true);
  expect((await newEvents(service, "recordingStarted", 1))[1]).toMatchObject({
    EventComment: "motion in MotionDetection",
  });
  expect(await eventsOf(service, "motionEnded")).toHaveLength(1);
  move(false);
  await newEvents(service, "motionEnded", 1);
  await newEvents(service, "recordingStopped", 1);
});

it("a person is an event with its end, and recorded like motion, though it is none", async () => {
  const topic = "tns1:RuleEngine/MyRuleDetector/PeopleDetect";
  const see = (on: boolean) => camera.emit({ topic, source: {}, data: { State: String(on) } });
  see(true);
  await newEvents(service, "personDetected");
  expect((await newEvents(service, "recordingStarted", 2))[2]).toMatchObject({
    EventComment: "reported by the camera: Person detected (MyRuleDetector)",
  });
  see(false);
  await newEvents(service, "personGone");
  await newEvents(service, "recordingStopped", 2);
  expect(await eventsOf(service, "motionStarted")).toHaveLength(2);
});

it("a digital input is an event of its channel", async () => {
  const source = { InputToken: "DI_1" };
  camera.emit({ topic: "tns1:Device/Trigger/DigitalInput", source, data: { LogicalState: "true" } });
  const [event] = await newEvents(service, "inputActivated");
  expect(event).toMatchObject({ ChannelName: "Gate", EventComment: "DI_1" });
});

it("a digital input of a camera that pushes its events is one too", async () => {
  const source = { InputToken: "DI_2" };
  pusher.emit({ topic: "tns1:Device/Trigger/DigitalInput", source, data: { LogicalState: "true" } });
  const events = await newEvents(service, "inputActivated", 1);
  expect(events[1]).toMatchObject({ ChannelName: "Yard", EventComment: "DI_2" });
  expect(pusher.notifier.answers).toEqual([200]);
});

it("a camera that a client set moving is stopped when the service ends", async () => {
  const answer = await service.json<object>(
    `/ptz?command=startmove&panspeed=50&stoptimeout=30000&responsetype=json&channelid=${id}`,
  );
  expect(answer).toMatchObject({ Command: "startmove", StopTimeout: 30_000 });
  await service.stop();
  expect(camera.ptzCommands.map(({ operation }) => operation)).toEqual(["ContinuousMove", "Stop"]);
  expect([camera.pullPoints.open, pusher.notifier.open]).toEqual([0, 0]);
  expect(service.log).not.toContain(PASSWORD);
});
