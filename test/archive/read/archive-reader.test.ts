// Own process: it counts the open files of its process.
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { segmentPath } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  readFrames,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

const FRAME_US = 40_000;
const GOP_FRAMES = 10;
const GOP_US = GOP_FRAMES * FRAME_US;

let test: TestArchive;
let directory: ReturnType<typeof temporaryDirectory>;
let startUs: number;
let key: StreamKey;

beforeEach(async () => {
  directory = temporaryDirectory();
  test = await startArchive(directory.path, { segmentSeconds: 1, readersMax: 3 });
  startUs = Date.now() * 1000;
  key = newStreamKey();
});

afterEach(async () => {
  await test.archive.stop();
  directory.remove();
});

/** Appends frames `from` to `to`, exclusive; one in GOP_FRAMES is a key frame. */
function record(from: number, to: number, options: { gop?: number; bytes?: number } = {}): void {
  for (let at = from; at < to; at++) {
    append(test.archive.writer(key), {
      decodeTimeUs: startUs + at * FRAME_US,
      bytes: patternBytes(options.bytes ?? 1000, at),
      key: at % (options.gop ?? GOP_FRAMES) === 0,
    });
  }
}

const indexOf = (frame: { decodeTimeUs: number }) => Math.round((frame.decodeTimeUs - startUs) / FRAME_US);

describe("archive reader", () => {
  it("starts with the last key frame at or before the time asked for", async () => {
    record(0, 60);
    await test.archive.writer(key).end();
    const reader = test.archive.read(key, { fromUs: startUs + 2 * GOP_US + 5 * FRAME_US });
    const frames = await readFrames(reader, 40);
    expect(frames.map(indexOf)).toEqual(Array.from({ length: 40 }, (_, at) => 20 + at));
  });

  it("goes on behind a piece that is missing in a fragment with a key frame, and says that it starts anew", async () => {
    record(0, 200, { gop: 90 }); // segments of 0 to 50, 50 to 90, 90 to 140, 140 to 180, ...: two begin within a GOP
    await test.archive.writer(key).end();
    await test.index.flush();
    const middle = [...test.index.committed.values()].find(
      (segment) => indexOf({ decodeTimeUs: segment.fromUs }) === 90,
    );
    await test.index.remove(middle === undefined ? [] : [middle]);
    const frames = await readFrames(test.archive.read(key, { fromUs: startUs }), 110);
    const expected = [
      ...Array.from({ length: 90 }, (_, at) => at),
      ...Array.from({ length: 20 }, (_, at) => 180 + at),
    ];
    expect(frames.map(indexOf)).toEqual(expected);
    expect(frames.filter((frame) => frame.startsFragment).map(indexOf)).toEqual([0, 180]);
  });

  it("passes over the end of a segment whose file ends earlier than it should", async () => {
    record(0, 60); // segments of 0 to 30 and 30 to 60
    await test.archive.writer(key).end();
    await test.index.flush();
    const [first] = [...test.index.committed.values()].sort((a, b) => a.fromUs - b.fromUs);
    if (first === undefined) throw new Error("no segment");
    await until(() => existsSync(join(test.volumePath, segmentPath(first))), "the segment at its place");
    truncateSync(join(test.volumePath, segmentPath(first)), first.gops[1]?.offset);
    const frames = await readFrames(test.archive.read(key, { fromUs: startUs }), 40);
    expect(frames.map(indexOf)).toEqual(Array.from({ length: 40 }, (_, at) => (at < 10 ? at : 20 + at)));
  });

  it("starts in a gap with the next fragment, and says that it is one", async () => {
    record(0, 20);
    await test.archive.writer(key).end();
    record(200, 220);
    await test.archive.writer(key).end();
    const reader = test.archive.read(key, { fromUs: startUs + 100 * FRAME_US });
    const [first] = await readFrames(reader, 20);
    expect(first).toMatchObject({ decodeTimeUs: startUs + 200 * FRAME_US, startsFragment: true });
  });

  it("finds the key frame of a GOP longer than a segment", async () => {
    record(0, 150, { gop: 1000 });
    await test.archive.writer(key).end();
    expect((await test.index.oldest(10)).length).toBeGreaterThan(1);
    const reader = test.archive.read(key, { fromUs: startUs + 120 * FRAME_US });
    const frames = await readFrames(reader, 150);
    expect(frames.map(indexOf)).toEqual(Array.from({ length: 150 }, (_, at) => at));
    expect(frames.filter((frame) => frame.startsFragment)).toHaveLength(1);
  });

  it("follows the live edge from segment to segment without polling", async () => {
    record(0, 5);
    await until(() => test.index.newest(key) !== undefined, "first frames");
    const reader = test.archive.read(key, { fromUs: startUs });
    expect(await readFrames(reader, 5)).toHaveLength(5);
    for (let at = 5; at < 100; at += 5) {
      const more = readFrames(reader, 5);
      record(at, at + 5);
      expect((await more).map(indexOf)).toEqual([at, at + 1, at + 2, at + 3, at + 4]);
    }
    expect(test.index.oldest(10).length).toBeGreaterThan(1);
  });

  it("waits for a stream that has no recording yet", async () => {
    const reader = test.archive.read(key, { fromUs: startUs });
    const first = readFrames(reader, 1);
    record(0, 1);
    expect((await first)[0]?.startsFragment).toBe(true);
  });

  it("leaves audio out when asked to", async () => {
    append(test.archive.writer(key), { decodeTimeUs: startUs, bytes: patternBytes(100, 1), key: true });
    append(test.archive.writer(key), {
      decodeTimeUs: startUs,
      bytes: patternBytes(100, 2),
      key: true,
      format: AUDIO,
    });
    append(test.archive.writer(key), { decodeTimeUs: startUs + FRAME_US, bytes: patternBytes(100, 3) });
    await test.archive.writer(key).end();
    const reader = test.archive.read(key, { fromUs: startUs, videoOnly: true });
    expect((await readFrames(reader, 2)).map((frame) => frame.codec)).toEqual([1, 1]);
  });

  it("ends a waiting next() with an empty list when it is closed", async () => {
    const reader = test.archive.read(key, { fromUs: startUs });
    const waiting = reader.next();
    reader.close();
    expect(await waiting).toEqual([]);
    expect(await reader.next()).toEqual([]);
  });

  it("refuses more readers than the bound, and counts closed ones out", () => {
    const readers = [1, 2, 3].map(() => test.archive.read(key, { fromUs: 0 }));
    expect(() => test.archive.read(key, { fromUs: 0 })).toThrow(
      expect.objectContaining({ code: "NOT_AVAILABLE" }),
    );
    readers[0]?.close();
    readers[0]?.close();
    test.archive.read(key, { fromUs: 0 }).close();
  });

  it("leaves no file open behind", async () => {
    record(0, 60);
    await test.archive.writer(key).end();
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const read = async (at: number) => {
      const reader = test.archive.read(key, { fromUs: startUs + (at % 50) * FRAME_US });
      if (at % 3 > 0) await reader.next();
      if (at % 3 > 1) reader.next().catch(() => undefined); // closed while it runs
      reader.close();
    };
    for (let at = 0; at < 20; at++) await read(at);
    const before = openFiles();
    for (let at = 0; at < 300; at++) await read(at);
    await until(
      () => openFiles() <= before + 3,
      "files to be closed",
      () => openFiles(),
    );
  });

  it("passes over a damaged stretch up to the next key frame", async () => {
    record(0, 20);
    await test.archive.writer(key).end();
    await test.index.flush();
    const path = join(test.volumePath, segmentPath(test.index.oldest(1)[0] ?? { key, segmentId: 0 }));
    await until(() => readdirSync(join(test.volumePath, "open")).length === 0, "segment to settle");
    const bytes = readFileSync(path);
    const at = bytes.indexOf(Buffer.from(patternBytes(1000, 3)));
    bytes[at + 500] = (bytes[at + 500] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const reader = test.archive.read(key, { fromUs: startUs });
    const frames = await readFrames(reader, 13);
    expect(frames.map(indexOf)).toEqual([0, 1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it("passes over a segment that retention has removed, and reads on in one it has open", async () => {
    record(0, 100, { bytes: 20_000 });
    await test.archive.writer(key).end();
    await test.index.flush();
    const segments = test.index.oldest(10);
    expect(segments.length).toBeGreaterThan(2);
    await until(() => readdirSync(join(test.volumePath, "open")).length === 0, "segments to settle");
    const reader = test.archive.read(key, { fromUs: startUs });
    const first = await readFrames(reader, 1); // opens the first segment; a chunk is less than all of it
    for (const gone of segments.slice(0, 2)) rmSync(join(test.volumePath, segmentPath(gone)));
    const rest = await readFrames(reader, segments[0]?.videoFrames ?? 0);
    const seen = [...first, ...rest].map(indexOf);
    expect(seen.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, at) => at));
    const later = await readFrames(reader, 1);
    const third = Math.round(((segments[2]?.fromUs ?? 0) - startUs) / FRAME_US);
    expect([...rest, ...later].map(indexOf)).toContain(third);
  });

  it("reads frames longer than its chunk", async () => {
    record(0, 3, { bytes: 1_500_000 });
    await test.archive.writer(key).end();
    const frames = await readFrames(test.archive.read(key, { fromUs: startUs }), 3);
    for (const [at, frame] of frames.entries())
      expect(frame.bytes.equals(patternBytes(1_500_000, at))).toBe(true);
  });

  it("gives many readers at once every frame exactly once while the oldest segments are removed behind them", async () => {
    const frames = 1500;
    const readers = 16;
    await test.archive.stop();
    test = await startArchive(directory.path, { segmentSeconds: 1, readersMax: readers });
    const seen: number[][] = Array.from({ length: readers }, () => []);
    const following = seen.map(async (numbers) => {
      const reader = test.archive.read(key, { fromUs: startUs });
      while (numbers.length < frames) for (const frame of await reader.next()) numbers.push(indexOf(frame));
      reader.close();
    });
    for (let at = 0; at < frames; at += 25) {
      record(at, at + 25);
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (at % 250 !== 225) continue;
      // Retention: what all have read goes.
      await test.index.flush();
      const readUs = startUs + Math.min(...seen.map((numbers) => numbers.at(-1) ?? 0)) * FRAME_US;
      const old = test.index.oldest(100).filter((segment) => segment.toUs < readUs);
      await test.index.remove(old);
      for (const segment of old) await test.archive.volumeAccess()[0]?.unlink(segment);
    }
    await Promise.all(following);
    const all = Array.from({ length: frames }, (_, at) => at);
    for (const numbers of seen) expect(numbers).toEqual(all);
    await test.archive.writer(key).end();
    await test.index.flush();
    expect(test.index.oldest(1)[0]?.fromUs).toBeGreaterThan(startUs);
  });
});
