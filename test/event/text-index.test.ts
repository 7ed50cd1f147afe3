import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventQuery, type EventRecord } from "../../src/event/index.js";
import { EventTextIndex, type EventTextIndexOptions, hourOf } from "../../src/event/text-index.js";
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

function indexOf(options: Partial<EventTextIndexOptions> = {}): EventTextIndex {
  return new EventTextIndex({
    path: directory.join("events-text"),
    ...{ search, clock, log: SILENT_LOG },
    ...options,
  });
}

async function open(options: Partial<EventTextIndexOptions> = {}): Promise<EventTextIndex> {
  const index = indexOf(options);
  await index.start();
  await index.complete();
  read = [];
  return index;
}

function raise(comment: string, hours: number): EventRecord {
  const timeUs = clock.nowUs() - hours * HOUR_MS * 1000;
  const record = log.raise({ typeId: EVENT_TYPES.cameraTold.id, comment, timeUs });
  return record;
}

/** Of the last hours, those that are known not to have what no event has. */
function deniesHours(index: EventTextIndex, count: number): readonly number[] {
  const hours = Array.from({ length: count }, (_, at) => at + 1);
  return hours.filter((hour) => !index.mayHave(hourOf(clock.nowUs()) - hour, gramsOf("crocodile")));
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
    for (let hour = 1; hour <= 200; hour += 1) raise(`visitor ${hour % 7}`, hour);
    raise("the needle", 100);
    const index = await open();
    expect(await found(index, "needle")).toEqual(["the needle"]);
    // The hour that is not over is read always.
    expect(new Set(read)).toEqual(new Set([hourOf(clock.nowUs()) - 100]));
  });

  it("answers the last ones, ascending, or the first ones", async () => {
    for (let hour = 5; hour >= 1; hour -= 1) raise(`visitor ${hour}`, hour);
    const index = await open();
    expect(await found(index, "visitor", { limit: 2 })).toEqual(["visitor 2", "visitor 1"]);
    expect(await found(index, "visitor", { limit: 2, fromBegin: true })).toEqual(["visitor 5", "visitor 4"]);
  });

  it("finds what came in this hour, and what was dated back into one that was read", async () => {
    raise("visitor", 30);
    const index = await open();
    raise("a courier now", 0);
    index.note(raise("a courier then", 30));
    index.note(raise("a courier in an empty hour", 20));
    expect(await found(index, "courier")).toEqual([
      "a courier then",
      "a courier in an empty hour",
      "a courier now",
    ]);
  });

  it("reads an hour no further than its first ones go", async () => {
    for (let at = 0; at < 2000; at += 1) raise(`visitor ${at}`, 1);
    const index = await open();
    let batches = 0;
    const counted = async function* (query: EventQuery) {
      for await (const batch of log.search(query)) {
        batches += 1;
        yield batch;
      }
    };
    const text = { words: "visitor", fits: () => true };
    const query = { fromUs: 0, toUs: clock.nowUs(), limit: 3, fromBegin: true, text };
    const reach = async () => ({ fromUs: clock.nowUs() - HOUR_MS * 1000, toUs: clock.nowUs() });
    const answer: EventRecord[] = [];
    for await (const batch of searchText(query, { index, search: counted, reach })) answer.push(...batch);
    expect(answer.map(({ comment }) => comment)).toEqual(["visitor 0", "visitor 1", "visitor 2"]);
    expect(batches).toBe(1);
  });

  it("answers the last ones of an hour that has many", async () => {
    for (let at = 0; at < 2000; at += 1) raise(`visitor ${at}`, 1);
    expect(await found(await open(), "visitor", { limit: 2 })).toEqual(["visitor 1998", "visitor 1999"]);
  });

  it("ends when whoever asked has left", async () => {
    for (let hour = 1; hour <= 5; hour += 1) raise("visitor", hour);
    const leaving = new AbortController();
    const query = { fromUs: 0, toUs: clock.nowUs(), limit: 10, fromBegin: false, signal: leaving.signal };
    const fits = (): boolean => {
      leaving.abort(new Error("left"));
      return false;
    };
    const index = indexOf();
    const reach = async () => ({ fromUs: clock.nowUs() - 5 * HOUR_MS * 1000, toUs: clock.nowUs() });
    const text = { words: "visitor", fits };
    await expect(searchText({ ...query, text }, { index, search, reach }).next()).rejects.toThrow("left");
    expect(read).toHaveLength(2);
  });

  it("answers a bounded number", async () => {
    for (let at = 0; at < TEXT_EVENTS_MAX + 10; at += 1) raise("visitor", 1);
    expect(await found(await open(), "visitor", { limit: 100_000 })).toHaveLength(TEXT_EVENTS_MAX);
  });

  it("finds by the words that either language has for a type", async () => {
    raise("visitor", 3);
    const index = await open();
    const hour = hourOf(clock.nowUs()) - 3;
    const { name } = EVENT_TYPES.cameraTold;
    expect(index.mayHave(hour, gramsOf(name))).toBe(true);
    expect(index.mayHave(hour, gramsOf("nothing of the kind"))).toBe(false);
  });
});

describe("the index of texts", () => {
  it("is kept, and read again without the events", async () => {
    raise("visitor", 3);
    await (await open()).stop();
    log.raised.length = 0;
    const index = indexOf();
    await index.start();
    expect(index.mayHave(hourOf(clock.nowUs()) - 3, gramsOf("visitor"))).toBe(true);
    expect(index.mayHave(hourOf(clock.nowUs()) - 3, gramsOf("needle"))).toBe(false);
  });

  it("is made anew when it is damaged", async () => {
    raise("visitor", 3);
    await (await open()).stop();
    const file = readFileSync(directory.join("events-text"));
    file[file.length - 1] = (file.at(-1) ?? 0) ^ 1;
    writeFileSync(directory.join("events-text"), file);
    expect(await found(await open(), "visitor")).toEqual(["visitor"]);
  });

  it("does not outlive what came since, if the recorder crashes then", async () => {
    raise("visitor", 3);
    const index = await open();
    await index.stop();
    index.note(raise("a courier", 3));
    await expect.poll(() => existsSync(directory.join("events-text"))).toBe(false);
  });

  it("forgets all when events have other times", async () => {
    raise("visitor", 3);
    const index = await open();
    index.forgetAll();
    expect([deniesHours(index, 3), await found(index, "visitor")]).toEqual([[], ["visitor"]]);
  });

  it("makes room for the newest hours: the oldest leave", async () => {
    for (let hour = 1; hour <= 5; hour += 1) raise(`visitor ${hour}`, hour);
    const index = await open({ bytesMax: 150 });
    expect(deniesHours(index, 5)).toEqual([1]);
    clock.advance(2 * HOUR_MS);
    raise("somebody", 1);
    await index.complete();
    // Nothing happened in the hour before.
    expect(deniesHours(index, 7)).toEqual([1, 2]);
    expect(await found(index, "visitor")).toHaveLength(5);
  });

  it("reads no hour again that there is no room for", async () => {
    for (let hour = 1; hour <= 5; hour += 1) raise(`visitor ${hour}`, hour);
    const index = await open({ bytesMax: 150 });
    await index.complete();
    expect(read).toEqual([]);
  });

  it("lets an hour go with the last of its events", async () => {
    for (let hour = 1; hour <= 5; hour += 1) raise(`visitor ${hour}`, hour);
    const index = await open();
    log.raised.splice(0, log.raised.length, ...log.raised.slice(0, 2));
    await index.complete();
    expect(deniesHours(index, 5)).toEqual([1, 2]);
  });

  it("has what is dated into an hour while that is being read", async () => {
    raise("visitor", 3);
    let isLate = false;
    const index = indexOf({
      search: async function* (query) {
        for await (const batch of log.search(query)) {
          if (query.limit > 1 && !isLate) index.note(raise("a courier", 3));
          isLate = query.limit > 1 || isLate;
          yield batch;
        }
      },
    });
    await index.complete();
    expect(await found(index, "courier")).toEqual(["a courier"]);
  });

  it("has what is dated between two hours while these are looked for", async () => {
    raise("visitor", 9);
    let isLate = false;
    const index = indexOf({
      search: async function* (query) {
        for await (const batch of log.search(query)) {
          if (!isLate) index.note(raise("a courier", 5));
          isLate = true;
          yield batch;
        }
      },
    });
    await index.complete();
    expect(await found(index, "courier")).toEqual(["a courier"]);
  });

  it("is not read where something is dated back meanwhile", async () => {
    raise("visitor", 3);
    await (await open()).stop();
    const index = indexOf();
    const started = index.start();
    index.note(raise("a courier", 3));
    await started;
    expect(await found(index, "courier")).toEqual(["a courier"]);
  });

  it("does not outlive what is dated into an hour that has left it, if the recorder crashes then", async () => {
    raise("visitor", 3);
    const index = await open();
    await index.stop();
    log.raised.length = 0;
    await index.complete();
    index.note(raise("a courier", 3));
    await expect.poll(() => existsSync(directory.join("events-text"))).toBe(false);
  });

  it("lets other work go on while long texts are read", async () => {
    for (let at = 0; at < 200; at += 1) raise(`${at} ${"a long text ".repeat(300)}`, 1);
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(turn);
    };
    setImmediate(turn);
    await indexOf().complete();
    expect(turns).toBeGreaterThan(10);
    turns = 1000;
  });

  it("has every gram, however many there are", async () => {
    for (let at = 0; at < 2000; at += 1) raise((at * 7919 * 7919).toString(36).repeat(3), 1);
    const index = await open();
    const hour = hourOf(clock.nowUs()) - 1;
    for (const { comment } of log.raised) expect(index.mayHave(hour, gramsOf(comment))).toBe(true);
  });
});
