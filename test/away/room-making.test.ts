import { beforeEach, describe, expect, it } from "vitest";
import { dayOf, type SentEntry } from "../../src/away/plan/sent-segment.js";
import { RoomMaking } from "../../src/away/room-making.js";
import { TargetState } from "../../src/away/target-state.js";
import { type Interval, US_PER_DAY, US_PER_HOUR } from "../../src/base/index.js";
import { guidOfNumber, MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const [GATE, YARD] = [guidOfNumber(1, 1), guidOfNumber(2, 1)];

describe("room at another recorder", () => {
  let ages: { isKnown: boolean; nowUs: number };
  /** What lies there, by channel: minutes after the start of a day, each a minute long. */
  let there: { channelId: string; fromUs: number }[];
  let protectedSpans: Interval[];
  let locked: Interval[];
  let state: TargetState;
  let room: RoomMaking;

  beforeEach(async () => {
    ages = { isKnown: true, nowUs: START_US + US_PER_DAY };
    [there, protectedSpans, locked] = [[], [], []];
    const clock = new SimulatedClock(START_US);
    state = new TargetState({ directory: await temporaryDirectory(), clock, log: silentLog });
    const span = (fromUs: number) => ({ fromUs, toUs: fromUs + MINUTE_US });
    room = new RoomMaking({
      books: {
        days: async () => there.map(({ channelId, fromUs }) => ({ channelId, day: dayOf(fromUs) })).reverse(),
        entriesOf: async (channelId, day) =>
          there
            .filter((one) => one.channelId === channelId && dayOf(one.fromUs) === day)
            .map(({ fromUs }) => span(fromUs) as SentEntry),
      },
      state,
      protectedRanges: (channelId) => (channelId === GATE ? protectedSpans : []),
      isLocked: (channelId, { fromUs }) =>
        channelId === GATE && locked.some((lock) => lock.fromUs <= fromUs && fromUs < lock.toUs),
      ages,
    });
  });

  const put = (minute: number, channelId = GATE) =>
    there.push({ channelId, fromUs: START_US + minute * MINUTE_US });
  /** Minutes after the start of the day. */
  const raised = async () => [await room.raise(), (room.fromUs - START_US) / MINUTE_US];

  it("is made by the oldest hour", async () => {
    put(1000);
    put(10, YARD);
    put(20);
    expect(await raised()).toEqual([true, 70]);
    expect(state.kept.roomFromUs).toBe(room.fromUs);
  });

  it("is made by an eighth of what is kept, where that is less than an hour", async () => {
    put(0);
    ages.nowUs = START_US + 2 * US_PER_HOUR;
    expect(await raised()).toEqual([true, 15]);
  });

  it("is made by one recording at least", async () => {
    put(0);
    ages.nowUs = START_US + 4 * MINUTE_US;
    expect(await raised()).toEqual([true, 1]);
    // By a clock that is behind, too.
    put(2);
    there.shift();
    ages.nowUs = START_US;
    expect(await raised()).toEqual([true, 3]);
  });

  it("is not given back while what was given up is still there", async () => {
    put(600);
    await room.raise();
    there.length = 0;
    put(0);
    expect(await raised()).toEqual([true, 660]);
  });

  it("is not made of what is protected or locked in its channel, but of the next, on a later day too", async () => {
    put(0);
    put(30);
    put(1440 + 5);
    put(1440 + 50, YARD);
    protectedSpans = [{ fromUs: START_US, toUs: START_US + MINUTE_US }];
    locked = [{ fromUs: START_US + 30 * MINUTE_US, toUs: START_US + US_PER_DAY + US_PER_HOUR }];
    ages.nowUs = START_US + 3 * US_PER_DAY;
    expect(await raised()).toEqual([true, 1440 + 110]);
  });

  it("cannot be made where all is protected, nothing is there, or the clock is not known", async () => {
    expect(await raised()).toEqual([false, -START_US / MINUTE_US]);
    put(0);
    protectedSpans = [{ fromUs: START_US, toUs: START_US + MINUTE_US }];
    expect(await room.raise()).toBe(false);
    protectedSpans = [];
    ages.isKnown = false;
    expect(await room.raise()).toBe(false);
    ages.isKnown = true;
    expect(await room.raise()).toBe(true);
  });
});
