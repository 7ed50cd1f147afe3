// Own process: its codec has two threads, and a process has one number of them.
import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { type CodedUnit, NativeCodec, type Picture, type VideoDecoder } from "../../../src/picture/index.js";
import {
  type ClipOptions,
  type CodedClip,
  codedClip,
  ffmpegPictures,
  psnr,
  yuv420Bytes,
} from "../../support/media/coded-clip.js";

const codec = new NativeCodec({ threads: 2 });
const YUV = [{ form: "yuv420" }] as const;

interface ClipAndPictures {
  readonly clip: CodedClip;
  /** What ffmpeg decodes of it, by presentation time. */
  readonly shown: ReadonlyMap<number, Buffer>;
}

const made = new Map<string, Promise<ClipAndPictures>>();

/** Made once for all tests that name it. */
function clipAndPictures(name: string, options: ClipOptions): Promise<ClipAndPictures> {
  const clip = made.get(name) ?? makeClip(options);
  made.set(name, clip);
  return clip;
}

async function makeClip(options: ClipOptions): Promise<ClipAndPictures> {
  const clip = await codedClip(options);
  const pictureBytes = yuv420Bytes(options.width, options.height);
  const shown = await ffmpegPictures(clip.file, { pixelFormat: "yuv420p", pictureBytes });
  return { clip, shown: byTime(clip.units, shown) };
}

function presentationUs(unit: CodedUnit): number {
  return unit.decodeTimeUs + unit.presentationOffsetUs;
}

function byTime(units: readonly CodedUnit[], shown: readonly Buffer[]): Map<number, Buffer> {
  const times = units.map(presentationUs).sort((left, right) => left - right);
  expect(shown.length).toBe(times.length);
  return new Map(times.map((time, at) => [time, shown[at] ?? Buffer.alloc(0)]));
}

async function stillOf(clip: CodedClip, last: number): Promise<Picture> {
  const [picture] = await codec.decodeStill({
    format: clip.format,
    units: clip.units.slice(0, last + 1),
    targets: YUV,
  });
  if (picture === undefined) throw new Error("no picture");
  return picture;
}

async function playAll(decoder: VideoDecoder, units: readonly CodedUnit[]): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for (const unit of units) pictures.push(...(await decoder.decode(unit, YUV)).flat());
  pictures.push(...(await decoder.flush(YUV)).flat());
  return pictures;
}

const SMALL = { width: 192, height: 108, frames: 12 };
const CLIPS: readonly (readonly [string, ClipOptions])[] = [
  ["H.264 without B-frames", { codec: Codec.H264, ...SMALL, flags: ["-bf", "0", "-g", "6"] }],
  [
    "H.264 with three B-frames",
    { codec: Codec.H264, ...SMALL, flags: ["-bf", "3", "-b_strategy", "0", "-g", "12"] },
  ],
  [
    "H.264, interlaced",
    { codec: Codec.H264, ...SMALL, height: 128, flags: ["-flags", "+ilme+ildct", "-x264-params", "tff=1"] },
  ],
  [
    "H.264 of odd size",
    { codec: Codec.H264, width: 191, height: 107, frames: 4, flags: ["-pix_fmt", "yuv444p"] },
  ],
  ["H.265 without B-frames", { codec: Codec.H265, ...SMALL, flags: ["-bf", "0", "-g", "6"] }],
  ["H.265 with B-frames", { codec: Codec.H265, ...SMALL, flags: ["-bf", "3", "-g", "12"] }],
  ["H.265 of 10 bits", { codec: Codec.H265, ...SMALL, frames: 4, flags: ["-pix_fmt", "yuv420p10le"] }],
  ["MPEG-4", { codec: Codec.MPEG4, ...SMALL, flags: ["-g", "6", "-q:v", "4"] }],
  ["MPEG-4 with B-frames", { codec: Codec.MPEG4, ...SMALL, flags: ["-bf", "2", "-g", "12", "-q:v", "4"] }],
];

describe("decoding compared with ffmpeg's", () => {
  // Where formats differ (4:4:4, 10 bits) the conversion's rounding does too.
  const exact = (options: ClipOptions) => !(options.flags ?? []).includes("-pix_fmt");

  it.each(CLIPS)("%s: each picture of a stream, at its time", async (name, options) => {
    const { clip, shown } = await clipAndPictures(name, options);
    const decoder = codec.openVideoDecoder(clip.format);
    const pictures = await playAll(decoder, clip.units);
    decoder.close();
    expect(pictures.map((picture) => picture.timeUs)).toEqual([...shown.keys()]);
    for (const picture of pictures) {
      expect(picture).toMatchObject({
        damaged: false,
        sourceWidth: options.width,
        sourceHeight: options.height,
      });
      const alike = psnr(picture.data, shown.get(picture.timeUs) ?? Buffer.alloc(0));
      expect(alike).toBeGreaterThan(exact(options) ? 90 : 40);
    }
  });

  it.each(CLIPS)("%s: the still is the picture of the last unit", async (name, options) => {
    const { clip, shown } = await clipAndPictures(name, options);
    for (const last of [...clip.units.keys()].slice(0, 8)) {
      const unit = clip.units[last];
      const picture = await stillOf(clip, last);
      const time = unit === undefined ? 0 : presentationUs(unit);
      expect({ time: picture.timeUs, damaged: picture.damaged }).toEqual({ time, damaged: false });
      expect(psnr(picture.data, shown.get(time) ?? Buffer.alloc(0))).toBeGreaterThan(
        exact(options) ? 90 : 40,
      );
    }
  });

  it.each([
    ["4:2:0", ["-pix_fmt", "yuvj420p"]],
    ["4:2:2", ["-pix_fmt", "yuvj422p"]],
  ] as const)("MJPEG %s: full range becomes limited, and back in RGB", async (_name, flags) => {
    const options = {
      codec: Codec.MJPEG,
      width: 191,
      height: 108,
      frames: 2,
      flags: [...flags, "-q:v", "2"],
    };
    const clip = await codedClip(options);
    const [luma, rgb] = await Promise.all([
      ffmpegPictures(clip.file, { pixelFormat: "gray", pictureBytes: 191 * 108 }),
      ffmpegPictures(clip.file, {
        pixelFormat: "rgb24",
        pictureBytes: 191 * 108 * 3,
        filter: "scale=flags=bicubic+accurate_rnd",
      }),
    ]);
    const targets = [{ form: "gray" }, { form: "rgb" }, { form: "yuv420" }] as const;
    const [gray, color, yuv] = await codec.decodeStill({ format: clip.format, units: clip.units, targets });
    expect(psnr(gray?.data ?? luma[0] ?? Buffer.alloc(0), luma[1] ?? Buffer.alloc(0))).toBeGreaterThan(50);
    expect(psnr(color?.data ?? Buffer.alloc(0), rgb[1] ?? Buffer.alloc(0))).toBeGreaterThan(38);
    const limited = yuv?.data.subarray(0, 191 * 108) ?? new Uint8Array(0);
    // Without the two ends of the range that bicubic overshoot and rounding could reach.
    expect(Math.max(...limited)).toBeLessThanOrEqual(240);
    expect(Math.min(...limited)).toBeGreaterThanOrEqual(12);
  });
});

describe("a stream that changes", () => {
  it.each([
    ["H.264", Codec.H264],
    ["H.265", Codec.H265],
  ] as const)("%s: another resolution in mid-stream", async (name, number) => {
    const flags = ["-bf", "0", "-g", "4"];
    const small = await clipAndPictures(`small ${name}`, { codec: number, ...SMALL, frames: 4, flags });
    const large = await clipAndPictures(`large ${name}`, {
      codec: number,
      width: 320,
      height: 180,
      frames: 4,
      flags,
    });
    const decoder = codec.openVideoDecoder(small.clip.format);
    const later = large.clip.units.map((unit) => ({ ...unit, decodeTimeUs: unit.decodeTimeUs + 1e6 }));
    const pictures = await playAll(decoder, [...small.clip.units, ...later]);
    decoder.close();
    const expected = [...small.shown.values(), ...large.shown.values()];
    expect(pictures.map((picture) => picture.sourceWidth)).toEqual([192, 192, 192, 192, 320, 320, 320, 320]);
    for (const [at, picture] of pictures.entries())
      expect(psnr(picture.data, expected[at] ?? Buffer.alloc(0))).toBeGreaterThan(90);
  });

  it("non-key skips all but key frames, and decoding continues at the next key frame", async () => {
    const flags = ["-bf", "2", "-b_strategy", "0", "-g", "4", "-flags", "+cgop"];
    const { clip, shown } = await clipAndPictures("skipping", { codec: Codec.H264, ...SMALL, flags });
    const decoder = codec.openVideoDecoder(clip.format);
    const seen: Picture[] = [];
    for (const [at, unit] of clip.units.entries())
      seen.push(...(await decoder.decode(unit, YUV, at < 6 ? "non-key" : "none")).flat());
    seen.push(...(await decoder.flush(YUV)).flat());
    decoder.close();
    const keys = clip.units.flatMap((unit, at) => (unit.key ? [at] : []));
    expect(keys).toEqual([0, 4, 8]);
    const resumed = clip.units.slice(8).map(presentationUs);
    const times = [...clip.units.filter((unit, at) => unit.key && at < 8).map(presentationUs), ...resumed];
    expect(seen.map((picture) => picture.timeUs)).toEqual(times.sort((left, right) => left - right));
    for (const picture of seen) {
      expect(picture.damaged).toBe(false);
      expect(psnr(picture.data, shown.get(picture.timeUs) ?? Buffer.alloc(0))).toBeGreaterThan(90);
    }
  });

  it("non-reference skips only B-frames", async () => {
    const flags = ["-bf", "1", "-b_strategy", "0", "-g", "12"];
    const { clip, shown } = await clipAndPictures("B left out", { codec: Codec.MPEG4, ...SMALL, flags });
    const decoder = codec.openVideoDecoder(clip.format);
    const seen: Picture[] = [];
    for (const unit of clip.units) seen.push(...(await decoder.decode(unit, YUV, "non-reference")).flat());
    seen.push(...(await decoder.flush(YUV)).flat());
    decoder.close();
    expect(seen.length).toBeLessThan(clip.units.length);
    expect(seen.length).toBeGreaterThanOrEqual(clip.units.length / 2);
    for (const picture of seen)
      expect(psnr(picture.data, shown.get(picture.timeUs) ?? Buffer.alloc(0))).toBeGreaterThan(90);
  });

  it("parameter sets of the format are used if the units have none", async () => {
    const options = {
      codec: Codec.H264,
      ...SMALL,
      frames: 1,
      flags: ["-bf", "0"],
    };
    const { clip, shown } = await clipAndPictures("sets apart", options);
    const unit = clip.units[0];
    const bytes = Buffer.from(unit?.bytes[0] ?? []);
    const slice = bytes.indexOf(Buffer.from([0, 0, 1, 0x65]));
    const format = { ...clip.format, initialization: Uint8Array.from(bytes.subarray(0, slice)) };
    const units = [{ bytes: [bytes.subarray(slice)], key: true, decodeTimeUs: 0, presentationOffsetUs: 0 }];
    const [picture] = await codec.decodeStill({ format, units, targets: YUV });
    expect(psnr(picture?.data ?? Buffer.alloc(0), [...shown.values()][0] ?? Buffer.alloc(0))).toBeGreaterThan(
      90,
    );
  });
});
