import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DayBooks } from "../../src/away/day-books.js";
import { DayJournal } from "../../src/away/plan/day-journal.js";
import { manifestKey, manifestText, readManifest } from "../../src/away/plan/manifest.js";
import { dayOf, type SentEntry } from "../../src/away/plan/sent-segment.js";
import type { SendWork } from "../../src/away/send/send-messages.js";
import { segmentOf } from "../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";
const DAY = "2026-03-01";
const NONE = { send: async () => undefined, remove: async () => undefined };

function sentEntry(sequence: number): SentEntry {
  const { key, gops: _gops, ...facts } = segmentOf({ stream: 2, sequence });
  return {
    ...facts,
    segmentId: sequence,
    stream: key.streamType,
    video: 1,
    audio: 0,
    sha256: "0".repeat(64),
  };
}

function booksIn(directory: string): DayBooks {
  const unused = async () => Promise.reject(new Error("not asked for"));
  return new DayBooks({
    ...{
      directory,
      sender: { run: unused },
      factsOf: unused,
      beforeNaming: unused,
      findings: NONE,
      replacedMs: 0,
    },
    ...{ clock: new SimulatedClock(), log: silentLog },
  });
}

it("a target that has sent nothing yet has no journals", async () => {
  const directory = path.join(await temporaryDirectory(), "none");
  await expect(booksIn(directory).retain(() => false)).resolves.toBeUndefined();
});

it("journals that cannot be listed are a fault, not an empty folder", async () => {
  const directory = await temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, CHANNEL), "no folder");
  await expect(booksIn(directory).retain(() => false)).rejects.toThrow("ENOTDIR");
});

it("what was sent while a manifest was written is named by the next one", async () => {
  const directory = await temporaryDirectory();
  const named: number[][] = [];
  const books: DayBooks = new DayBooks({
    ...{
      directory,
      clock: new SimulatedClock(),
      log: silentLog,
      beforeNaming: async () => undefined,
      findings: NONE,
      replacedMs: 0,
    },
    factsOf: async () => ({
      ...{ server: { id: CHANNEL, name: "Box" }, channel: { id: CHANNEL, name: "Gate" } },
      ...{ gaps: [], events: [] },
    }),
    sender: { run: (work) => answer(work) as never },
  });
  const answer = async (work: SendWork): Promise<unknown> => {
    if (work.op === "list") return [];
    if (work.op !== "put") return undefined;
    named.push(readManifest(work.content).segments.map(({ segmentId }) => segmentId));
    if (named.length === 1) await books.note(CHANNEL, DAY, sentEntry(2));
    return undefined;
  };
  await books.note(CHANNEL, DAY, sentEntry(1));
  for (let count = 0; count < 3; count++) await books.nameDue(true);
  expect(named).toEqual([[1], [1, 2]]);
});

it("what was found of a day goes also while there is always something to name, once a manifest is there", async () => {
  const directory = await temporaryDirectory();
  const sent: string[] = [];
  const books: DayBooks = new DayBooks({
    ...{ directory, clock: new SimulatedClock(), log: silentLog, replacedMs: 0 },
    beforeNaming: async () => undefined,
    findings: { ...NONE, send: async (_channelId, day) => void sent.push(day) },
    factsOf: async () => ({
      ...{ server: { id: CHANNEL, name: "Box" }, channel: { id: CHANNEL, name: "Gate" } },
      ...{ gaps: [], events: [] },
    }),
    sender: { run: async ({ op }) => (op === "list" ? [] : undefined) as never },
  });
  await books.note(CHANNEL, DAY, sentEntry(1));
  await books.nameDue(false);
  expect(sent).toEqual([]);
  await books.nameDue(true);
  await books.note(CHANNEL, DAY, sentEntry(2));
  sent.length = 0;
  await books.nameDue(false);
  expect(sent).toEqual([DAY]);
});

it("a journal that was used last stays open, though all others have something to name", async () => {
  const directory = await temporaryDirectory();
  const manifest = manifestText({
    ...{ server: { id: CHANNEL, name: "Box" }, channel: { id: CHANNEL, name: "Gate" } },
    ...{ day: DAY, revision: 1, createdUs: 0, gaps: [], events: [], segments: [sentEntry(7)] },
  });
  let notify: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const answer = async (work: SendWork): Promise<unknown> => {
    if (work.op === "get") return Buffer.from(manifest);
    if (work.op !== "list") return undefined;
    await listed;
    return [{ key: manifestKey(CHANNEL, DAY, 1), bytes: 1 }];
  };
  const unused = async () => Promise.reject(new Error("not asked for"));
  const books = new DayBooks({
    ...{
      directory,
      clock: new SimulatedClock(),
      log: silentLog,
      beforeNaming: unused,
      findings: NONE,
      factsOf: unused,
    },
    ...{ replacedMs: 0, sender: { run: (work) => answer(work) as never } },
  });
  const others = Array.from({ length: 560 }, (_one, at) => new Date(Date.UTC(2025, 0, 1 + at)));
  for (const day of others) await books.note(CHANNEL, day.toISOString().slice(0, 10), sentEntry(1));
  // The bucket takes its time, and says what it has of the day: whoever asks meanwhile or later is told the same.
  const comparing = books.compare(CHANNEL, DAY);
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  const meanwhile = await books.sentOf(CHANNEL, DAY);
  notify();
  expect(await comparing).toBe(true);
  expect([meanwhile.has(7, "whole"), (await books.sentOf(CHANNEL, DAY)).has(7, "whole")]).toEqual([
    true,
    true,
  ]);
});

it("journals of many cameras that have sent little yet are read once", async () => {
  const directory = await temporaryDirectory();
  const books = booksIn(directory);
  const days = Array.from({ length: 100 }, (_one, at) => dayOf(Date.UTC(2025, 0, 1 + at) * 1000));
  for (const day of days) await books.sentOf(CHANNEL, day);
  // Were it read again, this would be found.
  const journal = await DayJournal.open(path.join(directory, CHANNEL, `${days[0]}.log`), () => undefined);
  journal.sent(sentEntry(7));
  mkdirSync(path.dirname(journal.file), { recursive: true });
  writeFileSync(journal.file, journal.takeLines());
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await books.sentOf(CHANNEL, days[0] ?? "")).has(7, "whole")).toBe(false);
});

it("a manifest that another one replaces is removed, without a look at what is there", async () => {
  const directory = await temporaryDirectory();
  const asked: string[] = [];
  const books = new DayBooks({
    ...{ directory, clock: new SimulatedClock(), log: silentLog, replacedMs: 0 },
    beforeNaming: async () => undefined,
    findings: NONE,
    factsOf: async () => ({
      ...{ server: { id: CHANNEL, name: "Box" }, channel: { id: CHANNEL, name: "Gate" } },
      ...{ gaps: [], events: [] },
    }),
    sender: {
      run: (async (work: SendWork) => {
        if (work.op === "put" || work.op === "remove") asked.push(`${work.op} ${work.key}`);
        return work.op === "list" ? [] : undefined;
      }) as never,
    },
  });
  for (const sequence of [1, 2, 3]) {
    await books.note(CHANNEL, DAY, sentEntry(sequence));
    await books.nameDue(true);
  }
  const [one, two, three] = [1, 2, 3].map((revision) => manifestKey(CHANNEL, DAY, revision));
  expect(asked).toEqual([`put ${one}`, `put ${two}`, `remove ${one}`, `put ${three}`, `remove ${two}`]);
});
