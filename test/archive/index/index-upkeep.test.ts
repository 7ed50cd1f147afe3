import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import {
  checkArchive,
  IndexUpkeep,
  type LmdbSegmentIndex,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { INDEX_MARK_FILE } from "../../../src/archive/repair/volume-marks.js";
import { createLog } from "../../../src/base/index.js";
import { until } from "../../support/archive/archive-fixture.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { NotedVolume } from "../../support/archive/noted-volume.js";
import { fragmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let cases = 0;
const upkeeps: IndexUpkeep[] = [];

afterEach(async () => {
  for (const upkeep of upkeeps.splice(0)) await upkeep.stop();
});

function freshDirectory(): string {
  cases += 1;
  return path.join(scratch.path, `index-${cases}`);
}

function start(
  index: LmdbSegmentIndex,
  volumes: readonly NotedVolume[],
  clock = new ManualClock(),
): IndexUpkeep {
  const upkeep = new IndexUpkeep({ index, volumes: () => volumes, clock, log: SILENT_LOG });
  upkeeps.push(upkeep);
  upkeep.start();
  return upkeep;
}

/** As the service does: what is looked at is let go before the index is closed. */
async function end(index: LmdbSegmentIndex): Promise<void> {
  for (const upkeep of upkeeps.splice(0)) await upkeep.stop();
  await index.stop();
}

function volumeWith(
  number: number,
  segments = fragmentOf(20, { volume: number, stream: number, fragment: number }),
) {
  const volume = new NotedVolume(volumeOfNumber(number));
  for (const segment of segments) volume.put(segment);
  return volume;
}

async function expectAgreement(index: LmdbSegmentIndex, volumes: readonly NotedVolume[]): Promise<void> {
  const report = await checkArchive({ index, volumes, deep: false, rebuild: false, log: SILENT_LOG });
  expect(report.problems).toEqual([]);
}

test("an index that was made anew reads every volume in, and notes it", async () => {
  const index = await openIndex(freshDirectory());
  const volumes = [volumeWith(1), volumeWith(2)];
  start(index, volumes);
  await until(
    () => volumes.every(({ id }) => index.isWhole(id)),
    "both volumes to be read in",
    () => volumes.map(({ id }) => index.isWhole(id)),
  );
  await expectAgreement(index, volumes);
  await end(index);
});

test("a volume that comes later is read in when it comes, and the others are not read again", async () => {
  const index = await openIndex(freshDirectory());
  const volumes = [volumeWith(1)];
  const clock = new ManualClock();
  start(index, volumes, clock);
  await until(() => index.isWhole(volumeOfNumber(1)), "the first volume");
  let listed = 0;
  const list = volumes[0]?.listSegments.bind(volumes[0]);
  if (volumes[0] !== undefined && list !== undefined) {
    volumes[0].listSegments = () => {
      listed += 1;
      return list();
    };
  }
  volumes.push(volumeWith(2));
  clock.advance(5_000);
  await until(() => index.isWhole(volumeOfNumber(2)), "the second volume");
  expect(listed).toBe(0);
  await expectAgreement(index, volumes);
  await end(index);
});

test("a volume counts as being read in until its first check has ended, also by a failure", async () => {
  const index = await openIndex(freshDirectory());
  const volumes = [volumeWith(1), volumeWith(2)];
  const [whole, failing] = volumes;
  if (whole === undefined || failing === undefined) throw new Error("two volumes are wanted");
  let fail: () => void = () => undefined;
  const failed = new Promise<void>((_, reject) => {
    fail = () => reject(new Error("input/output error"));
  });
  failing.readSummaries = async () => {
    await failed;
    return [];
  };
  const upkeep = start(index, volumes);
  expect(volumes.map(({ id }) => upkeep.isReadIn(id))).toEqual([true, true]);
  await until(() => index.isWhole(whole.id), "the first volume");
  await until(() => !upkeep.isReadIn(whole.id), "the end of its check");
  expect(upkeep.isReadIn(failing.id)).toBe(true);
  fail();
  await until(() => !upkeep.isReadIn(failing.id), "the end of the attempt");
  expect(index.isWhole(failing.id)).toBe(false);
  await end(index);
});

test("how far a volume is read in can be asked for, and is in the log once a minute", async () => {
  const index = await openIndex(freshDirectory());
  const segments = fragmentOf(20, { volume: 1, stream: 1, fragment: 1 });
  const volume = volumeWith(1, segments);
  let goOn: () => void = () => undefined;
  const second = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  volume.listSegments = async function* () {
    yield { files: segments.slice(0, 10), strays: [], share: 0.5 };
    await second;
    yield { files: segments.slice(10), strays: [], share: 1 };
  };
  const lines: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  const upkeep = new IndexUpkeep({ index, volumes: () => [volume], clock: new ManualClock(), log });
  upkeeps.push(upkeep);
  upkeep.start();
  await until(() => (upkeep.reading?.files ?? 0) > 0, "the first half");
  expect(upkeep.reading).toEqual({ files: 10, share: 0.5 });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { volume: volume.id, files: 10, share: 0.5, msg: "the index is reading a volume in" },
  ]);
  goOn();
  await until(() => index.isWhole(volume.id), "the whole volume");
  expect(upkeep.reading).toBeUndefined();
  await end(index);
});

test("an index from an older day is set right: what came since is added, what went since goes", async () => {
  const directory = freshDirectory();
  const all = fragmentOf(30);
  const earlier = await openIndex(directory);
  for (const segment of all.slice(0, 20)) earlier.add(segment);
  await earlier.rebuilt([volumeOfNumber(1)]);
  await earlier.stop();
  const backup = freshDirectory();
  cpSync(directory, backup, { recursive: true });
  rmSync(directory, { recursive: true });
  const index = await openIndex(backup);
  const volume = volumeWith(1, all.slice(5));
  start(index, [volume]);
  await until(
    () => index.newest(streamOfNumber(1))?.segmentId === all.at(-1)?.segmentId,
    "the newest segment",
  );
  await until(() => index.isWhole(volume.id), "the end of it");
  await expectAgreement(index, [volume]);
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toEqual([
    { id: all[0]?.fragmentId, fromUs: all[5]?.fromUs, toUs: all.at(-1)?.toUs },
  ]);
  await end(index);
});

/** An index that was told that it holds all of a volume, as a copy of it was before. */
async function indexFrom(segments: readonly SegmentSummary[]): Promise<string> {
  const directory = freshDirectory();
  const index = await openIndex(directory);
  for (const segment of segments) index.add(segment);
  await index.rebuilt([volumeOfNumber(1)]);
  await index.stop();
  return directory;
}

const idsIn = (index: LmdbSegmentIndex) =>
  index.oldest(1000, volumeOfNumber(1)).map(({ segmentId }) => segmentId);
const idsOf = (segments: readonly SegmentSummary[]) => segments.map(({ segmentId }) => segmentId);

test("an older index that takes the newest segments in, and ends before it was looked at, is set right after it", async () => {
  const all = fragmentOf(30);
  const directory = await indexFrom(all.slice(0, 20));
  const ended = await openIndex(directory);
  // What a crash left open is taken in at the start: the index knows the newest file now.
  ended.add(all[29] as SegmentSummary);
  await ended.flush();
  await ended.stop();
  const index = await openIndex(directory);
  const volume = volumeWith(1, all.slice(5));
  start(index, [volume]);
  await until(
    () => index.isWhole(volume.id) && idsIn(index).length === 25,
    "the volume to be whole",
    () => idsIn(index),
  );
  expect(idsIn(index)).toEqual(idsOf(all.slice(5)));
  await end(index);
});

test("an older index that lacks nothing loses the records of files that are gone", async () => {
  const all = fragmentOf(30);
  const index = await openIndex(await indexFrom(all));
  const volume = volumeWith(1, all.slice(5));
  start(index, [volume]);
  await until(
    () => idsIn(index).length === 25,
    "the records to go",
    () => idsIn(index),
  );
  expect(idsIn(index)).toEqual(idsOf(all.slice(5)));
  await end(index);
});

test("an older index from before recordings were moved finds them where they are", async () => {
  const directory = freshDirectory();
  const before = await openIndex(directory);
  const all = fragmentOf(30);
  const others = fragmentOf(20, { volume: 2, stream: 2, fragment: 2 });
  // Of the moved stream the other volume has something newer, which the index knows.
  const newer = fragmentOf(2, { volume: 2, fragment: 3, fromUs: (all.at(-1)?.toUs ?? 0) + 1_000_000 });
  for (const segment of [...all, ...others, ...newer]) before.add(segment);
  await before.rebuilt([volumeOfNumber(1), volumeOfNumber(2)]);
  await before.stop();
  const index = await openIndex(directory);
  const moved = all.slice(20).map((segment) => ({ ...segment, volumeId: volumeOfNumber(2) }));
  const from = volumeWith(1, all.slice(0, 20));
  const to = volumeWith(2, [...others, ...newer, ...moved]);
  const clock = new ManualClock();
  start(index, [to, from], clock);
  await until(
    () => {
      clock.advance(1_000_000);
      return moved.every((segment) => index.closed(segment)?.volumeId === to.id);
    },
    "what was moved to be known where it is",
    () => idsIn(index),
  );
  await until(
    () => index.isWhole(from.id) && index.isWhole(to.id),
    "both volumes to be whole again",
    () => idsIn(index),
  );
  expect(idsIn(index)).toEqual(idsOf(all.slice(0, 20)));
  await expectAgreement(index, [from, to]);
  await end(index);
});

/** It is the volume's mark, and no other is. */
function isOnly(mark: string | undefined, notes: NotedVolume["notes"]): boolean {
  return notes.get(INDEX_MARK_FILE)?.includes(`"marks":[${JSON.stringify(mark)}]`) === true;
}

/** Looks at the volumes until all are known to be followed, and have a new mark. */
async function lookAt(index: LmdbSegmentIndex, volumes: readonly NotedVolume[], clock: ManualClock) {
  const before = volumes.map(({ id }) => index.markOf(id));
  start(index, volumes, clock);
  await until(
    () => {
      clock.advance(1_000_000);
      return volumes.every(({ id, notes }, at) => {
        const mark = index.markOf(id);
        return mark !== undefined && mark !== before[at] && isOnly(mark, notes) && !index.isDoubted(id);
      });
    },
    "a new mark on each volume",
    () => volumes.map(({ id, notes }) => [index.markOf(id), [...notes]]),
  );
}

/** Two volumes, and an index that follows them; what is moved is neither end of a stream on either. */
async function middleCase() {
  const directory = freshDirectory();
  const own = fragmentOf(30);
  const others = fragmentOf(20, { volume: 2, stream: 2, fragment: 2 });
  const older = fragmentOf(2, { volume: 2, fragment: 3, fromUs: (own[0]?.fromUs ?? 0) - 600_000_000 });
  const newer = fragmentOf(2, { volume: 2, fragment: 4, fromUs: (own.at(-1)?.toUs ?? 0) + 1_000_000 });
  const [from, to] = [volumeWith(1, own), volumeWith(2, [...others, ...older, ...newer])];
  const index = await openIndex(directory);
  for (const segment of [...own, ...others, ...older, ...newer]) index.add(segment);
  await index.rebuilt([from.id, to.id]);
  const move = (of: LmdbSegmentIndex) => {
    for (const segment of own.slice(10, 20)) {
      const moved = { ...segment, volumeId: to.id };
      expect(of.move(segment, moved)).toBe(true);
      to.put(moved);
      from.files.delete(segment.segmentId);
    }
  };
  return { directory, index, from, to, middle: own.slice(10, 20), move, clock: new ManualClock() };
}

async function expectFound(
  { from, to, middle, clock }: Awaited<ReturnType<typeof middleCase>>,
  copy: string,
) {
  const index = await openIndex(copy);
  expect(middle.map((segment) => index.closed(segment)?.volumeId)).toEqual(middle.map(() => from.id));
  await lookAt(index, [from, to], clock);
  expect(middle.map((segment) => index.closed(segment)?.volumeId)).toEqual(middle.map(() => to.id));
  await expectAgreement(index, [from, to]);
  await end(index);
}

test("an older index finds what was moved from the middle of a stream to the middle of another volume", async () => {
  const made = await middleCase();
  const { directory, index, from, to, move, clock } = made;
  await lookAt(index, [from, to], clock);
  await end(index);
  const copy = freshDirectory();
  cpSync(directory, copy, { recursive: true });
  const next = await openIndex(directory);
  await lookAt(next, [from, to], clock);
  move(next);
  await end(next);
  await expectFound(made, copy);
});

test("so does one that was copied in the same run, before the move", async () => {
  const made = await middleCase();
  const { directory, index, from, to, move, clock } = made;
  await lookAt(index, [from, to], clock);
  const copy = freshDirectory();
  cpSync(directory, copy, { recursive: true });
  move(index);
  const before = index.markOf(to.id);
  await until(
    () => {
      clock.advance(1_000_000);
      const mark = index.markOf(to.id);
      return mark !== before && isOnly(mark, to.notes);
    },
    "another mark",
    () => [index.markOf(to.id), to.notes.get(INDEX_MARK_FILE)],
  );
  await end(index);
  await expectFound(made, copy);
});

test("an index that was not whole loses the records of files that are gone as it reads the volume in", async () => {
  const all = fragmentOf(30);
  const index = await openIndex(freshDirectory());
  for (const segment of all.slice(0, 10)) index.add(segment);
  await index.flush();
  const volume = volumeWith(1, all.slice(5));
  start(index, [volume]);
  await until(
    () => index.isWhole(volume.id) && idsIn(index).length === 25,
    "the volume to be whole",
    () => idsIn(index),
  );
  expect(idsIn(index)).toEqual(idsOf(all.slice(5)));
  await end(index);
});

test("an index that was looked at once is left alone after it has taken segments in", async () => {
  const all = fragmentOf(30);
  const directory = await indexFrom(all.slice(0, 29));
  const first = await openIndex(directory);
  const volume = volumeWith(1, all.slice(0, 29));
  first.add(all[29] as SegmentSummary);
  volume.put(all[29] as SegmentSummary);
  const upkeep = start(first, [volume]);
  await until(
    () => !upkeep.isReadIn(volume.id),
    "the first look",
    () => idsIn(first),
  );
  await end(first);
  let listed = 0;
  volume.listSegments = () => {
    listed += 1;
    throw new Error("it is not to be read");
  };
  const index = await openIndex(directory);
  const again = start(index, [volume]);
  await until(
    () => !again.isReadIn(volume.id),
    "the second look",
    () => idsIn(index),
  );
  expect(listed).toBe(0);
  await end(index);
});

test("an index that knows the newest segments is left alone", async () => {
  const index = await openIndex(freshDirectory());
  const volume = volumeWith(1);
  for (const segment of volume.files.values()) index.add(segment);
  await index.rebuilt([volume.id]);
  let listed = 0;
  volume.listSegments = () => {
    listed += 1;
    throw new Error("it is not to be read");
  };
  start(index, [volume]);
  for (const upkeep of upkeeps) await upkeep.stop();
  expect(listed).toBe(0);
  expect(index.isWhole(volume.id)).toBe(true);
  await end(index);
});

test("a volume that fails while it is read is not whole, and is read again later", async () => {
  const index = await openIndex(freshDirectory());
  const volume = volumeWith(1);
  const list = volume.listSegments.bind(volume);
  let tries = 0;
  volume.listSegments = () => {
    tries += 1;
    if (tries === 1) throw new Error("input/output error");
    return list();
  };
  const clock = new ManualClock();
  start(index, [volume], clock);
  await until(() => tries === 1, "the first attempt");
  clock.advance(5_000);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(index.isWhole(volume.id)).toBe(false);
  await until(() => {
    clock.advance(600_000);
    return index.isWhole(volume.id);
  }, "the second attempt");
  await expectAgreement(index, [volume]);
  await end(index);
});
