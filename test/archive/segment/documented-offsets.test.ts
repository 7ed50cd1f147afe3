import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SegmentSummary } from "../../../src/archive/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  temporaryDirectory,
  until,
  VIDEO,
} from "../../support/archive/archive-fixture.js";
import { WatchedThreads } from "../../support/archive/volume-threads.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";

const FRAMES = 60;
const GOP_FRAMES = 20;
const FRAME_US = 40_000;
const key = newStreamKey();

let file: Buffer;
let summary: SegmentSummary;
let startUs: number;
let directory: ReturnType<typeof temporaryDirectory>;

beforeAll(async () => {
  directory = temporaryDirectory();
  const threads = new WatchedThreads();
  const { archive, index, volumePath } = await startArchive(directory.path, { startThread: threads.start });
  startUs = Date.now() * 1000;
  for (let at = 0; at < FRAMES; at++) {
    append(archive.writer(key), {
      decodeTimeUs: startUs + at * FRAME_US,
      presentationOffsetUs: 80_000,
      bytes: patternBytes(3000, at),
      key: at % GOP_FRAMES === 0,
    });
    // What is written after a sync begins with a mark.
    if (at % GOP_FRAMES === 5) await threads.nextSync();
  }
  await archive.writer(key).end();
  await index.flush();
  const [found] = index.oldest(1);
  if (found === undefined) throw new Error("nothing was recorded");
  summary = found;
  const segmentFile = () =>
    readdirSync(join(volumePath, "streams"), { recursive: true, encoding: "utf8" }).find((name) =>
      name.endsWith(".seg"),
    );
  await until(() => segmentFile() !== undefined, "the segment in its place");
  file = readFileSync(join(volumePath, "streams", segmentFile() ?? ""));
  await archive.stop();
});

afterAll(() => directory.remove());

/** A table of the design page: the rows under its heading, offset to words. */
function documentedRows(heading: string): Map<string, string> {
  const page = readFileSync(join(REPOSITORY_ROOT, "docs/design/archive.md"), "utf8");
  const section = page.slice(page.indexOf(heading) + heading.length);
  const table = section.slice(section.indexOf("| offset"));
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
  return new Map(
    rows.map((row) => {
      const [, offset = "", , words = ""] = row.split("|").map((cell) => cell.trim());
      return [words.split(/[:;.,(]/, 1)[0]?.trim() ?? "", offset];
    }),
  );
}

/** The documented offset of a field, as a number. */
function offsetOf(rows: Map<string, string>, field: string): number {
  const offset = rows.get(field);
  if (offset === undefined) throw new Error(`${field} is not documented: ${[...rows.keys()].join(" | ")}`);
  return Number(offset);
}

const u64 = (at: number) => Number(file.readBigUInt64LE(at));
const guid = (at: number) => {
  const hex = file.toString("hex", at, at + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};

interface FoundRecord {
  readonly at: number;
  readonly kind: number;
  readonly payload: Buffer;
}

/** Walks the file by the documented offsets alone. */
function records(): FoundRecord[] {
  const rows = documentedRows("Then records");
  const seed = crc32(file.subarray(16, 32));
  const found: FoundRecord[] = [];
  let at = file.readUInt32LE(12);
  const end = file.length - 28;
  while (at < end) {
    const length = file.readUInt32LE(at + offsetOf(rows, "bytes of payload"));
    const payload = file.subarray(at + 28, at + 28 + length);
    expect(crc32(file.subarray(at + 4, at + 24), seed)).toBe(file.readUInt32LE(at));
    expect(crc32(payload, crc32(file.subarray(at, at + 24), seed))).toBe(file.readUInt32LE(at + 24));
    found.push({ at, kind: file[at + offsetOf(rows, "kind")] ?? 0, payload });
    at += 28 + length;
  }
  expect(at).toBe(end);
  return found;
}

describe("a recorded segment, read by the offsets of docs/design/archive.md", () => {
  it("has the header's fields where the page says", () => {
    const rows = documentedRows("Header:");
    const at = (field: string) => offsetOf(rows, field);
    expect(file.toString("hex", 0, 8)).toBe("894e56525345470a");
    expect(file.readUInt32LE(at("format version"))).toBe(1);
    const headerBytes = file.readUInt32LE(at("bytes of the whole header"));
    expect(crc32(file.subarray(0, headerBytes - 4))).toBe(file.readUInt32LE(headerBytes - 4));
    expect(u64(at("segment id"))).toBe(summary.segmentId);
    expect(guid(at("volume id"))).toBe(summary.volumeId);
    expect(guid(at("channel id"))).toBe(key.channelId);
    expect(file[at("stream type")]).toBe(0);
    expect(file.readUInt32LE(at("fragment sequence"))).toBe(0);
    expect(guid(at("fragment id"))).toBe(summary.fragmentId);
    expect(guid(at("boot id of the kernel"))).toBe(summary.bootId);
    expect(file.readUInt32LE(at("epoch"))).toBe(summary.epoch);
    expect(u64(at("decode time of the first frame"))).toBe(startUs);
    expect(Math.abs(u64(at("wall clock at creation")) - startUs)).toBeLessThan(10_000_000);
    const video = at("video");
    expect([file[video], file.readUInt16LE(video + 2), file.readUInt16LE(video + 4)]).toEqual([
      VIDEO.codec,
      VIDEO.width,
      VIDEO.height,
    ]);
    const bytes = file.readUInt16LE(video + 6);
    expect(file.subarray(152, 152 + bytes)).toEqual(Buffer.from(VIDEO.initialization));
    expect(headerBytes).toBe(152 + bytes + 4);
    expect(file[at("audio")]).toBe(0);
  });

  it("has its frames as records where the page says, times and flags too", () => {
    const rows = documentedRows("Then records");
    const frames = records().filter(({ kind }) => kind === 1);
    expect(frames).toHaveLength(FRAMES);
    for (const [number, { at, payload }] of frames.entries()) {
      expect(file[at + offsetOf(rows, "codec of a frame")]).toBe(VIDEO.codec);
      expect((file[at + offsetOf(rows, "flags")] ?? 0) & 1).toBe(number % GOP_FRAMES === 0 ? 1 : 0);
      expect(file.readUInt32LE(at + offsetOf(rows, "presentation minus decode time"))).toBe(80_000);
      expect(u64(at + offsetOf(rows, "decode time"))).toBe(startUs + number * FRAME_US);
      expect(payload).toEqual(Buffer.from(patternBytes(3000, number)));
    }
  });

  it("has sync marks that name what lies before them, a footer and a trailer", () => {
    const all = records();
    const marks = all.filter(({ kind }) => kind === 2);
    expect(marks.length).toBeGreaterThan(0);
    let before = 0;
    for (const { at, payload } of marks) {
      expect(payload.subarray(0, 8)).toEqual(file.subarray(24, 32));
      expect(Number(payload.readBigUInt64LE(8))).toBeLessThanOrEqual(at);
      expect(Number(payload.readBigUInt64LE(16))).toBe(before);
      before = at;
    }
    const footer = all.at(-1);
    expect(footer?.kind).toBe(3);
    expect(Number(footer?.payload.readBigUInt64LE(8))).toBe(footer?.at);
    expect(Number(footer?.payload.readBigUInt64LE(16))).toBe(before);
    expect(Number(footer?.payload.readBigUInt64LE(24))).toBe(summary.toUs);
    expect(footer?.payload.readUInt32LE(32)).toBe(FRAMES);
    expect(footer?.payload.readUInt32LE(36)).toBe(0);
    const trailer = file.subarray(file.length - 28);
    expect(Number(trailer.readBigUInt64LE(0))).toBe(footer?.at);
    expect(crc32(trailer.subarray(0, 16), crc32(file.subarray(16, 32)))).toBe(trailer.readUInt32LE(16));
    expect(trailer.toString("hex", 20)).toBe("894e5652454e440a");
  });
});
