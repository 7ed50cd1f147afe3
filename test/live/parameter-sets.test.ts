import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAacConfig } from "../../src/live/codec/aac-config.js";
import { BitWriter } from "../../src/live/codec/bit-writer.js";
import { parseH264Sps } from "../../src/live/codec/h264-sps.js";
import { parseH265Sps } from "../../src/live/codec/h265-sps.js";
import { parseMpeg4VolSize } from "../../src/live/codec/mpeg4-vol.js";
import { splitAnnexB } from "../../src/rtsp/index.js";
import { H264_SPS, H265_SPS } from "../support/media/sample-nal-units.js";

/** The elementary stream that ffmpeg encodes. */
function encode(args: readonly string[], format: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "nvrd-sps-"));
  try {
    const file = join(folder, "out");
    execFileSync("ffmpeg", ["-nostdin", "-loglevel", "error", "-y", ...args, "-f", format, file]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const pictures = (size: string) => [
  "-f",
  "lavfi",
  "-i",
  `testsrc2=s=${size}:r=25:d=0.2`,
  "-pix_fmt",
  "yuv420p",
];

describe("H.264 SPS", () => {
  it.each([
    ["1920x1080", 1920, 1080, ["-bf", "0"], 0],
    ["1920x1080", 1920, 1080, ["-bf", "1"], 1],
    ["322x242", 322, 242, ["-bf", "3"], 2],
    ["704x576", 704, 576, ["-profile:v", "baseline"], 0],
    ["720x576", 720, 576, ["-flags", "+ildct+ilme", "-bf", "0"], 0],
  ])("of libx264 at %s says %i x %i, and the reorder depth", (size, width, height, options, reorderDepth) => {
    const sps = splitAnnexB(encode([...pictures(size), "-c:v", "libx264", ...options], "h264")).find(
      (nal) => ((nal[0] ?? 0) & 0x1f) === 7,
    );
    expect(parseH264Sps(sps ?? Buffer.alloc(0))).toMatchObject({ width, height, reorderDepth });
  });

  it("has no reorder depth if it does not carry one", () => {
    // Baseline would imply none; this is Main profile without VUI.
    expect(parseH264Sps(Buffer.from("674d001ef40501ec80", "hex"))).toMatchObject({
      width: 640,
      height: 480,
      reorderDepth: undefined,
    });
  });
});

describe("H.265 SPS", () => {
  it.each([
    ["1920x1080", 1920, 1080, "bframes=0", 0],
    ["322x242", 322, 242, "bframes=3:b-pyramid=1", 2],
  ])("of libx265 at %s says %i x %i, and the reorder depth", (size, width, height, params, reorderDepth) => {
    const args = [...pictures(size), "-c:v", "libx265", "-x265-params", `log-level=error:${params}`];
    const sps = splitAnnexB(encode(args, "hevc")).find((nal) => (nal[0] ?? 0) >> 1 === 33);
    expect(parseH265Sps(sps ?? Buffer.alloc(0))).toMatchObject({ width, height, reorderDepth });
  });
});

describe("MPEG-4 VOL", () => {
  it.each([
    ["640x480", 640, 480],
    ["352x288", 352, 288],
  ])("of ffmpeg at %s says %i x %i", (size, width, height) => {
    expect(parseMpeg4VolSize(encode([...pictures(size), "-c:v", "mpeg4"], "m4v"))).toEqual({ width, height });
  });
});

describe("AudioSpecificConfig", () => {
  it.each([
    ["1190", { sampleRate: 48_000, channels: 2, frameSamples: 1024 }],
    ["1408", { sampleRate: 16_000, channels: 1, frameSamples: 1024 }],
    ["17800fa010", { sampleRate: 8000, channels: 2, frameSamples: 1024 }],
    ["2b920800", { sampleRate: 22_050, channels: 2, frameSamples: 1024 }],
  ])("%s", (hex, config) => {
    expect(parseAacConfig(Buffer.from(hex, "hex"))).toEqual(config);
  });

  it("of a reserved rate is refused", () => {
    expect(parseAacConfig(Buffer.from("1690", "hex"))).toBeUndefined();
  });
});

describe("hostile parameter sets", () => {
  it.each<[string, { shape?: number; version?: number }, object | undefined]>([
    ["a rectangle", {}, { width: 640, height: 480 }],
    ["a rectangle of the last version", { version: 5 }, { width: 640, height: 480 }],
    ["another shape, whose header goes on otherwise", { shape: 2 }, undefined],
    ["a version that nobody knows", { version: 6 }, undefined],
  ])("of MPEG-4 have the size of %s alone", (_what, layer, size) => {
    expect(parseMpeg4VolSize(volOf(layer))).toEqual(size);
  });

  it("give a plausible size or none, whatever their bytes", () => {
    const mutated = (good: Buffer) =>
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }).map((changes) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes;
      });
    const any = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(mutated(H264_SPS), mutated(H265_SPS), any), (bytes) => {
        for (const nal of [
          bytes,
          Buffer.concat([Buffer.from([0x67]), bytes]),
          Buffer.concat([Buffer.from([0x42, 1]), bytes]),
        ]) {
          for (const parsed of [parseH264Sps(nal), parseH265Sps(nal)]) {
            if (parsed === undefined) continue;
            expect(parsed.width).toBeGreaterThan(0);
            expect(parsed.height).toBeLessThan(17_000);
            expect(parsed.reorderDepth ?? 0).toBeLessThanOrEqual(16);
          }
          parseMpeg4VolSize(Buffer.concat([Buffer.from([0, 0, 1, 0x20]), nal]));
          parseAacConfig(nal);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** A video object layer of 640 x 480 (ISO/IEC 14496-2, 6.2.3). */
function volOf({
  shape = 0,
  version = 1,
}: {
  readonly shape?: number;
  readonly version?: number;
}): Uint8Array {
  const writer = new BitWriter();
  for (const [value, bits] of [
    ...([
      [0x120, 32],
      [0, 1],
      [1, 8],
      [1, 1],
      [version, 4],
      [1, 3],
      [1, 4],
      [0, 1],
      [shape, 2],
    ] as const),
    ...([
      [1, 1],
      [25, 16],
      [1, 1],
      [0, 1],
      [1, 1],
      [640, 13],
      [1, 1],
      [480, 13],
      [1, 1],
    ] as const),
  ])
    writer.bits(value, bits);
  writer.align();
  return writer.bytes;
}
