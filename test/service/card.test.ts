import { afterAll, beforeAll, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../src/camera/index.js";
import type { TimelineAnswer } from "../../src/messages/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { eventsOf, until } from "../support/event/service-events.js";
import { DeviceLink } from "../support/onvif/device-link.js";
import { GUEST, OnvifHouse } from "../support/onvif/onvif-house.js";
import { apiTime, checkOffline, pause, Service } from "../support/service/service.js";

const TIMEOUT_MS = 90_000;
/** Key frames of the source are a second apart. */
const GOP_FRAMES = 25;
/** Of 1.5 s. */
const UNSURE_FRAMES = 38;
const SECOND_US = 1_000_000;
const LONG_GAP_MS = 16_000;
/** Of a gap that is filled a group of pictures may be missing, and a little for jitter. */
const HEAD_MS = 2500;

interface Listed {
  readonly FromTime: string;
  readonly ToTime: string;
  readonly Origin?: string;
}

let house: OnvifHouse;
let link: DeviceLink;
let directory: TemporaryDirectory;
let second: Service;
let channelId: string;

const dataDir = () => directory.join("data");
const start = (settings: object = {}) =>
  Service.start({
    dataDir: dataDir(),
    settings: { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }], ...settings },
  });

beforeAll(async () => {
  directory = new TemporaryDirectory("card");
  house = await OnvifHouse.create({ segmentSeconds: 5 });
  link = await DeviceLink.start(house.service.httpPort, house.rtspPort);
  second = await start();
  const { SenderId } = await second.json<{ SenderId: string }>("/configex?responsetype=json");
  const camera = {
    Name: "From the first",
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: {
      ...{ ModelId: ONVIF_MODEL.id, Hostname: link.address, Login: GUEST.login, Password: GUEST.password },
    },
    ArchiveSettings: {
      ...{ ArchivingMode: "AlwaysOn", DeviceArchiveEnabled: true },
      DeviceArchiveAutoSynchronizationEnabled: true,
    },
  };
  const created = await second.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
    method: "POST",
    body: [camera],
  });
  channelId = created.CreatedObjectsIds[0] ?? "";
  await second.recorded([channelId], 4 * SECOND_US, TIMEOUT_MS);
}, TIMEOUT_MS);

afterAll(async () => {
  await second?.stop();
  await link?.stop();
  await house?.close();
  directory?.remove();
});

it(
  "a gap after a cut of the link is filled with what the camera kept, byte for byte, and nothing twice",
  async () => {
    await cutFor(LONG_GAP_MS);
    await until(second, "the gap to be filled", async () => (await fromCamera()).length > 0);
    await until(second, "the event", async () => (await eventsOf(second, "gapFilled")).length > 0);
    await expectSameFrames();
    const [filled] = await fromCamera();
    const lengthUs = Date.parse(filled?.ToTime ?? "") - Date.parse(filled?.FromTime ?? "");
    expect(lengthUs).toBeGreaterThan(LONG_GAP_MS - 3000);
  },
  TIMEOUT_MS,
);

it("the timeline, exports and the list of the card say where it comes from", async () => {
  const [filled] = await fromCamera();
  const from = Date.parse(filled?.FromTime ?? "") - 2000;
  const to = Date.parse(filled?.ToTime ?? "") + 2000;
  const { Channels } = await second.json<TimelineAnswer>(
    `/api/timeline?channels=${channelId}&from=${from}&to=${to}&steps=4000`,
  );
  expect(Channels[0]?.FromCamera.length).toBeGreaterThan(0);
  const span = `fromtime=${apiTime(from * 1000)}&totime=${apiTime(to * 1000)}`;
  const file = await second.get(`/exportarchive?channelid=${channelId}&${span}`);
  expect(file.headers["x-export-origin"]).toBe("Recorder, Camera");
  expect(file.body.includes("partly from the camera's own archive")).toBe(true);
  const card = await second.json<{ Recordings: unknown[]; Gaps: { State: string }[] }>(
    `/api/channels/${channelId}/devicearchive?${span}`,
  );
  expect(card.Recordings).toHaveLength(1);
  expect(card.Gaps.map(({ State }) => State)).toEqual(["Filled"]);
  const status = await second.json<{ DeviceArchive: unknown }>(`/api/channels/${channelId}/status`);
  expect(status.DeviceArchive).toEqual({ IsFilling: false, GapsWaiting: 0, GapsGivenUp: 0, Reason: null });
  const models = await second.json<{ DeviceModels: { Id: string; DeviceArchiveSupported: boolean }[] }[]>(
    "/configure/devicemanufacturers",
  );
  const model = models.flatMap(({ DeviceModels }) => DeviceModels).find(({ Id }) => Id === ONVIF_MODEL.id);
  expect(model?.DeviceArchiveSupported).toBe(true);
});

it("a span of the card is played without being recorded", async () => {
  const [filled] = await fromCamera();
  const from = (Date.parse(filled?.FromTime ?? "") + 2000) * 1000;
  const span = `fromtime=${apiTime(from)}&totime=${apiTime(from + 4 * SECOND_US)}`;
  const answer = await second.get(`/api/channels/${channelId}/devicearchive/video?${span}`);
  expect(answer.status).toBe(200);
  const pictures = answer.body.toString("latin1").match(/Content-Type: video, h264/g) ?? [];
  expect(pictures.length).toBeGreaterThan(3 * GOP_FRAMES);
  expect(pictures.length).toBeLessThan(7 * GOP_FRAMES);
});

it(
  "a restart in the middle goes on where it was, and leaves an archive without faults",
  async () => {
    await second.stop();
    second = await start({ deviceArchiveMbits: 1 });
    await second.recorded([channelId], 3 * SECOND_US, TIMEOUT_MS);
    await cutFor(LONG_GAP_MS);
    await until(second, "filling to be under way", async () => {
      const tasks =
        await second.json<{ Kind: string; State: string; Progress: number | null }[]>("/api/tasks");
      return tasks.some(
        ({ Kind, State, Progress }) => Kind === "FillGaps" && State === "Running" && (Progress ?? 0) > 0.4,
      );
    });
    await second.stop();
    second = await start();
    await until(second, "all gaps to be filled", async () => (await longestHoleMs()) < HEAD_MS);
    // Where no picture beside the rest of the gap is known again, a second and a half stays free at its ends.
    await expectSameFrames(GOP_FRAMES + UNSURE_FRAMES);
    await second.stop();
    const { exit, text } = await checkOffline(dataDir(), ["--config", `${dataDir()}-settings.json`]);
    expect(exit, text).toMatchObject({ code: 0 });
    second = await start();
  },
  TIMEOUT_MS,
);

async function cutFor(ms: number): Promise<void> {
  link.cut(true);
  await pause(ms);
  link.cut(false);
  const sinceUs = Date.now() * 1000;
  await second.recorded([channelId], 2 * SECOND_US, TIMEOUT_MS, sinceUs);
}

/** Between fragments, from the first recording on. */
async function longestHoleMs(): Promise<number> {
  const fragments = await listed();
  const holes = fragments.map(
    ({ FromTime }, at) => Date.parse(FromTime) - Date.parse(fragments[at - 1]?.ToTime ?? FromTime),
  );
  return Math.max(0, ...holes);
}

async function listed(): Promise<Listed[]> {
  const range = `fromtime=01.01.2026%2000:00:00&totime=01.01.2100%2000:00:00`;
  const path = `/archivefragments?channelid=${channelId}&${range}&responsetype=json`;
  return (await second.json<{ Fragments: Listed[] }>(path)).Fragments;
}

async function fromCamera(): Promise<Listed[]> {
  return (await listed()).filter(({ Origin }) => Origin === "Camera");
}

/** All frames that the second recorded are the first's, in its order, none twice; what is missing is less than a group at each gap. */
async function expectSameFrames(missingMax = GOP_FRAMES): Promise<void> {
  const fragments = await listed();
  for (const [at, fragment] of fragments.entries()) {
    const next = fragments[at + 1];
    if (next !== undefined) expect(next.FromTime >= fragment.ToTime).toBe(true);
  }
  const fromUs = Date.parse(fragments[0]?.FromTime ?? "") * 1000;
  const toMs = Date.parse(fragments.at(-1)?.ToTime ?? "") - 2000;
  const own = await framesOf(second, channelId, fromUs, toMs);
  const first = await framesOf(house.service, house.gateId, fromUs - 2 * SECOND_US, toMs + 2000);
  const places = own.map((frame) => first.indexOf(frame));
  expect(places.filter((place) => place < 0)).toEqual([]);
  expect(new Set(own).size).toBe(own.length);
  const steps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  expect(steps.filter((step) => step < 1)).toEqual([]);
  const missing = steps.filter((step) => step > 1);
  // And what was on its way when the cable was taken out.
  expect(Math.max(0, ...missing)).toBeLessThanOrEqual(missingMax + 3);
}

async function framesOf(service: Service, id: string, fromUs: number, toMs: number): Promise<string[]> {
  const query = `channelid=${id}&mode=archive&streamtype=Main&starttime=${apiTime(fromUs)}&speed=20`;
  const { parts, close } = await service.video(query);
  const frames: string[] = [];
  for await (const { body, timestampMs } of parts) {
    if (timestampMs >= toMs) break;
    frames.push(body.toString("base64"));
  }
  close();
  return frames;
}
