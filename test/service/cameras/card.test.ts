import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import type { Timeline } from "../../../src/contract/answer/timeline.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { eventsOf, until } from "../../support/event/service-events.js";
import { DeviceLink } from "../../support/onvif/device-link.js";
import { GUEST, OnvifHouse } from "../../support/onvif/onvif-house.js";
import { apiTime, checkOffline, pause, Service } from "../../support/service/service.js";

const TIMEOUT_MS = 90_000;
/** Key frames of the source are a second apart. */
const GOP_FRAMES = 25;
/** Of a replay: the seconds before the gap, and some within it (SMALL_CLIP has 62,500 bytes a second). */
const REPLAYED_BYTES = 700_000;
const SECOND_US = 1_000_000;
const LONG_GAP_MS = 16_000;
/** More than a group of pictures. */
const GROUP_MS = 1100;
/** Shorter gaps are left. */
const GAP_MS_MIN = 1000;

interface Listed {
  readonly Id: string;
  readonly FromTime: string;
  readonly ToTime: string;
  readonly Origin?: string;
}

interface ReadFrame {
  readonly body: string;
  readonly timestampMs: number;
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
});

afterAll(async () => {
  await second?.stop();
  await link?.stop();
  await house?.close();
  directory?.remove();
});

it("a gap after a cut of the link is filled with what the camera kept, byte for byte, and nothing twice", async () => {
  await cutFor(LONG_GAP_MS);
  await until(second, "the gap to be filled", async () => (await fromCamera()).length > 0);
  await until(second, "the event", async () => (await eventsOf(second, "gapFilled")).length > 0);
  await expectSameFrames();
  const [filled] = await fromCamera();
  const lengthUs = Date.parse(filled?.ToTime ?? "") - Date.parse(filled?.FromTime ?? "");
  expect(lengthUs).toBeGreaterThan(LONG_GAP_MS - 3000);
});

it("the timeline, exports and the list of the card say where it comes from", async () => {
  const [filled] = await fromCamera();
  const from = Date.parse(filled?.FromTime ?? "") - 2000;
  const to = Date.parse(filled?.ToTime ?? "") + 2000;
  const { Channels } = await second.json<Timeline>(
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

it("what came from the camera is still marked after the index was lost", async () => {
  const marked = await fromCamera();
  await second.stop();
  rmSync(path.join(dataDir(), "index"), { recursive: true });
  await startAgain();
  const ids = (listed: readonly Listed[]) => listed.map(({ Id }) => Id);
  await until(second, "the index to be rebuilt", async () => (await fromCamera()).length >= marked.length);
  expect(ids(await fromCamera())).toEqual(expect.arrayContaining(ids(marked)));
  expect(marked.length).toBeGreaterThan(0);
});

it.each(["stop", "kill"] as const)(
  "after a restart in the middle (%s) it goes on where it was, and the archive has no faults",
  async (end) => {
    await cutFor(LONG_GAP_MS);
    link.replayBytesMax = REPLAYED_BYTES;
    await until(second, "filling to be under way", async () => {
      const tasks =
        await second.json<{ Kind: string; State: string; Progress: number | null }[]>("/api/tasks");
      return tasks.some(
        ({ Kind, State, Progress }) => Kind === "FillGaps" && State === "Running" && (Progress ?? 0) > 0.1,
      );
    });
    await second[end]();
    // The camera begins with its newest group of pictures: by then that is none of those that were recorded before.
    await pause(GROUP_MS);
    link.replayBytesMax = Number.POSITIVE_INFINITY;
    await startAgain();
    await until(second, "all gaps to be filled", areAllFilled);
    await expectSameFrames();
    await second.stop();
    const { exit, text } = await checkOffline(dataDir(), ["--config", `${dataDir()}-settings.json`]);
    expect(exit, text).toMatchObject({ code: 0 });
    await startAgain();
  },
);

/** Starts the second recorder, and waits until it records. */
async function startAgain(): Promise<void> {
  const sinceUs = Date.now() * 1000;
  second = await start();
  await until(second, "the index", async () => (await second.get(fragmentsPath())).status === 200);
  await second.recorded([channelId], 4 * SECOND_US, TIMEOUT_MS, sinceUs);
}

async function cutFor(ms: number): Promise<void> {
  link.cut(true);
  await pause(ms);
  link.cut(false);
  const sinceUs = Date.now() * 1000;
  await second.recorded([channelId], 2 * SECOND_US, TIMEOUT_MS, sinceUs);
}

/** Whether each gap between fragments is short, or was filled as far as that is possible. */
async function areAllFilled(): Promise<boolean> {
  const fragments = await listed();
  const [from, to] = [fragments[0]?.FromTime ?? "", fragments.at(-1)?.ToTime ?? ""];
  await pause(1000); // each question is a search of the device's
  const span = `fromtime=${apiTime(Date.parse(from) * 1000)}&totime=${apiTime(Date.parse(to) * 1000)}`;
  const answer = await second.get(`/api/channels/${channelId}/devicearchive?${span}`);
  // Right after a start the camera is still being asked.
  if (answer.status !== 200) return false;
  const card = JSON.parse(answer.body.toString()) as {
    Gaps: { FromTime: string; ToTime: string; State: string }[];
  };
  const filled = card.Gaps.filter(({ State }) => State === "Filled");
  return fragments.every(({ FromTime }, at) => {
    const before = fragments[at - 1]?.ToTime ?? FromTime;
    if (Date.parse(FromTime) - Date.parse(before) < GAP_MS_MIN) return true;
    return filled.some((gap) => gap.FromTime < FromTime && gap.ToTime > before);
  });
}

function fragmentsPath(): string {
  const range = `fromtime=01.01.2026%2000:00:00&totime=01.01.2100%2000:00:00`;
  return `/archivefragments?channelid=${channelId}&${range}&responsetype=json`;
}

async function listed(): Promise<Listed[]> {
  return (await second.json<{ Fragments: Listed[] }>(fragmentsPath())).Fragments;
}

async function fromCamera(): Promise<Listed[]> {
  return (await listed()).filter(({ Origin }) => Origin === "Camera");
}

/** All frames that the second recorded are the first's, in its order, none twice; what is missing is less than a group at each gap. */
async function expectSameFrames(): Promise<void> {
  const fragments = await listed();
  for (const [at, fragment] of fragments.entries()) {
    const next = fragments[at + 1];
    if (next !== undefined) expect(next.FromTime >= fragment.ToTime).toBe(true);
  }
  const fromUs = Date.parse(fragments[0]?.FromTime ?? "") * 1000;
  const toMs = Date.parse(fragments.at(-1)?.ToTime ?? "") - 2000;
  const own = await framesOf(second, channelId, fromUs, toMs);
  const first = await framesOf(house.service, house.gateId, fromUs - 2 * SECOND_US, toMs + 2000);
  const places = new Map(first.map(({ body }, at) => [body, at]));
  const read = own.map(({ body, timestampMs }) => ({ place: places.get(body) ?? -1, timestampMs }));
  expect(read.filter(({ place }) => place < 0)).toEqual([]);
  const steps = read.slice(1).map(({ place, timestampMs }, at) => {
    const before = read[at] ?? { place, timestampMs };
    return {
      from: before.place,
      to: place,
      atMs: before.timestampMs,
      holeMs: timestampMs - before.timestampMs,
    };
  });
  expect(steps.filter(({ from, to }) => to <= from)).toEqual([]);
  // And what was on its way when the cable was taken out.
  expect(steps.filter(({ from, to }) => to - from > GOP_FRAMES + 3)).toEqual([]);
}

async function framesOf(service: Service, id: string, fromUs: number, toMs: number): Promise<ReadFrame[]> {
  const query = `channelid=${id}&mode=archive&streamtype=Main&starttime=${apiTime(fromUs)}&speed=20`;
  const { parts, close } = await service.video(query);
  const frames: ReadFrame[] = [];
  for await (const { body, timestampMs } of parts) {
    if (timestampMs >= toMs) break;
    frames.push({ body: body.toString("base64"), timestampMs });
  }
  close();
  return frames;
}
