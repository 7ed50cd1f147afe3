import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { MAIN_PROFILE, OnvifCamera } from "../../support/camera/onvif-camera.js";
import { eventsOf, until } from "../../support/event/service-events.js";
import { DeviceLink } from "../../support/onvif/device-link.js";
import { CARD_FPS, GstCardCamera } from "../../support/rtsp/gst-card-camera.js";
import { apiTime, pause, Service } from "../../support/service/service.js";

/** A gap is filled from a card that nobody here wrote: the replay of GStreamer's ONVIF media factory. */

const TIMEOUT_MS = 120_000;
const CUT_MS = 8000;
const SECOND_US = 1_000_000;
const LOGIN = { login: "viewer", password: "Camera-secret-9" } as const;
/** What was on its way when the cable was taken out. */
const ON_ITS_WAY_FRAMES = 3;

interface Listed {
  readonly FromTime: string;
  readonly ToTime: string;
  readonly Origin?: string;
}

let directory: TemporaryDirectory;
let card: GstCardCamera;
let camera: OnvifCamera;
let link: DeviceLink;
let service: Service;
let channelId: string;

beforeAll(async () => {
  directory = new TemporaryDirectory("card-gstreamer");
  card = await GstCardCamera.start();
  camera = await OnvifCamera.start({
    ...LOGIN,
    profiles: [{ ...MAIN_PROFILE, encoding: "H264", width: 160, height: 120 }],
    rtspUrl: card.url("live"),
    card: { replayUrl: card.url("replay"), fromMs: card.startUs / 1000 },
  });
  link = await DeviceLink.start(Number(camera.address.split(":")[1]), card.port);
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }] },
  });
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const added = {
    Name: "Card",
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: {
      ...{ ModelId: ONVIF_MODEL.id, Hostname: link.address, Login: LOGIN.login, Password: LOGIN.password },
    },
    ArchiveSettings: {
      ...{ ArchivingMode: "AlwaysOn", DeviceArchiveEnabled: true },
      DeviceArchiveAutoSynchronizationEnabled: true,
    },
  };
  const created = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
    method: "POST",
    body: [added],
  });
  channelId = created.CreatedObjectsIds[0] ?? "";
  await service.recorded([channelId], 4 * SECOND_US, TIMEOUT_MS);
});

afterAll(async () => {
  await service?.stop();
  await link?.stop();
  await camera?.stop();
  await card?.stop();
  directory?.remove();
});

const listed = async () => {
  const range = "fromtime=01.01.2026%2000:00:00&totime=01.01.2100%2000:00:00";
  const path = `/archivefragments?channelid=${channelId}&${range}&responsetype=json`;
  return (await service.json<{ Fragments: Listed[] }>(path)).Fragments;
};

/** The digest of the slices of a picture: start codes, delimiters and parameter sets do not count. */
function slicesOf(picture: Uint8Array): string {
  const bytes = Buffer.from(picture);
  const starts: number[] = [];
  for (let at = bytes.indexOf("000001", 0, "hex"); at !== -1; at = bytes.indexOf("000001", at + 3, "hex"))
    starts.push(at + 3);
  const hash = createHash("sha256");
  for (const [index, start] of starts.entries()) {
    const type = (bytes[start] ?? 0) & 0x1f;
    let end = (starts[index + 1] ?? bytes.length + 3) - 3;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (type === 1 || type === 5) hash.update(bytes.subarray(start, end));
  }
  return hash.digest("base64");
}

it("a gap is filled from GStreamer's replay: each picture as it was sent, in order, none twice", async () => {
  link.cut(true);
  await pause(CUT_MS);
  link.cut(false);
  await service.recorded([channelId], 2 * SECOND_US, TIMEOUT_MS, Date.now() * 1000);
  await until(service, "the event", async () => (await eventsOf(service, "gapFilled")).length > 0);
  const fragments = await listed();
  const filled = fragments.filter(({ Origin }) => Origin === "Camera");
  const filledMs = filled.map(({ FromTime, ToTime }) => Date.parse(ToTime) - Date.parse(FromTime));
  expect(filledMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(CUT_MS - 3000);

  const fromUs = Date.parse(fragments[0]?.FromTime ?? "") * 1000;
  const toMs = Date.parse(fragments.at(-1)?.ToTime ?? "") - 2000;
  const query = `channelid=${channelId}&mode=archive&streamtype=Main&starttime=${apiTime(fromUs)}&speed=20`;
  const { parts, close } = await service.video(query);
  const places = new Map(card.units.map((unit, at) => [slicesOf(unit), at]));
  expect(places.size).toBe(card.units.length);
  const read: number[] = [];
  for await (const { body, timestampMs } of parts) {
    if (timestampMs >= toMs) break;
    read.push(places.get(slicesOf(body)) ?? -1);
  }
  close();
  expect(read.filter((place) => place < 0)).toEqual([]);
  const steps = read.slice(1).map((place, at) => place - (read[at] ?? 0));
  expect(steps.filter((step) => step <= 0)).toEqual([]);
  // At each end of the gap at most the rest of a group of pictures is missing.
  expect(steps.filter((step) => step > CARD_FPS + ON_ITS_WAY_FRAMES)).toEqual([]);
  expect(steps.filter((step) => step > 1).length).toBeLessThanOrEqual(2);
});
