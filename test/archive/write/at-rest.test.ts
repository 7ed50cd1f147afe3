import { afterEach, beforeEach, expect, it } from "vitest";
import { type ClockTimer, SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

/** What an archive repeats while nothing is recorded, and while something is. */

const FRAME_US = 40_000;
const TICK_MS = 20;

/** The machine's clock, which knows what is repeated more often than once a second. */
class NotingClock extends SystemClock {
  readonly #periods = new Map<ClockTimer, number>();

  get hasty(): readonly number[] {
    return [...this.#periods.values()].filter((periodMs) => periodMs < 1000);
  }

  override setInterval(run: () => void, periodMs: number): ClockTimer {
    const timer = super.setInterval(run, periodMs);
    const noted: ClockTimer = {
      clear: () => {
        this.#periods.delete(noted);
        timer.clear();
      },
    };
    this.#periods.set(noted, periodMs);
    return noted;
  }
}

let directory: ReturnType<typeof temporaryDirectory>;
let clock: NotingClock;
let test: TestArchive;

beforeEach(async () => {
  directory = temporaryDirectory();
  clock = new NotingClock();
  test = await startArchive(directory.path, { clock, tickMs: TICK_MS });
});

afterEach(async () => {
  await test.archive.stop();
  directory.remove();
});

const isAtRest = (): boolean => clock.hasty.length === 0;

it("nothing is repeated more often than once a second while nothing is recorded", async () => {
  await until(isAtRest, "the end of the first tick", () => clock.hasty);
});

it("the volume's ticks and the looks at it begin with a stream and end after its last segment is closed", async () => {
  await until(isAtRest, "the end of the first tick", () => clock.hasty);
  const key = newStreamKey();
  const writer = test.archive.writer(key);
  for (let at = 0; at < 25; at++)
    append(writer, {
      decodeTimeUs: Date.now() * 1000 + at * FRAME_US,
      bytes: patternBytes(500, at),
      key: at === 0,
    });
  expect(clock.hasty).toContain(TICK_MS);
  expect(clock.hasty.length).toBe(2);
  await writer.end();
  expect(test.index.newest(key)).toBeDefined();
  await until(isAtRest, "rest");
});

it("a stream that comes after a rest is recorded", async () => {
  for (let stream = 1; stream <= 2; stream++) {
    await until(isAtRest, "rest");
    const key = newStreamKey();
    const writer = test.archive.writer(key);
    append(writer, { decodeTimeUs: Date.now() * 1000, bytes: patternBytes(500, stream), key: true });
    await writer.end();
    expect(test.index.newest(key)).toBeDefined();
  }
});
