import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import {
  H264_CLIP,
  H265_CLIP,
  H265_STILLS,
  MJPEG_CLIP,
  SMALL_CLIP,
  SOUND_CLIP,
  SOUND_STILLS,
} from "../../src/demo/demo-cameras.js";
import { type ClipSettings, parseClip, readClip } from "../../src/demo/index.js";
import { nalUnitsOf } from "../../src/rtsp/server/index.js";
import { annexB } from "../support/rtsp/rtp-reassembly.js";
import { ffmpegMake, runPlayer } from "../support/rtsp/rtsp-players.js";

const nal = (...bytes: number[]) => Buffer.from(bytes);
/** H.264 NAL units: first_mb_in_slice 0 has the bit 0x80 set. */
const H264 = {
  aud: nal(9, 0xf0),
  sps: nal(0x67, 1),
  pps: nal(0x68, 2),
  sei: nal(6, 3),
  idr: nal(0x65, 0x80, 4),
  idrMore: nal(0x65, 0x40, 5),
  p: nal(0x41, 0x9a, 6),
  pMore: nal(0x41, 0x40, 7),
  end: nal(10),
};

function units(settings: ClipSettings, nals: readonly Buffer[]): Buffer[][] {
  return parseClip(settings, annexB(nals)).units.map((unit) => nalUnitsOf(unit.bytes));
}

describe("parseClip", () => {
  it("splits H.264 at delimiters, parameter sets, SEI and first slices (7.4.1.2.3)", () => {
    const { aud, sps, pps, sei, idr, idrMore, p, pMore, end } = H264;
    expect(
      units(H264_CLIP, [aud, sps, pps, sei, idr, idrMore, aud, p, p, pMore, sei, p, end, sps, pps, idr]),
    ).toEqual([
      [aud, sps, pps, sei, idr, idrMore],
      [aud, p],
      [p, pMore],
      [sei, p, end],
      [sps, pps, idr],
    ]);
  });

  it("splits H.265 at first slice segments and prefixes; suffix SEI stays with its picture (7.4.2.4.4)", () => {
    const [vps, sps, pps] = [nal(64, 1, 9), nal(66, 1, 9), nal(68, 1, 9)];
    const [idr, more, trail, suffix, prefix] = [
      nal(38, 1, 0x80),
      nal(38, 1, 0x20),
      nal(2, 1, 0x80),
      nal(80, 1, 5),
      nal(78, 1, 5),
    ];
    expect(
      units(H265_CLIP, [vps, sps, pps, idr, more, suffix, trail, prefix, trail, vps, sps, pps, idr]),
    ).toEqual([[vps, sps, pps, idr, more, suffix], [trail], [prefix, trail], [vps, sps, pps, idr]]);
  });

  it("marks key frames and keeps the first parameter sets as initialization", () => {
    const { sps, pps, idr, p } = H264;
    const clip = parseClip(H264_CLIP, annexB([sps, pps, idr, p, sps, pps, idr]));
    expect(clip.units.map((unit) => unit.key)).toEqual([true, false, true]);
    expect(clip.initialization).toEqual(annexB([sps, pps]));
  });

  it.each([
    ["nothing", Buffer.alloc(0), "no picture"],
    ["text", Buffer.from("this is no video"), "no picture"],
    ["a clip that starts with a P frame", annexB([H264.p]), "first picture is not a key frame"],
    ["parameter sets alone", annexB([H264.sps, H264.pps]), "no picture"],
  ])("says what is wrong with %s", (_, bytes, why) => {
    expect(() => parseClip(H264_CLIP, bytes)).toThrow(NvrdError);
    expect(() => parseClip(H264_CLIP, bytes)).toThrow(new RegExp(`street.h264 .*${why}`));
  });

  it("returns a clip or that error for any bytes", () => {
    const part = fc.oneof(
      fc.constant([0, 0, 1]),
      fc.constant([0xff, 0xd8, 0xff]),
      fc.constant([0xff, 0xd9]),
      fc.array(fc.nat(255), { maxLength: 30 }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(H264_CLIP, H265_CLIP, MJPEG_CLIP),
        fc.array(part, { maxLength: 30 }),
        (settings, parts) => {
          try {
            expect(parseClip(settings, Buffer.from(parts.flat())).units.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(NvrdError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    [
      "libx264 with four slices and delimiters",
      H264_CLIP,
      ["-c:v", "libx264", "-g", "10", "-bf", "0", "-slices", "4", "-aud", "1", "-f", "h264"],
    ],
    [
      "libx265 with slices",
      H265_CLIP,
      [
        "-c:v",
        "libx265",
        "-x265-params",
        "keyint=10:bframes=0:slices=2:repeat-headers=1:log-level=none",
        "-f",
        "hevc",
      ],
    ],
  ] as const)("finds as many pictures as were encoded: %s", async (_, settings, args) => {
    const stream = await ffmpegMake([
      "-f",
      "lavfi",
      "-i",
      "testsrc2=s=640x480:r=25",
      "-frames:v",
      "30",
      "-pix_fmt",
      "yuv420p",
      ...args,
    ]);
    const clip = parseClip(settings, stream);
    expect(clip.units).toHaveLength(30);
    expect(clip.units.flatMap((unit, at) => (unit.key ? [at] : []))).toEqual([0, 10, 20]);
    expect(nalUnitsOf(Buffer.concat(clip.units.map((unit) => unit.bytes)))).toEqual(nalUnitsOf(stream));
  });
});

describe("bundled clips", () => {
  it.each([
    [H264_CLIP, 200, "h264"],
    [H265_CLIP, 200, "hevc"],
    [SOUND_CLIP, 200, "h264"],
    [SMALL_CLIP, 100, "mjpeg"],
    [MJPEG_CLIP, 100, "mjpeg"],
    [H265_STILLS, 10, "mjpeg"],
    [SOUND_STILLS, 10, "mjpeg"],
  ] as const)("are what the cameras say of them: $name", async (settings, pictures, format) => {
    const clip = await readClip(settings);
    expect(clip.units).toHaveLength(pictures);
    const path = new URL(`../../src/demo/clips/${settings.name}`, import.meta.url).pathname;
    const entries = "stream=width,height";
    const { output, errors } = await runPlayer("ffprobe", [
      "-v",
      "error",
      "-f",
      format,
      "-show_entries",
      entries,
      "-of",
      "csv=p=0",
      path,
    ]);
    expect([output.toString().trim(), errors]).toEqual([`${settings.width},${settings.height}`, ""]);
  });
});
