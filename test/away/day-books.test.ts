import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DayBooks } from "../../src/away/day-books.js";
import { readManifest } from "../../src/away/plan/manifest.js";
import type { SentEntry } from "../../src/away/plan/sent-segment.js";
import type { SendWork } from "../../src/away/send/send-messages.js";
import { segmentOf } from "../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { silentLog } from "../support/site/site-samples.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";
const DAY = "2026-03-01";

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
    ...{ directory, sender: { run: unused }, factsOf: unused, beforeNaming: unused, replacedMs: 0 },
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
    ...{ directory, clock: new SimulatedClock(), log: silentLog, beforeNaming: async () => undefined, replacedMs: 0 },
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
