import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { SystemClock } from "../../../src/base/index.js";
import {
  closedByAnotherVersion,
  openIndex,
  SILENT_LOG,
  scratchDirectory,
} from "../../support/archive/index-harness.js";
import {
  fragmentOf,
  openSegmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
const SEGMENTS = fragmentOf(300);
let directories = 0;

async function makeIndex(): Promise<string> {
  directories += 1;
  const directory = path.join(scratch.path, `case-${directories}`, "index");
  mkdirSync(path.dirname(directory));
  const index = await openIndex(directory);
  for (const segment of SEGMENTS) index.add(segment);
  await index.rebuilt([volumeOfNumber(1)]);
  await index.stop();
  return directory;
}

test("an index of a newer format is moved aside and made anew: a former version is booted again", async () => {
  const directory = await makeIndex();
  const index = await openIndex(directory);
  index.store.tables.meta.put(Buffer.from("format"), Buffer.from([0, 0, 0, 9]), index.store.generation);
  await index.stop();
  closedByAnotherVersion(directory);
  const older = new LmdbSegmentIndex({ directory, clock: new SystemClock(), log: SILENT_LOG });
  older.start();
  await older.ready();
  expect(older.isWhole(volumeOfNumber(1))).toBe(false);
  older.add(segmentOf({ stream: 4 }));
  expect(older.newest(streamOfNumber(4))?.fromUs).toBe(START_US);
  await older.stop();
  expect(readdirSync(path.dirname(directory)).toSorted()).toEqual([
    "index",
    expect.stringMatching(/^index\.bad-/),
  ]);
});

test("before the index is open, new and open segments are found, and they stay when it is", async () => {
  const directory = await makeIndex();
  const index = new LmdbSegmentIndex({ directory, clock: new SystemClock(), log: SILENT_LOG });
  index.start();
  const fromUs = SEGMENTS.at(-1)?.toUs ?? 0;
  index.add(segmentOf({ fragment: 1, sequence: 300, fromUs }));
  index.trackOpen(openSegmentOf({ fragment: 1, sequence: 301, fromUs: fromUs + 60_000_000 }));
  const whole = { id: SEGMENTS[0]?.fragmentId, toUs: fromUs + 120_000_000 };
  expect(index.status().ready).toBe(false);
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([{ ...whole, fromUs }]);
  await index.ready();
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([
    { ...whole, fromUs: START_US },
  ]);
  await index.stop();
});
