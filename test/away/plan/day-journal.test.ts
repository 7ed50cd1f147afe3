import { appendFileSync, mkdirSync } from "node:fs";
import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { DayJournal } from "../../../src/away/plan/day-journal.js";
import type { SentEntry } from "../../../src/away/plan/sent-segment.js";
import { guidOfNumber } from "../../support/archive/segment-fixtures.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

function entry(segmentId: number): SentEntry {
  return {
    ...{ stream: "Main", segmentId, volumeId: guidOfNumber(1), fragmentId: guidOfNumber(2) },
    ...{ fragmentSequence: 0, epoch: 0, fromUs: segmentId, toUs: segmentId + 1, bytes: 10, videoFrames: 1 },
    ...{ audioFrames: 0, video: 1, audio: 0, sha256: "0".repeat(64) },
  };
}

async function journalFile(): Promise<string> {
  return path.join(await temporaryDirectory(), "channel", "2026-01-01.log");
}

/** One whose lines are written at once. */
async function openJournal(file: string): Promise<DayJournal> {
  return await DayJournal.open(file, (journal) => {
    const lines = journal.takeLines();
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      appendFileSync(file, lines);
      journal.written(undefined);
    } catch (error) {
      journal.written(error);
    }
  });
}

it("knows after a restart what was sent, forgotten and named", async () => {
  const file = await journalFile();
  const journal = await openJournal(file);
  for (const id of [1, 2, 3]) journal.sent(entry(id));
  journal.named(7, true);
  journal.forget(2);
  const again = await openJournal(file);
  expect([...again.entries.keys()]).toEqual([1, 3]);
  expect(again).toMatchObject({ revision: 7, unnamed: 1 });
});

it("takes a torn line for none, and what follows it for whole", async () => {
  const file = await journalFile();
  const journal = await openJournal(file);
  journal.sent(entry(1));
  journal.sent(entry(2));
  const { length } = await readFile(file);
  await truncate(file, length - 20);
  const torn = await openJournal(file);
  expect([...torn.entries.keys()]).toEqual([1]);
  torn.sent(entry(3));
  expect([...(await openJournal(file)).entries.keys()]).toEqual([1, 3]);
});

it("passes over a changed byte and lines of another version", async () => {
  const file = await journalFile();
  const journal = await openJournal(file);
  journal.sent(entry(1));
  journal.sent(entry(2));
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace('"segmentId":1', '"segmentId":9'));
  await appendFile(file, "00000000 {}\nnonsense\n");
  expect([...(await openJournal(file)).entries.keys()]).toEqual([2]);
});

it("adds what the disk refused with the next line", async () => {
  const file = await journalFile();
  // A file stands where the folder should be.
  const folder = path.dirname(file);
  await writeFile(folder, "in the way");
  const journal = await openJournal(file).catch(() => undefined);
  expect(journal).toBeUndefined();
  await rm(folder);
  const opened = await openJournal(file);
  await writeFile(folder, "in the way");
  opened.sent(entry(1));
  expect(opened.problem).toBeDefined();
  expect(opened.isWritten).toBe(false);
  expect([...opened.entries.keys()]).toEqual([1]);
  await rm(folder);
  opened.sent(entry(2));
  expect(opened.problem).toBeUndefined();
  expect(opened.isWritten).toBe(true);
  expect([...(await openJournal(file)).entries.keys()]).toEqual([1, 2]);
});

const keys = (segmentId: number): SentEntry => ({
  ...entry(segmentId),
  ...{ fragmentId: "00000000-0000-5000-8000-000000000002", bytes: 3, gops: "AAA" },
});

it("knows key frames whose whole segment was sent later, until they are removed, also after a restart", async () => {
  const file = await journalFile();
  const journal = await openJournal(file);
  journal.sent(keys(1));
  journal.sent(keys(2));
  journal.locked(1, "free held");
  journal.sent(entry(1));
  expect(journal.lockOf(1)).toBeUndefined();
  for (const one of [journal, await openJournal(file)]) {
    expect([...one.entries.values()]).toEqual([entry(1), keys(2)]);
    expect(one.replaced).toEqual([keys(1)]);
  }
  journal.cleared(1);
  expect((await openJournal(file)).replaced).toEqual([]);
});

it("has key frames as lines that a version without them takes for none, and names the day anew after such a one", async () => {
  const file = await journalFile();
  const journal = await openJournal(file);
  journal.sent(keys(1));
  journal.sent(entry(2));
  journal.named(1, true);
  expect((await openJournal(file)).unnamed).toBe(0);
  const kinds = (await readFile(file, "utf8")).split("\n").filter((line) => line.includes('"what":"sent"'));
  expect(kinds).toHaveLength(1);
  // As a version writes it that knows of segment 2 alone.
  const json = JSON.stringify({ what: "named", revision: 2, isAll: true });
  await appendFile(file, `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`);
  expect(await openJournal(file)).toMatchObject({ revision: 2, unnamed: 1 });
});

it("takes new lines while others are being written, and keeps all of them in their order when those fail", async () => {
  const file = await journalFile();
  const journal = await DayJournal.open(file, () => undefined);
  journal.sent(entry(1));
  const first = journal.takeLines();
  journal.sent(entry(2));
  expect(journal.takeLines()).toBe("");
  journal.written("the disk is full");
  const all = journal.takeLines();
  expect(all.startsWith(`\n${first}`)).toBe(true);
  expect(all.split("\n").filter((line) => line !== "")).toHaveLength(2);
  journal.written(undefined);
  expect(journal.isWritten).toBe(true);
});
