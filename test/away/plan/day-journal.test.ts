import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
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

it("knows after a restart what was sent, forgotten and named", async () => {
  const file = await journalFile();
  const journal = await DayJournal.open(file);
  for (const id of [1, 2, 3]) await journal.sent(entry(id));
  await journal.named(7, true);
  await journal.forget(2);
  const again = await DayJournal.open(file);
  expect([...again.entries.keys()]).toEqual([1, 3]);
  expect(again).toMatchObject({ revision: 7, unnamed: 1 });
});

it("takes a torn line for none, and what follows it for whole", async () => {
  const file = await journalFile();
  const journal = await DayJournal.open(file);
  await journal.sent(entry(1));
  await journal.sent(entry(2));
  const { length } = await readFile(file);
  await truncate(file, length - 20);
  const torn = await DayJournal.open(file);
  expect([...torn.entries.keys()]).toEqual([1]);
  await torn.sent(entry(3));
  expect([...(await DayJournal.open(file)).entries.keys()]).toEqual([1, 3]);
});

it("passes over a changed byte and lines of another version", async () => {
  const file = await journalFile();
  const journal = await DayJournal.open(file);
  await journal.sent(entry(1));
  await journal.sent(entry(2));
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace('"segmentId":1', '"segmentId":9'));
  await appendFile(file, "00000000 {}\nnonsense\n");
  expect([...(await DayJournal.open(file)).entries.keys()]).toEqual([2]);
});

it("adds what the disk refused with the next line", async () => {
  const file = await journalFile();
  // A file stands where the folder should be.
  const folder = path.dirname(file);
  await writeFile(folder, "in the way");
  const journal = await DayJournal.open(file).catch(() => undefined);
  expect(journal).toBeUndefined();
  await rm(folder);
  const opened = await DayJournal.open(file);
  await writeFile(folder, "in the way");
  await opened.sent(entry(1));
  expect(opened.problem).toBeDefined();
  expect([...opened.entries.keys()]).toEqual([1]);
  await rm(folder);
  await opened.sent(entry(2));
  expect(opened.problem).toBeUndefined();
  expect([...(await DayJournal.open(file)).entries.keys()]).toEqual([1, 2]);
});
