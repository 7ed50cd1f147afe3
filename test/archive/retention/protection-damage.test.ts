import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ArchiveNotice,
  type LmdbSegmentIndex,
  Protection,
  type ProtectionRequest,
} from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { NotedVolume } from "../../support/archive/noted-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  fragmentOf,
  guidOfNumber,
  MINUTE_US,
  START_US,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const SEGMENTS = 20;
const NOTE = "protected.json";
const MARK = "kept/protected";
const { channelId } = streamOfNumber(1);
let runs = 0;
let dataDir: string;
let index: LmdbSegmentIndex;
let volume: NotedVolume;
let away: NotedVolume | undefined;
let clock: SimulatedClock;
let notices: ArchiveNotice[];

beforeEach(async () => {
  runs += 1;
  dataDir = path.join(scratch.path, `data-${runs}`);
  mkdirSync(dataDir);
  index = await openIndex(path.join(scratch.path, `index-${runs}`));
  volume = new NotedVolume(volumeOfNumber(1));
  away = undefined;
  notices = [];
  clock = new SimulatedClock(START_US + 600 * MINUTE_US);
  for (const segment of fragmentOf(SEGMENTS, { bytes: 1_000_000 })) {
    index.add(segment);
    volume.put(segment);
  }
  await index.flush();
});

afterEach(() => index.stop());

/** The recorder as it starts. */
function started(volumes: readonly NotedVolume[] = [volume]): Protection {
  const protection = new Protection({
    ...{ dataDir, index, clock, log: SILENT_LOG },
    volumes: () => volumes,
    knownVolumeIds: () => [...volumes, ...(away === undefined ? [] : [away])].map(({ id }) => id),
    notice: (notice) => notices.push(notice),
    bytesMaxOf: async () => Number.POSITIVE_INFINITY,
  });
  protection.start();
  return protection;
}

function request(from: number, to: number): ProtectionRequest {
  const times = { fromUs: START_US + from * MINUTE_US, toUs: START_US + to * MINUTE_US };
  return { channelId, ...times, comment: "theft", userId: guidOfNumber(1, 6), userName: "root" };
}

/** Takes everything that may go; answers the minutes that are left. */
async function starve(protection: Protection): Promise<number[]> {
  await makeRetention({
    ...{ index, clock, volumes: [volume], directory: scratch.path, quota: { quotaBytes: 1 } },
    options: {
      protectedUntil: protection.protectedUntil,
      isProtectionKnown: () => protection.isKnownOn(volume),
    },
  }).retention.turn();
  const minutes = [...volume.files.values()].map(({ fromUs }) => (fromUs - START_US) / MINUTE_US);
  return minutes.sort((a, b) => a - b);
}

const ALL = Array.from({ length: SEGMENTS }, (_, minute) => minute);

/** Protects minutes 3 and 4, then 8, and has the volume note it. */
async function protectTwo(): Promise<Protection> {
  const protection = started();
  await protection.isKnownOn(volume);
  await protection.protect(request(3, 5));
  await protection.protect(request(8, 9));
  await protection.isKnownOn(volume);
  return protection;
}

const files = (): string[] => [NOTE, `${NOTE}.copy`].map((name) => path.join(dataDir, name));

/** Damages what the data directory says of one entry, in both copies. */
function damageOneEntry(): void {
  for (const file of files()) {
    const kept = JSON.parse(readFileSync(file, "utf8"));
    kept.ranges[1].toUs = "soon";
    writeFileSync(file, JSON.stringify(kept));
  }
}

describe("a damaged list of protected times", () => {
  it("is completed by what the volume carries", async () => {
    await protectTwo();
    for (const file of files()) writeFileSync(file, "{");
    const protection = started();
    expect(await starve(protection)).toEqual([3, 4, 8]);
    expect(protection.lack).toBeUndefined();
    expect(started().lack).toBeUndefined();
    expect(notices).toEqual([]);
  });

  it("that nothing completes keeps retention from deleting, says so, and keeps the entries that can be read", async () => {
    await protectTwo();
    damageOneEntry();
    volume.notes.clear();
    const protection = started();
    expect(await starve(protection)).toEqual(ALL);
    expect(protection.ranges(channelId)).toHaveLength(1);
    expect(protection.lack).toContain("entry 2 of 2 is damaged");
    expect(notices).toEqual([{ kind: "protection-unknown", reason: protection.lack }]);
  });

  it("is set aside before a change, and still damaged after it and a restart", async () => {
    await protectTwo();
    damageOneEntry();
    volume.notes.clear();
    const damaged = readFileSync(path.join(dataDir, NOTE), "utf8");
    await started().protect(request(12, 13));
    expect(readFileSync(path.join(dataDir, `${NOTE}.damaged`), "utf8")).toBe(damaged);
    const protection = started();
    expect(await starve(protection)).toEqual(ALL);
    await protection.protect(request(14, 15));
    expect(readFileSync(path.join(dataDir, `${NOTE}.damaged`), "utf8")).toBe(damaged);
  });

  it("that was deleted everywhere keeps retention from deleting, and says so", async () => {
    await protectTwo();
    for (const file of files()) rmSync(file);
    volume.notes.clear();
    const protection = started();
    expect(await starve(protection)).toEqual(ALL);
    expect(protection.lack).toContain("protected.json: it was here and is gone");
    expect(protection.fault()).toContain("it was here and is gone");
    expect(notices).toEqual([{ kind: "protection-unknown", reason: protection.lack }]);
    await protection.acceptLoss();
    expect(await starve(protection)).toEqual([]);
  });

  it("that was deleted here is completed by what the volume carries", async () => {
    await protectTwo();
    for (const file of files()) rmSync(file);
    const protection = started();
    expect(await starve(protection)).toEqual([3, 4, 8]);
    expect([protection.lack, notices]).toEqual([undefined, []]);
  });

  it("is taken as it is known once somebody says so", async () => {
    await protectTwo();
    damageOneEntry();
    volume.notes.clear();
    const protection = started();
    await starve(protection);
    await protection.acceptLoss();
    expect(await starve(protection)).toEqual([3, 4]);
    expect(notices.at(-1)).toEqual({ kind: "protection-known" });
    expect(started().lack).toBeUndefined();
  });

  it("is noticed where a digit has changed", async () => {
    await protectTwo();
    const times = String(START_US + 5 * MINUTE_US);
    for (const file of files())
      writeFileSync(file, readFileSync(file, "utf8").replace(times, String(START_US + 4 * MINUTE_US)));
    volume.notes.clear();
    expect(await starve(started())).toEqual(ALL);
  });

  it("whose other copy is whole is no loss", async () => {
    await protectTwo();
    writeFileSync(files()[0] ?? "", "");
    volume.notes.clear();
    expect(await starve(started())).toEqual([3, 4, 8]);
  });

  it("is not taken for whole while a volume of the recorder is away", async () => {
    await protectTwo();
    for (const file of files()) writeFileSync(file, "{");
    away = new NotedVolume(volumeOfNumber(2));
    const protection = started();
    expect(await starve(protection)).toEqual([3, 4, 8]);
    expect(protection.lack).toContain("protected.json");
  });

  it("is not written over where it cannot be set aside", async () => {
    await protectTwo();
    damageOneEntry();
    const protection = started([]);
    for (const file of files()) rmSync(file);
    await expect(protection.protect(request(12, 13))).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(files().some(existsSync)).toBe(false);
  });
});

describe("a volume", () => {
  it("brings what is protected on it to a recorder that has never seen it", async () => {
    await protectTwo();
    for (const file of files()) rmSync(file);
    expect(await starve(started())).toEqual([3, 4, 8]);
    expect(started().ranges(channelId)).toHaveLength(2);
  });

  it("with a damaged list gets the recorder's, which knows it", async () => {
    await protectTwo();
    const whole = volume.notes.get(NOTE);
    volume.notes.set(NOTE, "{");
    expect(await starve(started())).toEqual([3, 4, 8]);
    expect(volume.notes.get(NOTE)).toBe(whole);
  });

  it("of another recorder with a damaged list loses nothing until somebody says so", async () => {
    await protectTwo();
    for (const file of files()) rmSync(file);
    volume.notes.set(NOTE, "{");
    const protection = started();
    expect(await starve(protection)).toEqual(ALL);
    expect(protection.lack).toContain("/memory");
    await protection.acceptLoss();
    expect(await starve(protection)).toEqual([]);
  });

  it("whose list cannot be read for an error of the disk loses nothing that the recorder does not know", async () => {
    await protectTwo();
    for (const file of files()) rmSync(file);
    volume.failReads = "EIO";
    expect(await starve(started())).toEqual(ALL);
  });

  it("that was away does not bring back what was lifted meanwhile", async () => {
    const protection = await protectTwo();
    const before = volume.notes.get(NOTE) ?? "";
    await protection.lift(channelId, protection.ranges(channelId)[0]?.id ?? "");
    await protection.isKnownOn(volume);
    volume.notes.set(NOTE, before);
    volume.takeAgain();
    expect(await starve(protection)).toEqual([8]);
    expect(volume.notes.get(NOTE)).not.toBe(before);
  });

  it("knows more than a data directory that was restored from an older copy", async () => {
    const protection = started();
    await protection.protect(request(3, 5));
    await protection.isKnownOn(volume);
    const older = files().map((file) => readFileSync(file, "utf8"));
    await protection.protect(request(8, 9));
    await protection.isKnownOn(volume);
    for (const [at, file] of files().entries()) writeFileSync(file, older[at] ?? "");
    expect(await starve(started())).toEqual([3, 4, 8]);
  });

  it("carries the times without their comments where these are too long for it", async () => {
    const { bytes: _, ...range } = await started().protect(request(3, 5));
    const ranges = Array.from({ length: 600 }, (__, at) => ({
      ...{ ...range, id: guidOfNumber(at, 8), comment: "я".repeat(1000) },
    }));
    for (const file of files()) writeFileSync(file, JSON.stringify({ formatVersion: 1, ranges }));
    await started().isKnownOn(volume);
    for (const file of files()) rmSync(file);
    const fresh = started();
    await fresh.isKnownOn(volume);
    expect(fresh.ranges(channelId)).toHaveLength(600);
  });

  it("whose list was deleted together with the data directory loses nothing until somebody says so", async () => {
    await protectTwo();
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir);
    volume.notes.delete(NOTE);
    const protection = started();
    expect(await starve(protection)).toEqual(ALL);
    expect(protection.lack).toContain("protected.json was here and is gone");
    expect(notices).toEqual([{ kind: "protection-unknown", reason: protection.lack }]);
    await protection.acceptLoss();
    expect(await starve(protection)).toEqual([]);
  });

  it("with a list of an earlier version notes that it has one", async () => {
    await protectTwo();
    volume.notes.delete(MARK);
    const protection = started();
    await protection.isKnownOn(volume);
    expect(volume.notes.has(MARK)).toBe(true);
  });

  it("without its list gets the recorder's, which knows it", async () => {
    await protectTwo();
    const whole = volume.notes.get(NOTE);
    volume.notes.delete(NOTE);
    expect(await starve(started())).toEqual([3, 4, 8]);
    expect(volume.notes.get(NOTE)).toBe(whole);
  });

  it("on which nothing was ever protected says nothing of it", async () => {
    const protection = started();
    await protection.isKnownOn(volume);
    expect([...volume.notes.keys()]).toEqual([]);
  });
});
