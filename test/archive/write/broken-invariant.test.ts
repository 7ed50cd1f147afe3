import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Archive, ArchiveNotice } from "../../../src/archive/index.js";
import { WritingSegment } from "../../../src/archive/write/writing-segment.js";
import { invariant, type StreamKey } from "../../../src/base/index.js";
import {
  idleSlabs,
  makeFrame,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import type { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const FRAME_US = 40_000;
const GOP_FRAMES = 25;

let directory: ReturnType<typeof temporaryDirectory>;
let clock: SimulatedClock;
let archive: Archive;
let index: MemorySegmentIndex;
let notices: ArchiveNotice[];
let volumePath: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  clock = new SimulatedClock();
  notices = [];
  idleSlabs.clear();
  volumePath = join(directory.path, "volume");
  const started = await startArchive(directory.path, { clock, tickMs: 400, syncIntervalMs: 1000 });
  ({ archive, index } = started);
  archive.onNotice((notice) => notices.push(notice));
});

afterEach(() => {
  vi.restoreAllMocks();
  directory.remove();
});

/** Frames `from` to `to` of the streams, at 25 a second; `odd` says which one of the first stream is not what it says. */
async function feed(keys: readonly StreamKey[], from: number, to: number, odd = -1): Promise<void> {
  for (let at = from; at < to; at++) {
    for (const key of keys) {
      const bytes = patternBytes(3000, at);
      const spec = { decodeTimeUs: clock.nowUs(), bytes, key: at % GOP_FRAMES === 0 };
      const isOdd = at === odd && key === keys[0];
      const frame = makeFrame({ ...spec, memory: isOdd ? "both" : "slab" });
      // Its record would say another length than what is written behind it.
      if (isOdd) Object.defineProperty(frame, "byteLength", { value: frame.byteLength + 1 });
      archive.writer(key).append(frame);
      frame.release();
    }
    await clock.advanceSlowly(FRAME_US, 10_000);
  }
}

async function stop(): Promise<void> {
  let stopped = false;
  const stopping = archive.stop().then(() => {
    stopped = true;
  });
  await clock.advanceSlowly(30_000_000, 10_000, () => stopped);
  await stopping;
}

/** What can be read back of a stream, as frame numbers. */
async function recorded(key: StreamKey, startUs: number): Promise<number[]> {
  const again = await startArchive(directory.path, { index });
  await again.archive.recovered();
  const segments = [...index.committed.values()].filter(
    ({ key: { channelId } }) => channelId === key.channelId,
  );
  const reader = again.archive.read(key, { fromUs: startUs });
  const count = segments.reduce((sum, { videoFrames }) => sum + videoFrames, 0);
  const frames = await readFrames(reader, count);
  reader.close();
  await again.archive.stop();
  const numbers = frames.map(({ decodeTimeUs }) => Math.round((decodeTimeUs - startUs) / FRAME_US));
  for (const [at, frame] of frames.entries())
    expect(frame.bytes.equals(patternBytes(3000, numbers[at] ?? -1))).toBe(true);
  return numbers;
}

const droppings = () => notices.filter(({ kind }) => kind.startsWith("dropping"));

it("a record that is not what it says ends its segment: what is recorded is whole, and recording goes on", async () => {
  const [key, other] = [newStreamKey(), newStreamKey()];
  const startUs = clock.nowUs();
  await feed([key, other], 0, 5 * GOP_FRAMES, 60);
  await stop();
  expect(droppings()).toMatchObject([
    {
      kind: "dropping-started",
      key,
      reason: "fault in nvrd (record-length): a record's ranges are not as long as the record",
    },
    { kind: "dropping-ended", key },
  ]);
  const numbers = await recorded(key, startUs);
  const begun = numbers.findIndex((number) => number > 60);
  // Of the batch with the odd frame nothing is written: 10 frames, and two ticks until the writer has answered.
  expect(begun).toBeGreaterThan(60 - 2 * 10 - 1);
  expect(numbers.slice(0, begun)).toEqual(Array.from({ length: begun }, (_, at) => at));
  expect((numbers[begun] ?? 1) % GOP_FRAMES).toBe(0);
  expect(numbers.at(-1)).toBe(5 * GOP_FRAMES - 1);
  expect(archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] })).toEqual(
    [],
  );
  expect(await recorded(other, startUs)).toEqual(Array.from({ length: 5 * GOP_FRAMES }, (_, at) => at));
});

it("nothing that was taken in stays behind: frames come back, and the volume holds none", async () => {
  const key = newStreamKey();
  await feed([key], 0, 3 * GOP_FRAMES, 30);
  await stop();
  expect(archive.overload().volumes.map(({ heldBytes }) => heldBytes)).toEqual([0]);
  expect(idleSlabs.size).toBe(3 * GOP_FRAMES);
});

it("where one does not hold as a segment ends, that segment is left to recovery and the next begins", async () => {
  const key = newStreamKey();
  const startUs = clock.nowUs();
  vi.spyOn(WritingSegment.prototype, "finish").mockImplementationOnce(() => invariant(false, "segment-end"));
  await feed([key], 0, 61 * GOP_FRAMES);
  await feed([key], 61 * GOP_FRAMES, 65 * GOP_FRAMES);
  await stop();
  expect(droppings()[0]).toMatchObject({ reason: expect.stringContaining("(segment-end)") });
  const numbers = await recorded(key, startUs);
  expect(numbers.slice(0, 59 * GOP_FRAMES)).toEqual(Array.from({ length: 59 * GOP_FRAMES }, (_, at) => at));
  expect(numbers.at(-1)).toBe(65 * GOP_FRAMES - 1);
  expect(archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] })).toEqual(
    [],
  );
});

it("what the writer thread answers for wrongly fails the segment, and is no failure of the disk", async () => {
  const key = newStreamKey();
  await feed([key], 0, GOP_FRAMES);
  vi.spyOn(WritingSegment.prototype, "commit").mockImplementationOnce(() =>
    invariant(false, "segment-bytes"),
  );
  await feed([key], GOP_FRAMES, 5 * GOP_FRAMES);
  await stop();
  expect(droppings()).toMatchObject([
    { kind: "dropping-started", reason: expect.stringContaining("(segment-bytes)") },
    { kind: "dropping-ended" },
  ]);
  expect(notices.some(({ kind }) => kind.startsWith("volume"))).toBe(false);
  expect([...index.committed.values()].length).toBeGreaterThan(0);
});
