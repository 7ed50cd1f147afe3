import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newGuid } from "../../src/base/index.js";
import { EventEnvironment } from "../../src/event/event-environment.js";
import { EventRedating } from "../../src/event/event-redating.js";
import { EventStore } from "../../src/event/event-store.js";
import { EVENT_TYPES, type EventRecord, type LmdbEventLog } from "../../src/event/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, found, openEventLog } from "../support/event/event-log-harness.js";

const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const CHANNEL = channelOfNumber(1);

/** Raises so many events, a second apart. */
function raise(log: LmdbEventLog, clock: SimulatedClock, count: number): void {
  for (let at = 0; at < count; at++) {
    log.raise({ typeId: EVENT_TYPES.motionDetected.id, channelId: CHANNEL, comment: `${at}` });
    clock.advance(SECOND_US);
  }
}

async function secondsOf(log: LmdbEventLog, query = {}): Promise<number[]> {
  return (await found(log, query)).map(({ timeUs }) => (timeUs - SIMULATED_START_US) / SECOND_US);
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

/** What the clock says once it is known: times since the start of the boot move by so many seconds. */
const shift = (clock: SimulatedClock, seconds: number, sinceUs = SIMULATED_START_US) => ({
  ...{ fromUs: sinceUs, toUs: clock.nowUs() + 10 * SECOND_US, shiftUs: seconds * SECOND_US },
});

describe("events from before the clock was known", () => {
  it.each([
    ["ahead", 3600],
    ["ahead by less than they span", 100],
    ["back", -200],
  ])("move with the clock %s, each once, in searches of all and of a channel", async (_what, seconds) => {
    const clock = new SimulatedClock();
    const log = await openEventLog(await temporaryDirectory(), { clock });
    raise(log, clock, 450);
    expect(await log.redate(shift(clock, seconds))).toBe(450);
    expect(await secondsOf(log)).toEqual(from(seconds, 450));
    expect(await secondsOf(log, { channelIds: new Set([CHANNEL]) })).toEqual(from(seconds, 450));
    await log.stop();
  });

  it("are found by their texts where they are then", async () => {
    const clock = new SimulatedClock();
    const directory = await temporaryDirectory();
    const log = await openEventLog(directory, { clock });
    raise(log, clock, 3);
    await log.flush();
    clock.advance(5 * HOUR_US);
    await expect
      .poll(() => {
        clock.advance(700 * SECOND_US);
        return existsSync(path.join(directory, "events-text"));
      })
      .toBe(true);
    expect(await log.redate(shift(clock, 7200))).toBe(3);
    const { id, name } = EVENT_TYPES.motionDetected;
    const text = { words: name, fits: ({ typeId }: EventRecord) => typeId === id };
    expect(await secondsOf(log, { text })).toEqual(from(7200, 3));
    await log.stop();
  });

  it("leave those of earlier boots and later ones where they are", async () => {
    const clock = new SimulatedClock();
    const directory = await temporaryDirectory();
    const earlier = await openEventLog(directory, { clock });
    raise(earlier, clock, 3);
    await earlier.stop();
    const log = await openEventLog(directory, { clock, bootId: newGuid() });
    raise(log, clock, 3);
    const done = log.redate(shift(clock, -2));
    await log.flush();
    expect(await done).toBe(3);
    raise(log, clock, 2);
    await log.flush();
    expect((await secondsOf(log)).sort((a, b) => a - b)).toEqual([0, 1, 1, 2, 2, 3, 6, 7]);
    await log.stop();
  });

  it("move also where an earlier run of the same boot raised them, and no second time", async () => {
    const clock = new SimulatedClock();
    const directory = await temporaryDirectory();
    const bootId = newGuid();
    const first = await openEventLog(directory, { clock, bootId });
    raise(first, clock, 3);
    await first.stop();
    const times = shift(clock, 100);
    const second = await openEventLog(directory, { clock, bootId });
    expect(await second.redate(times)).toBe(3);
    await second.stop();
    const third = await openEventLog(directory, { clock, bootId });
    expect(await third.redate(times)).toBe(3);
    expect(await secondsOf(third)).toEqual([100, 101, 102]);
    await third.stop();
  });

  it("are moved once although the work is interrupted between any two steps", async () => {
    const clock = new SimulatedClock();
    const directory = await temporaryDirectory();
    const bootId = newGuid();
    const log = await openEventLog(directory, { clock, bootId });
    raise(log, clock, 700);
    await log.stop();
    const environment = new EventEnvironment({ directory: path.join(directory, "events") });
    const store = new EventStore(environment);
    for (let more = true; more; ) {
      const redating = new EventRedating(store, { bootId, firstSequence: 10_000 });
      redating.want(shift(clock, 60), 700);
      more = (await redating.step()).isMore;
    }
    await environment.close();
    const after = await openEventLog(directory, { clock, bootId });
    expect(await secondsOf(after)).toEqual(from(60, 700));
    await after.stop();
  });
});
