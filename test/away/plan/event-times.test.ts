import { describe, expect, it } from "vitest";
import { eventTimes } from "../../../src/away/plan/event-times.js";
import type { Guid } from "../../../src/base/index.js";
import { EVENT_TYPES, type EventMomentsQuery, seenTypes } from "../../../src/event/index.js";

const GATE = "22222222-0000-4000-8000-000000000001" as Guid;
const SECOND_US = 1_000_000;
const HOUR_US = 3600 * SECOND_US;
const DAY_US = 24 * HOUR_US;
/** The hour that is asked for. */
const WITHIN = { fromUs: 10 * DAY_US, toUs: 10 * DAY_US + HOUR_US };
const AROUND = { secondsBefore: 0, secondsAfter: 0 };

type Happened = readonly (readonly [typeId: Guid, ...timesUs: number[]])[];

/** The times as distances from the hour's beginning; times of a log in two batches. */
async function times(happened: Happened, around = AROUND, queries: EventMomentsQuery[] = []) {
  const events = {
    async *moments(query: EventMomentsQuery) {
      queries.push(query);
      for (const [typeId, ...timesUs] of happened) {
        yield { typeId, timesUs: timesUs.slice(0, 1).map((us) => WITHIN.fromUs + us) };
        yield { typeId, timesUs: timesUs.slice(1).map((us) => WITHIN.fromUs + us) };
      }
    },
  } as unknown as Parameters<typeof eventTimes>[0];
  const spans = await eventTimes(events, GATE, WITHIN, around);
  return spans.map(({ fromUs, toUs }) => [fromUs - WITHIN.fromUs, toUs - WITHIN.fromUs]);
}

const { motionStarted, motionEnded, externalEvent } = EVENT_TYPES;
const [personBegan, personEnded] = seenTypes("person");
const [ruleBegan, ruleEnded] = seenTypes("rule");

describe("when something happened", () => {
  it("is a moment, with the seconds around; what touches is one", async () => {
    expect(await times([[externalEvent.id, 500, 7 * SECOND_US]])).toEqual([
      [500, 501],
      [7 * SECOND_US, 7 * SECOND_US + 1],
    ]);
    const around = { secondsBefore: 2, secondsAfter: 5 };
    expect(await times([[externalEvent.id, 10 * SECOND_US, 17 * SECOND_US]], around)).toEqual([
      [8 * SECOND_US, 22 * SECOND_US + 1],
    ]);
  });

  it("is the time from a beginning to its end, whichever comes first from the log", async () => {
    expect(
      await times([
        [motionEnded.id, 900, 100],
        [motionStarted.id, 200],
      ]),
    ).toEqual([
      [100, 101],
      [200, 901],
    ]);
  });

  it("goes on where motion or a rule has not ended, for a day at most", async () => {
    expect(await times([[motionStarted.id, 100]])).toEqual([[100, HOUR_US]]);
    expect(await times([[ruleBegan, 100]])).toEqual([[100, HOUR_US]]);
    expect(await times([[motionStarted.id, -DAY_US + 1000]])).toEqual([[-DAY_US + 1000, 1000]]);
    expect(await times([[motionStarted.id, -DAY_US - 1000]])).toEqual([]);
    expect(
      await times([
        [ruleBegan, -2 * HOUR_US],
        [ruleEnded, 100],
      ]),
    ).toEqual([[-2 * HOUR_US, 101]]);
  });

  it("is a moment where a person is seen and no end has come within an hour", async () => {
    expect(await times([[personBegan, 100]])).toEqual([[100, 101]]);
    expect(
      await times([
        [personBegan, -SECOND_US],
        [personEnded, HOUR_US - SECOND_US],
      ]),
    ).toEqual([[-SECOND_US, HOUR_US - SECOND_US + 1]]);
    expect(
      await times([
        [personBegan, -SECOND_US],
        [personEnded, HOUR_US - SECOND_US + 1],
      ]),
    ).toEqual([[HOUR_US - SECOND_US + 1, HOUR_US - SECOND_US + 2]]);
  });

  it("is only what reaches into the time", async () => {
    const around = { secondsBefore: 2, secondsAfter: 5 };
    const at = [-5 * SECOND_US - 1, HOUR_US + 2 * SECOND_US] as const;
    expect(await times([[externalEvent.id, ...at]], around)).toEqual([]);
    const [before, after] = [-5 * SECOND_US, HOUR_US + 2 * SECOND_US - 1] as const;
    expect(await times([[externalEvent.id, before, after]], around)).toHaveLength(2);
  });
});

it("the log is asked for the camera alone, a day back and as far ahead as is wanted before an event", async () => {
  const queries: EventMomentsQuery[] = [];
  await times([], { secondsBefore: 2, secondsAfter: 5 }, queries);
  expect(queries).toMatchObject([
    { fromUs: WITHIN.fromUs - DAY_US - 5 * SECOND_US, toUs: WITHIN.toUs + 2 * SECOND_US },
  ]);
  expect([...(queries[0]?.channelIds ?? [])]).toEqual([GATE]);
  expect(queries[0]?.typeIds?.has(EVENT_TYPES.motionStarted.id)).toBe(true);
});
