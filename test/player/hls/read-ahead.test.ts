import { expect, it } from "vitest";
import { ByteBudget } from "../../../src/base/index.js";
import { ArchiveSegments } from "../../../src/player/hls/archive-segments.js";

const PERIOD = { index: 0, init: Buffer.alloc(1) } as never;

/** A segment of so many bytes. */
function part(bytes: number) {
  const times = { fromUs: 0, toUs: 1, timeUs: 0, durationUs: 1_000_000 };
  return { ...times, sound: undefined, independent: true, bytes: Buffer.alloc(bytes) } as never;
}

function segments(budget: ByteBudget): ArchiveSegments {
  const made = new ArchiveSegments(budget);
  made.onPeriod(PERIOD);
  return made;
}

it("segments beyond the memory for all players are listed but not kept", () => {
  const budget = new ByteBudget(250);
  const [one, other] = [segments(budget), segments(budget)];
  one.onPart(part(100));
  other.onPart(part(100));
  other.onPart(part(100));
  expect(other.last?.sequence).toBe(1);
  expect(other.take(1)).toBeUndefined();
  expect(one.take(0)).toHaveLength(100);
  other.onPart(part(100));
  expect(other.take(2)).toHaveLength(100);
});

it("a player that has disconnected releases its memory, also of what arrives late", () => {
  const budget = new ByteBudget(1000);
  const made = segments(budget);
  made.onPart(part(100));
  made.close();
  made.onPart(part(100));
  expect(budget.bytes).toBe(0);
});
