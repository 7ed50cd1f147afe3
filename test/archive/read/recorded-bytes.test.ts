import { expect, it } from "vitest";
import { memoryStore } from "../../../src/archive/index/index-store.js";
import { RecordedBytes, RecordedTime } from "../../../src/archive/index.js";
import type { Guid, StreamKey, StreamType } from "../../../src/base/index.js";
import { ARCHIVE_DAYS } from "../../../src/contract/answer/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const DAY_US = 86_400_000_000;
const HOUR_US = 3_600_000_000;
const TODAY = 20_000;
const GATE = "22222222-0000-4000-8000-000000000001" as Guid;
const YARD = "22222222-0000-4000-8000-000000000002" as Guid;

function world() {
  const store = memoryStore();
  const clock = new SimulatedClock(TODAY * DAY_US + HOUR_US);
  const keys: StreamKey[] = [];
  const index = { store: { totals: store.totals, streamKey: (number: number) => keys[number] } };
  const recordedTime = new RecordedTime({ store });
  const record = (channelId: Guid, streamType: StreamType, day: number, bytes: number): void => {
    const text = `${channelId} ${streamType}`;
    if (!keys.some((key) => `${key.channelId} ${key.streamType}` === text))
      keys.push({ channelId, streamType });
    const stream = keys.findIndex((key) => `${key.channelId} ${key.streamType}` === text);
    const fromUs = day * DAY_US;
    store.totals.count({ fromUs, toUs: fromUs + HOUR_US, bytes }, { stream, volume: 1 }, 1, 1);
  };
  return { clock, record, index, recordedTime, bytes: new RecordedBytes({ index, recordedTime, clock }) };
}

it("the bytes of a channel's day are those of all its streams, its time that of the longest", async () => {
  const { record, bytes } = world();
  record(GATE, "Main", TODAY, 100);
  record(GATE, "Main", TODAY, 100);
  record(GATE, "Alternative", TODAY, 10);
  record(YARD, "Main", TODAY - 1, 5);
  const read = await bytes.read();
  expect(read.get(GATE)?.days).toEqual([{ day: TODAY, bytes: 210, durationUs: 2 * HOUR_US }]);
  expect(read.get(YARD)?.days).toEqual([{ day: TODAY - 1, bytes: 5, durationUs: HOUR_US }]);
});

it("only the last days are reported, the oldest first, and none of the future", async () => {
  const { record, bytes } = world();
  for (let day = TODAY - 40; day <= TODAY + 2; day++) record(GATE, "Main", day, 1);
  const days = (await bytes.read()).get(GATE)?.days.map(({ day }) => day) ?? [];
  expect(days).toHaveLength(ARCHIVE_DAYS);
  expect([days[0], days.at(-1)]).toEqual([TODAY - ARCHIVE_DAYS + 1, TODAY]);
});

it("all bytes of a channel are known after the first whole round over the index", async () => {
  const { record, bytes, recordedTime, clock } = world();
  record(GATE, "Main", TODAY - 400, 70);
  record(GATE, "Main", TODAY, 30);
  expect((await bytes.read()).get(GATE)?.recordedBytes).toBeUndefined();
  recordedTime.read();
  clock.advance(60_000_000);
  expect((await bytes.read()).get(GATE)?.recordedBytes).toBe(100);
});

it("many questions in a short time are one reading of the index", async () => {
  const { record, bytes, clock } = world();
  record(GATE, "Main", TODAY, 1);
  const first = bytes.read();
  expect(bytes.read()).toBe(first);
  record(GATE, "Main", TODAY, 1);
  clock.advance(60_000_000);
  expect((await bytes.read()).get(GATE)?.days[0]?.bytes).toBe(2);
});

it("a reading that failed is no answer for the next question", async () => {
  const { record, index, recordedTime, clock } = world();
  record(GATE, "Main", TODAY, 1);
  let isFailing = true;
  const streamKey = (number: number): StreamKey | undefined => {
    if (isFailing) throw new Error("the index is closed");
    return index.store.streamKey(number);
  };
  const bytes = new RecordedBytes({ index: { store: { ...index.store, streamKey } }, recordedTime, clock });
  const first = bytes.read();
  await expect(first).rejects.toThrow("the index is closed");
  isFailing = false;
  expect((await bytes.read()).get(GATE)?.days).toHaveLength(1);
});
