import { afterAll, beforeAll, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { H264_CLIP, MJPEG_CLIP, readClip } from "../../../src/demo/demo-cameras.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { CAMERA_LOGIN, ChangingCamera } from "../../support/camera/changing-camera.js";
import { MAIN_PROFILE, OnvifCamera, SUB_PROFILE } from "../../support/camera/onvif-camera.js";
import { PictureCamera } from "../../support/camera/picture-camera.js";
import { reply } from "../../support/rtsp/scripted-rtsp-server.js";
import { apiTime, pause, Service } from "../../support/service/service.js";

const YEAR_MS = 365 * 86_400_000;

interface StreamStatus {
  readonly StreamType: string;
  readonly Status: string;
  readonly Cause: string | null;
  readonly Reason: string | null;
  readonly Codec: string | null;
  readonly Width: number | null;
}
interface ChannelStatus {
  readonly Status: string;
  readonly IsRecording: boolean;
  readonly Streams: readonly StreamStatus[];
}

let directory: TemporaryDirectory;
let service: Service;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("camera-changes");
  service = await Service.start({ dataDir: directory.join("data") });
});
afterAll(async () => {
  await service?.stop();
  for (const cleanup of cleanups.reverse()) await cleanup();
  directory?.remove();
});

function uuid(number: number): string {
  return `c4a46e00-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

async function camera(number: number): Promise<ChangingCamera> {
  const made = new ChangingCamera({
    host: `127.0.61.${number}`,
    uuid: uuid(number),
    clip: await readClip(H264_CLIP),
  });
  cleanups.push(() => made.powerOff());
  await made.boot();
  return made;
}

async function add(address: string): Promise<string> {
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const { login: Login, password: Password } = CAMERA_LOGIN;
  const connection = { ModelId: ONVIF_MODEL.id, Hostname: address, Login, Password };
  const object = {
    Name: `Camera ${address}`,
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: connection,
  };
  const created = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
    method: "POST",
    body: [object],
  });
  return created.CreatedObjectsIds[0] ?? "";
}

async function statusUntil(id: string, is: (status: ChannelStatus) => boolean): Promise<ChannelStatus> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const status = await service.json<ChannelStatus>(`/api/channels/${id}/status`);
    if (is(status) || performance.now() > deadline) return status;
    await pause(50);
  }
}

function streamOf({ Streams }: ChannelStatus, type: string): StreamStatus | undefined {
  return Streams.find(({ StreamType }) => StreamType === type);
}

it.concurrent("a camera that boots with its clock twenty years back is recorded again, at the recorder's time", async () => {
  const rebooted = await camera(2);
  const id = await add(rebooted.onvif.address);
  await service.recorded([id], 1_000_000);
  await rebooted.powerOff();
  await statusUntil(id, ({ Status }) => Status === "Lost");
  const backUs = Date.now() * 1000;
  await rebooted.boot({ clockOffsetMs: -20 * YEAR_MS });
  await service.recorded([id], 1_000_000, PATIENCE_MS, backUs);
  const fragments = await service.fragments(id);
  expect(fragments).toHaveLength(2);
  expect(fragments.filter(({ toUs }) => toUs > (Date.now() + 5000) * 1000)).toEqual([]);
  // A token made by the time it had before may be refused, to the streams' description and to its events; each then
  // reads the new time.
  expect(rebooted.onvif.refusals).toBeLessThanOrEqual(2);
});

it.concurrent("a camera that changes codec and resolution while it is recorded goes on being recorded, each part as it was sent", async () => {
  const changed = await camera(3);
  const id = await add(changed.onvif.address);
  await service.recorded([id], 1_000_000);
  const beforeUs = Date.now() * 1000;
  await changed.powerOff();
  await changed.boot({ clip: await readClip(MJPEG_CLIP) });
  await service.recorded([id], 1_000_000, PATIENCE_MS, beforeUs);
  const status = await statusUntil(id, ({ Status }) => Status === "Ok");
  expect(streamOf(status, "Main")).toMatchObject({ Codec: "MJPEG", Width: 320 });
  const [first] = await service.fragments(id);
  const from = apiTime(first?.fromUs ?? 0);
  const video = await service.video(`channelid=${id}&mode=archive&starttime=${from}&speed=20`);
  const kinds: string[] = [];
  for await (const { contentType } of video.parts) {
    const kind = /^(?:video, h264|image\/jpeg)/.exec(contentType)?.[0];
    if (kind !== undefined && kinds.at(-1) !== kind) kinds.push(kind);
    if (kinds.length === 2) break;
  }
  video.close();
  expect(kinds).toEqual(["video, h264", "image/jpeg"]);
});

it.concurrent("a camera that serves one session keeps being recorded while a second stream is asked for and told busy", async () => {
  let holder: object | undefined;
  const transport = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1";
  const pictures = await new PictureCamera({
    answers: {
      SETUP: (_request, socket) => {
        if (holder !== undefined && holder !== socket) return reply(453);
        holder = socket;
        socket.on("close", () => {
          if (holder === socket) holder = undefined;
        });
        return reply(200, ["Session: 4711;timeout=60", transport]);
      },
    },
  }).start();
  cleanups.push(() => pictures.stop());
  const rtspUrl = ({ token }: { readonly token: string }) => `${pictures.server.url}?profile=${token}`;
  const device = await OnvifCamera.start({
    ...CAMERA_LOGIN,
    uuid: uuid(4),
    rtspUrl,
    profiles: [MAIN_PROFILE, SUB_PROFILE],
  });
  cleanups.push(() => device.stop());
  const id = await add(device.address);
  await service.recorded([id], 1_000_000);
  await statusUntil(id, (status) => streamOf(status, "Alternative") !== undefined);
  const viewer = await service.open(`/video?channelid=${id}&streamtype=alternative`);
  const status = await statusUntil(id, (now) => streamOf(now, "Alternative")?.Status === "Lost");
  expect(streamOf(status, "Alternative")).toMatchObject({
    Cause: "no-stream",
    Reason: expect.stringContaining("busy"),
  });
  await pause(2000);
  viewer.destroy();
  expect(streamOf(await statusUntil(id, () => true), "Main")).toMatchObject({ Status: "Ok" });
  const fragments = await service.fragments(id);
  expect(fragments).toHaveLength(1);
  expect((fragments[0]?.toUs ?? 0) - (fragments[0]?.fromUs ?? 0)).toBeGreaterThan(2_500_000);
});

it("a camera that boots at another address after a power failure is found by its identity and recorded on", async () => {
  const mover = await camera(1);
  const id = await add(mover.onvif.address);
  await service.recorded([id], 1_000_000);
  await service.stop();
  await mover.powerOff();
  service = await Service.start({ dataDir: directory.join("data") });
  // The recorder is up before the camera: it has seen that nothing answers at the old address.
  await service.process.waitFor(/"device":"127\.0\.61\.1:\d+".*"lostCause":"unreachable"/);
  const backUs = Date.now() * 1000;
  await mover.boot({ host: "127.0.61.101" });
  await service.recorded([id], 1_000_000, PATIENCE_MS, backUs);
  interface Shown {
    ConnectionSettings: { Hostname: string };
  }
  const { ConnectionSettings } = await service.json<Shown>(`/configure/channels/${id}`);
  expect(ConnectionSettings.Hostname).toBe(mover.onvif.address);
  expect(mover.onvif.refusals).toBe(0);
  expect(service.log).not.toContain(CAMERA_LOGIN.password);
});
