import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { JournalWriter } from "../../src/away/journal-writer.js";
import { DayJournal } from "../../src/away/plan/day-journal.js";
import { appendAll } from "../../src/away/send/appends.js";
import type { SendWork } from "../../src/away/send/send-messages.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const SECOND_US = 1_000_000;
let directory: string;
let clock: SimulatedClock;
let asked: SendWork[];
let thread: "runs" | "ended";
let writer: JournalWriter;

beforeEach(async () => {
  directory = await temporaryDirectory();
  clock = new SimulatedClock();
  asked = [];
  thread = "runs";
  const run = async (work: SendWork): Promise<unknown> => {
    asked.push(work);
    if (thread === "ended") throw new Error("the sending thread: it ended");
    return work.op === "append" ? await appendAll(work.appends) : undefined;
  };
  writer = new JournalWriter({ sender: { run: (work) => run(work) as never }, clock, log: silentLog });
});

const fileOf = (day: number): string => path.join(directory, `channel-${day}`, `2026-01-0${day}.log`);
const journalOf = async (day: number): Promise<DayJournal> =>
  await DayJournal.open(fileOf(day), writer.later);
const locksOf = async (day: number): Promise<readonly (string | undefined)[]> => {
  const again = await DayJournal.open(fileOf(day), () => undefined);
  return [1, 2].map((segmentId) => again.lockOf(segmentId));
};

/** A second later, and all is written that is to be. */
async function secondLater(journals: readonly DayJournal[]): Promise<void> {
  clock.advance(SECOND_US);
  for (let turn = 0; turn < 200 && !journals.every(({ isWritten }) => isWritten); turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

it("gives the lines of all days of a second to the sending thread, at once", async () => {
  const journals = [await journalOf(1), await journalOf(2)];
  for (const [at, journal] of journals.entries()) {
    journal.locked(1, `first of ${at}`);
    journal.locked(2, `second of ${at}`);
  }
  expect(journals.map(({ isWritten }) => isWritten)).toEqual([false, false]);
  await secondLater(journals);
  expect(asked).toMatchObject([{ op: "append", appends: [{ file: fileOf(1) }, { file: fileOf(2) }] }]);
  expect(await locksOf(2)).toEqual(["first of 1", "second of 1"]);
  expect(clock.timers).toBe(0);
});

it("writes by itself what a thread that ended has not", async () => {
  const journal = await journalOf(1);
  thread = "ended";
  journal.locked(1, "held");
  await secondLater([journal]);
  expect(await locksOf(1)).toEqual(["held", undefined]);
});

it("writes what is left when it stops, without the thread", async () => {
  const journal = await journalOf(1);
  journal.locked(1, "held");
  await writer.stop();
  expect(asked).toEqual([]);
  expect(clock.timers).toBe(0);
  expect(await locksOf(1)).toEqual(["held", undefined]);
});

it("writes with the lines of another day what the disk refused", async () => {
  const folder = path.dirname(fileOf(1));
  const journals = [await journalOf(1), await journalOf(2)];
  writeFileSync(folder, "in the way");
  journals[0]?.locked(1, "held");
  clock.advance(SECOND_US);
  await expect.poll(() => journals[0]?.problem).toContain("ENOTDIR");
  await rm(folder);
  mkdirSync(folder);
  journals[1]?.locked(1, "free");
  await secondLater(journals);
  expect(journals[0]?.problem).toBeUndefined();
  expect(await locksOf(1)).toEqual(["held", undefined]);
});
