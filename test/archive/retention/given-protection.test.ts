import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import {
  type ArchiveNotice,
  type LmdbSegmentIndex,
  Protection,
  type ProtectionRequest,
} from "../../../src/archive/index.js";
import { GivenRecordings } from "../../../src/archive/volume/given-recordings.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { NotedVolume } from "../../support/archive/noted-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  fragmentOf,
  guidOfNumber,
  MINUTE_US,
  START_US,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

/** The evidence lock of recordings that a camera was given. */

const SEGMENT_BYTES = 1_000_000;
const FORMER = streamOfNumber(1).channelId;
const CAMERA = streamOfNumber(2).channelId;
const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let runs = 0;
let dataDir: string;
let index: LmdbSegmentIndex;
let volume: NotedVolume;
let clock: SimulatedClock;
let given: GivenRecordings;
let protection: Protection;
let notices: string[];

beforeEach(async () => {
  runs += 1;
  notices = [];
  dataDir = path.join(scratch.path, `data-${runs}`);
  mkdirSync(dataDir);
  index = await openIndex(path.join(scratch.path, `index-${runs}`));
  volume = new NotedVolume(volumeOfNumber(1));
  clock = new SimulatedClock(START_US + 600 * MINUTE_US);
  // The former camera's first ten minutes, then ten of the camera.
  const later = { fromUs: START_US + 10 * MINUTE_US, stream: 2, fragment: 2 };
  for (const segment of [
    ...fragmentOf(10, { bytes: SEGMENT_BYTES }),
    ...fragmentOf(10, { ...later, bytes: SEGMENT_BYTES }),
  ]) {
    index.add(segment);
    volume.put(segment);
  }
  await index.flush();
  start();
});

function start(): void {
  given = new GivenRecordings({ dataDir, log: SILENT_LOG });
  given.start();
  const bytesMaxOf = async () => Number.POSITIVE_INFINITY;
  const notice = (one: ArchiveNotice) => notices.push(one.kind);
  protection = new Protection({
    ...{ dataDir, index, bytesMaxOf, given, clock, notice, log: SILENT_LOG },
    volumes: () => [volume],
    knownVolumeIds: () => [volume.id],
  });
  protection.start();
}

afterEach(() => index.stop());

function request(channelId: string, from: number, to: number): ProtectionRequest {
  const times = { fromUs: START_US + from * MINUTE_US, toUs: START_US + to * MINUTE_US };
  return { channelId, ...times, comment: "theft", userId: guidOfNumber(1, 6), userName: "root" };
}

/** Takes everything that may go; which minutes are left. */
async function starved(): Promise<number[]> {
  const options = { protectedUntil: protection.protectedUntil };
  await makeRetention({
    index,
    volumes: [volume],
    directory: scratch.path,
    clock,
    quota: { quotaBytes: 1 },
    options,
  }).retention.turn();
  return [...volume.files.values()]
    .map(({ fromUs }) => (fromUs - START_US) / MINUTE_US)
    .sort((a, b) => a - b);
}

test("what was protected of the former camera stays protected, and is the camera's to list and to lift", async () => {
  const { id } = await protection.protect(request(FORMER, 2, 4));
  await given.give(FORMER, CAMERA);
  expect(await protection.list(CAMERA)).toMatchObject([{ id, channelId: CAMERA, bytes: 2 * SEGMENT_BYTES }]);
  expect(protection.channels()).toEqual([CAMERA]);
  expect(await starved()).toEqual([2, 3]);
  expect(await protection.lift(CAMERA, id)).toBe(true);
  expect(await starved()).toEqual([]);
});

test("what the camera protects is protected in the given recordings and in its own, each segment counted once", async () => {
  await given.give(FORMER, CAMERA);
  expect((await protection.protect(request(CAMERA, 8, 12))).bytes).toBe(4 * SEGMENT_BYTES);
  expect(await protection.bytesOn(volume.id)).toBe(4 * SEGMENT_BYTES);
  expect(await starved()).toEqual([8, 9, 10, 11]);
});

test("what is protected of recordings that are taken back is the former camera's again", async () => {
  await given.give(FORMER, CAMERA);
  await protection.protect(request(FORMER, 2, 4));
  await protection.protect(request(CAMERA, 10, 11));
  await given.takeBack(FORMER);
  expect([protection.ranges(FORMER).length, protection.ranges(CAMERA).length]).toEqual([1, 1]);
  expect(await starved()).toEqual([2, 3, 10]);
});

/** Both copies of what was given are damaged, as the recorder starts. */
function startWithoutKnowing(): void {
  const file = path.join(dataDir, "given-recordings.json");
  for (const copy of [file, `${file}.copy`]) writeFileSync(copy, "{");
  start();
}

test("while it is not known what was given, it is not known what is protected, and nothing more is given", async () => {
  await given.give(FORMER, CAMERA);
  await protection.protect(request(CAMERA, 2, 4));
  startWithoutKnowing();
  expect(protection.lack).toContain("given-recordings.json");
  expect(await protection.isKnownOn(volume)).toBe(false);
  expect(notices).toEqual(["protection-unknown"]);
  await expect(given.give(FORMER, CAMERA)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});

test("what was given and is not known is given anew once the loss is accepted, and the damaged list stays beside", async () => {
  await given.give(FORMER, CAMERA);
  await protection.protect(request(CAMERA, 2, 4));
  startWithoutKnowing();
  await protection.isKnownOn(volume);
  await protection.acceptLoss();
  expect(notices).toEqual(["protection-unknown", "protection-known"]);
  expect([protection.lack, await protection.isKnownOn(volume)]).toEqual([undefined, true]);
  expect(existsSync(path.join(dataDir, "given-recordings.json.damaged"))).toBe(true);
  await given.give(FORMER, CAMERA);
  start();
  expect([protection.lack, given.ownerOf(FORMER)]).toEqual([undefined, CAMERA]);
  expect(await starved()).toEqual([2, 3]);
});

test("one damaged copy of what was given is no loss", async () => {
  await given.give(FORMER, CAMERA);
  writeFileSync(path.join(dataDir, "given-recordings.json"), "{");
  start();
  expect([protection.lack, given.ownerOf(FORMER)]).toEqual([undefined, CAMERA]);
});

/** The data directory is gone, and with it what was given: what the volume carries is all there is. */
async function startWithVolumeAlone(): Promise<void> {
  await protection.isKnownOn(volume);
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir);
  start();
  volume.takeAgain();
  await protection.isKnownOn(volume);
}

test.each([
  ["given before", true],
  ["given after", false],
])("recordings that were %s they were protected stay so by what the volume carries", async (_, before) => {
  await protection.isKnownOn(volume);
  if (before) await given.give(FORMER, CAMERA);
  await protection.protect(request(CAMERA, 8, 12));
  if (!before) await given.give(FORMER, CAMERA);
  await startWithVolumeAlone();
  expect(given.ownerOf(FORMER)).toBe(FORMER);
  expect(await starved()).toEqual([8, 9, 10, 11]);
  expect([protection.ranges(FORMER).length, protection.ranges(CAMERA).length]).toEqual([1, 1]);
});

test("what the volume says of given recordings is not said twice where it is known who has them", async () => {
  await protection.isKnownOn(volume);
  await given.give(FORMER, CAMERA);
  await protection.protect(request(CAMERA, 8, 12));
  await protection.isKnownOn(volume);
  for (const copy of ["protected.json", "protected.json.copy"]) rmSync(path.join(dataDir, copy));
  start();
  volume.takeAgain();
  expect(await protection.isKnownOn(volume)).toBe(true);
  expect(protection.ranges(CAMERA)).toHaveLength(1);
});
