import { beforeEach, expect, it } from "vitest";
import { createLog, type MemoryLimit } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import {
  IDLE_GARBAGE_TIMES,
  MEMORY_LOOK_MS,
  MemoryService,
  SHORTAGE_OVER_US,
  START_GARBAGE_MS,
  START_GARBAGE_TIMES,
} from "../../../src/service/part/memory-service.js";
import { DETECTOR_BYTES_MAX, MEMORY_BYTES_MIN, shareOut } from "../../../src/service/part/memory-shares.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";

const LIMIT: MemoryLimit = { bytes: 512e6, bound: "control group" };

let clock: SimulatedClock;
let events: MemoryEventLog;
/** How often garbage was collected. */
let collected: number;

beforeEach(() => {
  collected = 0;
  clock = new SimulatedClock();
  events = new MemoryEventLog(clock);
});

function start(memoryMax?: number): MemoryService {
  const log = createLog({ level: "silent" });
  const collect = () => {
    collected += 1;
  };
  const memory = new MemoryService({ settings: { memoryMax }, events, clock, log, limit: LIMIT, collect });
  memory.start();
  return memory;
}

/** One look further. */
function look(): void {
  clock.advance(MEMORY_LOOK_MS * 1000);
}

function emptyPool({ pool }: MemoryService): void {
  while (pool.take() !== undefined);
}

it("what the control group gives is shared out", () => {
  const memory = start();
  expect(memory.plan()).toMatchObject({ limitBytes: 512e6, limitedBy: "control group", leftOut: [] });
  expect(memory.shares).toEqual(shareOut(512e6));
  expect(memory.pool.totalBytesMax).toBe(memory.shares.frames);
});

it("more is needed while objects are looked for: the detector's process has no part in the floors", () => {
  const memory = start();
  let cameras = 0;
  memory.watchDetector(() => ({ cameras }));
  expect(memory.plan().neededBytes).toBe(MEMORY_BYTES_MIN);
  cameras = 1;
  expect(memory.plan().neededBytes).toBe(MEMORY_BYTES_MIN + DETECTOR_BYTES_MAX);
});

it("a setting that is less counts, one that is more does not", () => {
  expect(start(400e6).limit).toEqual({ bytes: 400e6, bound: "setting" });
  expect(start(600e6).limit).toEqual(LIMIT);
});

it("frames that found no memory are reported once, with how much there is", () => {
  const memory = start();
  emptyPool(memory);
  for (let at = 0; at < 5; at++) {
    memory.pool.take();
    look();
  }
  expect(events.raised).toHaveLength(1);
  expect(events.raised[0]).toMatchObject({
    typeId: EVENT_TYPES.memoryShort.id,
    comment: "frames of cameras were dropped (512 MB, control group)",
  });
  expect(memory.plan().leftOut).toEqual(["frames"]);
});

it("pictures, recordings before motion and HLS that found none are reported by name", () => {
  const load = { frameRefusals: 0 };
  const api = { packagingRefusals: 0 };
  const memory = start();
  memory.watch({ recording: { preRollRefusals: 0 }, codec: { load }, api });
  look();
  expect(events.raised).toEqual([]);
  load.frameRefusals += 1;
  api.packagingRefusals += 1;
  look();
  expect(events.raised[0]?.comment).toBe(
    "pictures were not decoded; live HLS was refused (512 MB, control group)",
  );
});

it("when nothing was left out for a minute it is reported that memory suffices", () => {
  const memory = start();
  emptyPool(memory);
  look();
  clock.advance(SHORTAGE_OVER_US);
  expect(events.raised.map(({ typeId }) => typeId)).toEqual([
    EVENT_TYPES.memoryShort.id,
    EVENT_TYPES.memoryEnough.id,
  ]);
  expect(memory.plan().leftOut).toEqual([]);
});

it("slabs that stay idle go back to the system, and nothing is left behind at the stop", () => {
  const memory = start();
  const slabs = Array.from({ length: 64 }, () => memory.pool.take());
  for (const slab of slabs) slab?.release();
  look();
  look();
  look();
  expect(memory.pool.allocatedBytes).toBeLessThan(16 * memory.pool.slabBytes);
  memory.stop();
  expect(clock.timers).toBe(0);
});

it("what a start left is collected twice where frames come", () => {
  start().pool.take();
  for (let time = 0; time < IDLE_GARBAGE_TIMES; time += 1) clock.advance(START_GARBAGE_MS * 1000);
  expect(collected).toBe(START_GARBAGE_TIMES);
});

it("nothing is collected after the start any more once frames come", () => {
  const memory = start();
  for (let time = 0; time < 4; time += 1) clock.advance(START_GARBAGE_MS * 1000);
  memory.pool.take();
  for (let time = 0; time < IDLE_GARBAGE_TIMES; time += 1) clock.advance(START_GARBAGE_MS * 1000);
  expect(collected).toBe(4);
});

it("without frames, what a start left is collected until V8 has let go of the code that only a start runs", () => {
  start();
  clock.advance(START_GARBAGE_MS * 1000 - 1);
  expect(collected).toBe(0);
  clock.advance(1);
  expect(collected).toBe(1);
  for (let time = 0; time < 2 * IDLE_GARBAGE_TIMES; time += 1) clock.advance(START_GARBAGE_MS * 1000);
  expect(collected).toBe(IDLE_GARBAGE_TIMES);
});

it("nothing is collected of a service that has stopped", () => {
  start().stop();
  clock.advance(START_GARBAGE_MS * 1000);
  expect(collected).toBe(0);
});
