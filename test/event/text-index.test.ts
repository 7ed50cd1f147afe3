import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventQuery, type EventRecord } from "../../src/event/index.js";
import { EventTextIndex, hourOf } from "../../src/event/text-index.js";
import { searchText, TEXT_EVENTS_MAX } from "../../src/event/text-search.js";
import { gramsOf } from "../../src/event/text-signature.js";
import { SILENT_LOG } from "../support/archive/index-harness.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";

const HOUR_MS = 3_600_000;
const directory = forEachTest(() => new TemporaryDirectory("event-text"));

let clock: ManualClock;
let log: MemoryEventLog;
/** Hours that searches have read. */
let read: number[];

beforeEach(() => {
  clock = new ManualClock();
  log = new MemoryEventLog(clock);
  read = [];
});

const search = (query: EventQuery): AsyncIterable<readonly EventRecord[]> => {
  if (query.limit > 1) read.push(hourOf(query.fromUs));
  return log.search(query);
};

async function open(): Promise<EventTextIndex> {
  const index = new EventTextIndex({ path: directory.join("events-text"), search, clock, log: SILENT_LOG });
  await index.start();
  await index.complete();
  read = [];
  return index;
}

function tell(comment: string, hours: number): EventRecord {
  const timeUs = clock.nowUs() - hours * HOUR_MS * 1000;
  const record = log.raise({ typeId: EVENT_TYPES.cameraTold.id, comment, timeUs });
  return record;
}

async function found(
  index: EventTextIndex,
  words: string,
  change: Partial<EventQuery> = {},
): Promise<string[]> {
  const fits = ({ comment }: EventRecord): boolean => comment.toLowerCase().includes(words);
  const query = {
    fromUs: 0,
    toUs: clock.nowUs(),
    limit: 10,
    fromBegin: false,
    ...change,
    text: { words, fits },
  };
  const times = log.raised.map(({ timeUs }) => timeUs);
  const reach = async () => ({ fromUs: Math.min(...times), toUs: Math.max(...times) });
  const comments: string[] = [];
  for await (const batch of searchText(query, { index, search, reach }))
    comments.push(...batch.map(({ comment }) => comment));
  return comments;
}

describe("the search for a text", () => {
  it("reads the hours that may have it, and no others", async () => {
    for (let hour = 1; hour <= 200; hour += 1) tell(`visitor ${hour % 7}`, hour);
    tell("the needle", 100);
    const index = await open();
    expect(await found(index, "needle")).toEqual(["the needle"]);
    // The hour that is not over is read always.
    expect(new Set(read)).toEqual(new Set([hourOf(clock.nowUs()) - 100]));
  });

  it("answers the last ones, ascending, or the first ones", async () => {
    for (let hour = 5; hour >= 1; hour -= 1) tell(`visitor ${hour}`, hour);
    const index = await open();
    expect(await found(index, "visitor", { limit: 2 })).toEqual(["visitor 2", "visitor 1"]);
    expect(await found(index, "visitor", { limit: 2, fromBegin: true })).toEqual(["visitor 5", "visitor 4"]);
  });

  it("finds what came in this hour, and what was dated back into one that was read", async () => {
    tell("visitor", 30);
    const index = await open();
    tell("a courier now", 0);
    index.note(tell("a courier then", 30));
    index.note(tell("a courier in an empty hour", 20));
    expect(await found(index, "courier")).toEqual([
      "a courier then",
      "a courier in an empty hour",
      "a courier now",
    ]);
  });

  it("answers a bounded number", async () => {
    for (let at = 0; at < TEXT_EVENTS_MAX + 10; at += 1) tell("visitor", 1);
    expect(await found(await open(), "visitor", { limit: 100_000 })).toHaveLength(TEXT_EVENTS_MAX);
  });

  it("finds by the words that either language has for a type", async () => {
    tell("visitor", 3);
    const index = await open();
    const hour = hourOf(clock.nowUs()) - 3;
    const { name } = EVENT_TYPES.cameraTold;
    expect(index.mayHave(hour, gramsOf(name))).toBe(true);
    expect(index.mayHave(hour, gramsOf("nothing of the kind"))).toBe(false);
  });
});

describe("the index of texts", () => {
  it("is kept, and read again without the events", async () => {
    tell("visitor", 3);
    await (await open()).stop();
    log.raised.length = 0;
    const index = new EventTextIndex({ path: directory.join("events-text"), search, clock, log: SILENT_LOG });
    await index.start();
    expect(index.mayHave(hourOf(clock.nowUs()) - 3, gramsOf("visitor"))).toBe(true);
    expect(index.mayHave(hourOf(clock.nowUs()) - 3, gramsOf("needle"))).toBe(false);
  });

  it("is made anew when it is damaged", async () => {
    tell("visitor", 3);
    await (await open()).stop();
    const file = readFileSync(directory.join("events-text"));
    file[file.length - 1] = (file.at(-1) ?? 0) ^ 1;
    writeFileSync(directory.join("events-text"), file);
    expect(await found(await open(), "visitor")).toEqual(["visitor"]);
  });

  it("does not outlive what came since, if the recorder crashes then", async () => {
    tell("visitor", 3);
    const index = await open();
    await index.stop();
    index.note(tell("a courier", 3));
    await expect.poll(() => existsSync(directory.join("events-text"))).toBe(false);
  });

  it("forgets all when events have other times", async () => {
    tell("visitor", 3);
    const index = await open();
    index.forgetAll();
    expect([index.hours, await found(index, "visitor")]).toEqual([0, ["visitor"]]);
  });
});
