import { expect, it } from "vitest";
import { EMPTY_GUID } from "../../src/base/index.js";
import { EVENT_TYPES, type EventMomentsQuery, type LmdbEventLog } from "../../src/event/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { channelOfNumber, openEventLog } from "../support/event/event-log-harness.js";

const START_US = Date.UTC(2026, 2, 1) * 1000;
const SECOND_US = 1_000_000;
const MANY = 5000;

const directory = forEachTest(() => new TemporaryDirectory("moments"));
const log = forEachTest(() => openEventLog(directory.path));

function raise(second: number, channel = 1): void {
  const typeId = EVENT_TYPES.motionDetected.id;
  log.raise({ typeId, timeUs: START_US + second * SECOND_US, channelId: channelOfNumber(channel) });
}

/** The seconds of the moments, in order. */
async function moments(of: LmdbEventLog, query: Partial<EventMomentsQuery> = {}): Promise<number[]> {
  const found: number[] = [];
  for await (const { timesUs } of of.moments({ fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, ...query }))
    found.push(...timesUs.map((timeUs) => (timeUs - START_US) / SECOND_US));
  return found.sort((a, b) => a - b);
}

it("are those of events that wait, are written, and are in the index, each once", async () => {
  for (let second = 0; second < MANY; second++) raise(second);
  await log.flush();
  raise(MANY);
  await log.flush();
  raise(MANY + 1);
  expect(await moments(log)).toEqual(Array.from({ length: MANY + 2 }, (_, second) => second));
});

it("are within the time, its ends included, and of the channel", async () => {
  for (let second = 0; second < 10; second++) raise(second, 1 + (second % 2));
  await log.flush();
  const within = { fromUs: START_US + 2 * SECOND_US, toUs: START_US + 6 * SECOND_US };
  expect(await moments(log, { ...within, channelIds: new Set([channelOfNumber(1)]) })).toEqual([2, 4, 6]);
});

it("say what the events have in common", async () => {
  raise(0);
  const found = [];
  for await (const one of log.moments({ fromUs: 0, toUs: Number.MAX_SAFE_INTEGER })) found.push(one);
  expect(found).toEqual([
    expect.objectContaining({
      typeId: EVENT_TYPES.motionDetected.id,
      channelId: channelOfNumber(1),
      initiatorType: 0,
      initiatorId: EMPTY_GUID,
      timesUs: [START_US],
    }),
  ]);
});

it("are found of more kinds of events than are numbered", async () => {
  const other = new TemporaryDirectory("moments-mixed");
  const few = await openEventLog(other.path, { seriesMax: 1 });
  for (const channel of [1, 2, 3]) {
    few.raise({
      typeId: EVENT_TYPES.motionDetected.id,
      timeUs: START_US + channel * SECOND_US,
      channelId: channelOfNumber(channel),
    });
    await few.flush();
  }
  expect(await moments(few, { channelIds: new Set([channelOfNumber(2)]) })).toEqual([2]);
  await few.stop();
  other.remove();
});
