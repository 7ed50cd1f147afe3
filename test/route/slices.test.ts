import { expect, it } from "vitest";
import { inSlices, PIECE_CHARACTERS, SLICE_MS_MAX } from "../../src/route/answer/slices.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const TEXT = "x".repeat(PIECE_CHARACTERS / 16);

/** Each takes a millisecond. */
function* slowTexts(count: number, clock: SimulatedClock): Generator<string> {
  for (let made = 0; made < count; made += 1) {
    clock.advance(1000);
    yield TEXT;
  }
}

async function sliceTurns(count: number): Promise<number> {
  const clock = new SimulatedClock();
  let turns = 0;
  let isOver = false;
  const next = (): void => {
    turns += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  let length = 0;
  for await (const text of inSlices(slowTexts(count, clock), clock)) length += text.length;
  isOver = true;
  expect(length).toBe(count * TEXT.length);
  return turns;
}

it("a long text is made in slices, and other work runs between them", async () => {
  expect(await sliceTurns(40 * SLICE_MS_MAX)).toBeGreaterThanOrEqual(38);
});

it("several long texts have their slices in different turns", async () => {
  const turns = await Promise.all([sliceTurns(20 * SLICE_MS_MAX), sliceTurns(20 * SLICE_MS_MAX)]);

  expect(Math.max(...turns)).toBeGreaterThanOrEqual(36);
});
