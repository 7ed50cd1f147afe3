import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { numberKey, unlinkKey } from "../../../src/archive/index/index-keys.js";
import {
  type CheckProgress,
  checkArchive,
  checkExitStatus,
  checkReportText,
  fragmentOrigin,
  type LmdbSegmentIndex,
  PROBLEM_KINDS,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { newCameraFragmentId } from "../../../src/archive/segment/fragment-origin.js";
import { segmentPath } from "../../../src/archive/segment/segment-summary.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import {
  fragmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let directories = 0;

interface Archive {
  readonly index: LmdbSegmentIndex;
  readonly volume: MemoryVolume;
  readonly segments: readonly SegmentSummary[];
}

/** Two fragments of one stream, one of another; index and files agree. */
async function makeArchive(): Promise<Archive> {
  directories += 1;
  const index = await openIndex(path.join(scratch.path, `index-${directories}`));
  const volume = new MemoryVolume(volumeOfNumber(1));
  const segments = [
    ...fragmentOf(20),
    ...fragmentOf(10, { fragment: 2, fromUs: START_US + 3_600_000_000 }),
    ...fragmentOf(30, { stream: 2, fragment: 3 }),
  ];
  for (const segment of segments) {
    index.add(segment);
    volume.put(segment);
  }
  await index.rebuilt([volumeOfNumber(1)]);
  return { index, volume, segments };
}

async function check({ index, volume }: Archive, options: { deep?: boolean; rebuild?: boolean } = {}) {
  const { deep = false, rebuild = false } = options;
  return await checkArchive({ index, volumes: [volume], deep, rebuild, log: SILENT_LOG });
}

function pick(archive: Archive, at: number): SegmentSummary {
  const segment = archive.segments[at];
  if (segment === undefined) throw new Error(`no segment ${at}`);
  return segment;
}

async function expectRepair(archive: Archive, kinds: readonly string[]): Promise<void> {
  const found = await check(archive);
  expect([...new Set(found.problems.map(({ kind }) => kind))].sort()).toEqual([...kinds].sort());
  expect(checkExitStatus(found)).toBe(1);
  const repaired = await check(archive, { rebuild: true });
  expect(repaired.problems.every((problem) => problem.repaired)).toBe(true);
  expect(checkExitStatus(repaired)).toBe(0);
  expect((await check(archive)).problems).toEqual([]);
  await archive.index.stop();
}

test("an archive whose index and segments agree has no problem", async () => {
  const archive = await makeArchive();
  const report = await check(archive, { deep: true });
  expect(report.problems).toEqual([]);
  expect(report.counts).toMatchObject({ files: 60, records: 60, fragments: 3, problems: 0 });
  expect(report.totalsCompared).toBe(true);
  expect(checkReportText(report)).toContain("index and segments agree");
  await archive.index.stop();
});

test("a file the index does not know is found and indexed", async () => {
  const archive = await makeArchive();
  archive.volume.put(segmentOf({ stream: 5, fragment: 9 }));
  await expectRepair(archive, ["file-unindexed"]);
});

test("a record without a file is found and taken out", async () => {
  const archive = await makeArchive();
  archive.volume.files.delete(pick(archive, 5).segmentId);
  await expectRepair(archive, ["record-without-file"]);
});

test("a record that differs from its file is found and replaced", async () => {
  const archive = await makeArchive();
  const segment = pick(archive, 59);
  archive.volume.put({ ...segment, bytes: segment.bytes + 1 });
  await expectRepair(archive, ["record-differs"]);
});

test("fragments that are not the union of their segments are found and made anew", async () => {
  const archive = await makeArchive();
  const { store } = archive.index;
  const stream = store.streamNumber(streamOfNumber(1)) ?? 0;
  const [first] = [...store.fragments.ofStream(stream)];
  if (first === undefined) throw new Error("no fragment");
  store.fragments.remove(
    { ...first, fromUs: first.fromUs + 60_000_000, toUs: first.fromUs + 120_000_000 },
    1,
  );
  await expectRepair(archive, ["fragments"]);
});

test("totals that are not the sum of the segments are found and made anew", async () => {
  const archive = await makeArchive();
  const { store } = archive.index;
  store.totals.replaceVolume(1, { segments: 1, bytes: 2, durationUs: 3 }, store.generation);
  store.totals.replaceDays([], store.generation);
  await expectRepair(archive, ["totals"]);
});

test("what came from a camera is still marked in records that are made from its segments", async () => {
  const archive = await makeArchive();
  const fragmentId = newCameraFragmentId();
  const filled = fragmentOf(5, { stream: 4, fragment: 4 }).map((segment) => ({ ...segment, fragmentId }));
  for (const segment of filled) archive.volume.put(segment);
  const { problems } = await check(archive, { rebuild: true });
  expect(problems.map(({ kind, repaired }) => [kind, repaired])).toEqual(
    filled.map(() => ["file-unindexed", true]),
  );
  const found = archive.index.fragments(streamOfNumber(4), START_US, START_US + 3_600_000_000);
  expect(found.map(({ id }) => fragmentOrigin(id))).toEqual(["camera"]);
  await archive.index.stop();
});

test("a damaged frame is found by a deep check and costs no record", async () => {
  const archive = await makeArchive();
  archive.volume.damaged.add(pick(archive, 3).segmentId);
  expect((await check(archive)).problems).toEqual([]);
  const report = await check(archive, { deep: true, rebuild: true });
  expect(report.problems.map(({ kind, repaired }) => [kind, repaired])).toEqual([["file-unreadable", false]]);
  expect(archive.index.seek(pick(archive, 3).key, pick(archive, 3).fromUs)?.segmentId).toBe(
    pick(archive, 3).segmentId,
  );
  await archive.index.stop();
});

test("a file without a readable header loses its record", async () => {
  const archive = await makeArchive();
  archive.volume.torn.add(pick(archive, 0).segmentId);
  const report = await check(archive, { rebuild: true });
  expect(report.problems.map(({ kind }) => kind).sort()).toEqual(["file-unreadable", "record-without-file"]);
  expect(archive.index.seek(pick(archive, 0).key, 0)?.segmentId).toBe(pick(archive, 1).segmentId);
  await archive.index.stop();
});

test("files on their way out, open segments and segments not yet committed are no problem", async () => {
  const archive = await makeArchive();
  await archive.index.remove([pick(archive, 0)]);
  const fresh = segmentOf({ stream: 2, fragment: 3, sequence: 30, fromUs: START_US + 30 * 60_000_000 });
  archive.index.add(fresh);
  const report = await check(archive);
  expect(report.problems).toEqual([]);
  expect(report.counts.leaving).toBe(1);
  await archive.index.stop();
});

test("overlapping segments are reported, since no rebuild can tell which is right", async () => {
  const archive = await makeArchive();
  const overlapping = segmentOf({ stream: 2, fragment: 8, fromUs: START_US + 30_000_000 });
  archive.volume.put(overlapping);
  archive.index.add(overlapping);
  const report = await check(archive);
  expect(report.problems.map(({ kind }) => kind)).toContain("overlap");
  expect(checkExitStatus(report)).toBe(1);
  await archive.index.stop();
});

test("records of a volume that is not there are counted as that, not as missing", async () => {
  const archive = await makeArchive();
  const report = await checkArchive({ ...archive, volumes: [], deep: false, rebuild: true, log: SILENT_LOG });
  expect(report.problems.map(({ kind }) => kind)).toEqual(["volume-absent"]);
  expect(archive.index.oldest(100)).toHaveLength(60);
  await archive.index.stop();
});

test("a segment whose footer is lost keeps its record, and gets a new footer when told to", async () => {
  const archive = await makeArchive();
  const segment = pick(archive, 4);
  archive.volume.unclosed.add(segment.segmentId);
  const found = await check(archive);
  expect(found.problems.map(({ kind, repaired }) => [kind, repaired])).toEqual([["file-unclosed", false]]);
  expect(archive.index.seek(segment.key, segment.fromUs)?.toUs).toBe(segment.toUs);
  const repaired = await check(archive, { rebuild: true });
  expect(repaired.problems.map(({ kind, repaired }) => [kind, repaired])).toEqual([["file-unclosed", true]]);
  expect((await check(archive)).problems).toEqual([]);
  expect(archive.index.seek(segment.key, segment.fromUs)?.toUs).toBe(segment.toUs);
  await archive.index.stop();
});

test("a segment without footer and record ends where the next one of its fragment begins", async () => {
  const archive = await makeArchive();
  const segment = pick(archive, 4);
  archive.index.forget([segment], { unlink: false });
  archive.volume.unclosed.add(segment.segmentId);
  await expectRepair(archive, ["file-unclosed", "file-unindexed"]);
});

test("a misplaced segment is put in its place and indexed", async () => {
  const archive = await makeArchive();
  const segment = segmentOf({ stream: 5, fragment: 9 });
  const misplaced = segmentPath(segment).replace(/\d{4}-\d\d-\d\d/, "2020-02-02");
  archive.volume.strays.push({ path: misplaced, kind: "misplaced" });
  archive.volume.misplaced.set(misplaced, segment);
  expect((await check(archive)).problems.map(({ kind }) => kind)).toEqual(["file-misplaced"]);
  const repaired = await check(archive, { rebuild: true });
  expect(repaired.problems.map(({ kind }) => kind)).toEqual(["file-misplaced", "file-unindexed"]);
  expect(checkExitStatus(repaired)).toBe(0);
  expect((await check(archive)).problems).toEqual([]);
  expect(archive.index.newest(segment.key)?.segmentId).toBe(segment.segmentId);
  await archive.index.stop();
});

test("a file of another program is named and is no problem; a segment of a newer nvrd is one", async () => {
  const archive = await makeArchive();
  archive.volume.strays.push({ path: "streams/notes.txt", kind: "unknown" });
  const report = await check(archive);
  expect(report).toMatchObject({ problems: [], strangers: ["streams/notes.txt"], counts: { strangers: 1 } });
  expect(checkReportText(report)).toContain("not of nvrd: streams/notes.txt");
  archive.volume.strays.push({ path: "open/00000000000001.seg", kind: "newer" });
  expect((await check(archive, { rebuild: true })).problems).toMatchObject([
    { kind: "file-newer", repaired: false },
  ]);
  await archive.index.stop();
});

test("a record whose file is noted for removal is found, and the recording stays", async () => {
  const archive = await makeArchive();
  const segment = pick(archive, 7);
  const { store } = archive.index;
  const volume = store.volumeNumber(segment.volumeId) ?? 0;
  const stream = store.streamNumber(segment.key) ?? 0;
  store.tables.unlinks.put(unlinkKey(volume, segment), numberKey(stream), store.generation);
  await expectRepair(archive, ["record-leaving"]);
});

test("epochs out of order, and epochs that the archive does not know yet, are reported", async () => {
  const archive = await makeArchive();
  const earlier = segmentOf({ stream: 6, fragment: 20, epoch: 3, segmentId: START_US - 2000 });
  const later = segmentOf({ stream: 6, fragment: 21, epoch: 2, segmentId: START_US - 1000 });
  for (const segment of [earlier, later]) {
    archive.index.add(segment);
    archive.volume.put(segment);
  }
  await archive.index.flush();
  const options = { index: archive.index, volumes: [archive.volume], deep: false, rebuild: false };
  const report = await checkArchive({ ...options, log: SILENT_LOG, epoch: 2 });
  expect(report.problems.map(({ kind }) => kind)).toEqual(["epoch", "epoch"]);
  await archive.index.stop();
});

test("one fragment id in two streams is reported", async () => {
  const archive = await makeArchive();
  const twin = segmentOf({ stream: 7, fragment: 1 });
  archive.index.add(twin);
  archive.volume.put(twin);
  await archive.index.flush();
  expect((await check(archive)).problems).toMatchObject([{ kind: "fragment-id", subject: twin.fragmentId }]);
  await archive.index.stop();
});

test("one segment on two volumes is reported", async () => {
  const archive = await makeArchive();
  const copy = new MemoryVolume(volumeOfNumber(2));
  const segment = pick(archive, 2);
  copy.put({ ...segment, volumeId: copy.id });
  await archive.index.rebuilt([copy.id]);
  const volumes = [archive.volume, copy];
  const report = await checkArchive({
    index: archive.index,
    volumes,
    deep: false,
    rebuild: false,
    log: SILENT_LOG,
  });
  expect(report.problems.map(({ kind }) => kind)).toEqual(["file-twice"]);
  await archive.index.stop();
});

test("a volume that the index has not read in whole is a problem until it has", async () => {
  const archive = await makeArchive();
  archive.index.noteLacking(archive.volume.id);
  await expectRepair(archive, ["index-lost"]);
});

test("a damaged list of protected times is reported", async () => {
  const archive = await makeArchive();
  const report = await checkArchive({
    index: archive.index,
    volumes: [archive.volume],
    protectedFault: "protected.json: Unexpected end of JSON input",
    deep: false,
    rebuild: false,
    log: SILENT_LOG,
  });
  expect(report.problems.map(({ kind }) => kind)).toEqual(["protected"]);
  await archive.index.stop();
});

test("progress rises to the end of the files, then of the records", async () => {
  const archive = await makeArchive();
  const reported: CheckProgress[] = [];
  await checkArchive({
    index: archive.index,
    volumes: [archive.volume],
    deep: false,
    rebuild: false,
    log: SILENT_LOG,
    onProgress: (progress) => reported.push(progress),
  });
  expect(reported.map(({ phase }) => phase)).toEqual(["files", "records"]);
  expect(reported.map(({ share }) => share)).toEqual([1, 1]);
  expect(reported.at(-1)).toMatchObject({ files: 60, records: 60 });
  await archive.index.stop();
});

test("every kind of problem, and no other, stands in the reference", () => {
  const page = readFileSync(path.join(REPOSITORY_ROOT, "docs/ref/check.md"), "utf8");
  const table = page.slice(page.indexOf("## What it finds"));
  const named = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1] ?? "");
  expect(named.sort()).toEqual([...PROBLEM_KINDS].sort());
});
