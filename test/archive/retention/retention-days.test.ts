import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type ChannelDays, DAYS_INTERVAL_MS, type LmdbSegmentIndex } from "../../../src/archive/index.js";
import type { Guid } from "../../../src/base/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention, NO_DAYS, type RetentionShape } from "../../support/archive/retention-harness.js";
import { segmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const YEAR_US = 365 * DAY_US;
const SEGMENT_US = 10 * 60_000_000;
const SEGMENT_BYTES = 1_000_000;

let index: LmdbSegmentIndex;
let volume: MemoryVolume;
let clock: SimulatedClock;
let days: Map<Guid, ChannelDays>;
let runs = 0;

beforeEach(async () => {
  runs += 1;
  index = await openIndex(path.join(scratch.path, `index-${runs}`));
  volume = new MemoryVolume(volumeOfNumber(1));
  clock = new SimulatedClock();
  days = new Map();
});

function setDays(stream: number, minDays: number, maxDays: number): void {
  days.set(streamOfNumber(stream).channelId, { minDays, maxDays });
}

/** A segment of ten minutes each six hours, from `fromDay` to `toDay` before (negative: ahead of) the simulated start. */
async function record(stream: number, fromDay: number, toDay: number, epoch = 0): Promise<void> {
  const startUs = SIMULATED_START_US - fromDay * DAY_US;
  for (let fromUs = startUs; fromUs < SIMULATED_START_US - toDay * DAY_US; fromUs += 6 * HOUR_US) {
    const shape = { stream, fragment: (fromUs - startUs) / HOUR_US, epoch, fromUs, durationUs: SEGMENT_US };
    const segment = segmentOf({ ...shape, bytes: SEGMENT_BYTES, gopUs: SEGMENT_US / 2 });
    index.add(segment);
    volume.put(segment);
  }
  await index.flush();
}

function retention(shape: Partial<RetentionShape> = {}) {
  const made = makeRetention({
    index,
    volumes: [volume],
    directory: scratch.path,
    clock,
    ...shape,
    options: { daysOf: (id) => days.get(id) ?? NO_DAYS, ...shape.options },
  });
  made.days.start();
  return made;
}

/** Turns until all that is due has been looked at. */
async function turn(made: ReturnType<typeof retention>): Promise<void> {
  clock.advance(DAYS_INTERVAL_MS * 1000);
  await made.retention.turn();
}

/** Ages in days of a stream's segments that are left, oldest first. */
function ages(stream: number): number[] {
  const { channelId } = streamOfNumber(stream);
  const left = [...volume.files.values()].filter((file) => file.key.channelId === channelId);
  return left.map((file) => (SIMULATED_START_US - file.fromUs) / DAY_US).sort((a, b) => b - a);
}

test("what is older than a channel's max days goes although there is space, and nothing else", async () => {
  setDays(1, 0, 10);
  setDays(2, 0, 0);
  await record(1, 30, 0);
  await record(2, 30, 0);
  const made = retention();
  await turn(made);
  expect(ages(1)[0]).toBe(10);
  expect(ages(2)).toHaveLength(120);
  expect(index.oldest(1000).filter(({ key }) => key.channelId === streamOfNumber(1).channelId)).toHaveLength(
    40,
  );
  clock.advance(DAY_US);
  await turn(made);
  expect(ages(1)[0]).toBe(9);
  await index.stop();
});

test("recordings of a camera that is no longer configured do not go for their age, and first when space is short", async () => {
  setDays(2, 20, 0);
  await record(1, 10, 0);
  await record(2, 15, 0);
  const made = retention({ quota: { quotaBytes: 80 * SEGMENT_BYTES } });
  await turn(made);
  expect(ages(1)[0]).toBe(5);
  expect(ages(2)[0]).toBe(15);
  expect(made.notices).toEqual([]);
  await index.stop();
});

test("min days protect a channel from the hunger of others while something else can go", async () => {
  setDays(1, 25, 0);
  await record(1, 30, 0);
  await record(2, 20, 0);
  const made = retention({ quota: { quotaBytes: 130 * SEGMENT_BYTES } });
  await turn(made);
  expect(ages(1)[0]).toBe(25);
  expect(ages(2)[0]).toBeLessThan(10);
  expect(volume.bytes).toBe(130 * SEGMENT_BYTES);
  expect(made.notices).toEqual([]);
  await index.stop();
});

test("when nothing else is left the oldest goes, which is said once, and once when the min days are there again", async () => {
  setDays(1, 25, 0);
  setDays(2, 25, 0);
  await record(1, 20, 0);
  await record(2, 10, 0);
  const quota = { quotaBytes: 80 * SEGMENT_BYTES };
  const made = retention({ quota });
  await turn(made);
  expect(ages(1)[0]).toBe(10);
  expect(ages(2)[0]).toBe(10);
  const { channelId } = streamOfNumber(1);
  expect(made.notices).toEqual([{ kind: "min-days-unmet", channelId, keptDays: expect.closeTo(20, 0) }]);
  await turn(made);
  expect(made.notices).toHaveLength(1);
  setDays(1, 9, 0);
  await turn(made);
  expect(made.notices.slice(1)).toEqual([{ kind: "min-days-met", channelId }]);
  await turn(made);
  expect(made.notices).toHaveLength(2);
  await index.stop();
});

test("protected times are kept for whatever age and hunger, and a volume without anything else is said to be full", async () => {
  setDays(1, 0, 5);
  await record(1, 30, 0);
  const fromUs = SIMULATED_START_US - 25 * DAY_US + SEGMENT_US / 2;
  const toUs = SIMULATED_START_US - 20 * DAY_US + 1;
  let isProtected = true;
  const protectedUntil = (_: Guid, from: number, to: number) =>
    isProtected && from < toUs && to > fromUs ? toUs : undefined;
  const quota = { quotaBytes: 10 * SEGMENT_BYTES };
  const made = retention({ quota, options: { protectedUntil, daysOf: (id) => days.get(id) ?? NO_DAYS } });
  await turn(made);
  expect(ages(1)).toHaveLength(21);
  expect([ages(1)[0], ages(1).at(-1)]).toEqual([25, 20]);
  const full = {
    kind: "volume-full",
    directory: "/memory",
    missingBytes: 11 * SEGMENT_BYTES,
    missingFiles: 0,
  };
  expect(made.notices).toEqual([full]);
  await turn(made);
  expect(made.notices).toHaveLength(1);
  isProtected = false;
  await turn(made);
  expect(ages(1)).toEqual([]);
  expect(made.notices.slice(1)).toEqual([{ kind: "volume-full-ended", directory: "/memory" }]);
  await index.stop();
});

test("a volume whose reserve is more than what it has is reported with both figures, and when it has room again", async () => {
  await record(1, 5, 0);
  const { totalBytes } = await volume.space();
  const quota = { reserveBytes: 2 * totalBytes };
  const made = retention({ quota });
  await turn(made);
  await turn(made);
  const roomBytes = expect.any(Number);
  expect(made.notices).toEqual([
    { kind: "volume-too-small", directory: "/memory", reserveBytes: 2 * totalBytes, roomBytes },
  ]);
  quota.reserveBytes = 1;
  await turn(made);
  expect(made.notices.slice(1)).toEqual([{ kind: "volume-full-ended", directory: "/memory" }]);
  await index.stop();
});

test("a clock that leaps a year ahead deletes nothing, and what it dated is kept when it is set right", async () => {
  setDays(1, 0, 30);
  await record(1, 29, 0);
  const made = retention();
  await turn(made);
  const before = ages(1).length;
  clock.stepWall(YEAR_US);
  await record(1, -365, -365.5);
  for (let hour = 0; hour < 23; hour++) {
    clock.advance(HOUR_US);
    await turn(made);
  }
  expect(ages(1)).toHaveLength(before + 2);
  clock.stepWall(-YEAR_US);
  await record(1, -1, -2, 1);
  await turn(made);
  expect(ages(1)).toHaveLength(before + 2 + 4);
  await index.stop();
});

test("what a wrong clock dated a year ahead does not keep the max days of what was recorded since", async () => {
  setDays(1, 0, 10);
  await record(1, 31, 30);
  await record(1, -365, -366);
  await record(1, 30, 0, 1);
  const made = retention();
  await turn(made);
  expect(ages(1)).toHaveLength(40 + 4);
  expect(ages(1)[0]).toBe(10);
  const hungry = retention({ quota: { quotaBytes: SEGMENT_BYTES } });
  await turn(hungry);
  expect(ages(1)).toEqual([-365.75]);
  await index.stop();
});

test("nothing goes for its age while the clock is not known to be set; bytes are kept all the same", async () => {
  setDays(1, 0, 10);
  await record(1, 30, 0);
  let known = false;
  const made = retention({ clockKnown: () => known });
  await turn(made);
  expect(ages(1)).toHaveLength(120);
  const short = retention({ clockKnown: () => known, quota: { quotaBytes: 100 * SEGMENT_BYTES } });
  await turn(short);
  expect(ages(1)).toHaveLength(100);
  known = true;
  await turn(made);
  expect(ages(1)).toHaveLength(40);
  await index.stop();
});

test("recordings dated before any clock was set do not go for their age", async () => {
  setDays(1, 0, 10);
  await record(1, 19_600, 19_599);
  const made = retention();
  await turn(made);
  expect(ages(1)).toHaveLength(4);
  await index.stop();
});

test("a file that cannot be unlinked does not keep the others", async () => {
  setDays(1, 0, 10);
  await record(1, 30, 0);
  const stuck = [...volume.files.keys()][0];
  const unlink = volume.unlink.bind(volume);
  volume.unlink = async (file) => {
    if (file.segmentId === stuck) throw new Error("input/output error");
    await unlink(file);
  };
  const made = retention();
  await turn(made);
  expect(ages(1)).toHaveLength(41);
  clock.advance(DAY_US);
  await turn(made);
  expect(ages(1)).toHaveLength(37);
  await index.stop();
});
