import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import {
  jpegBytesMax,
  NativeCodec,
  type PlaybackUnit,
  type TranscodeSpec,
  Transcoding,
} from "../../../src/picture/index.js";
import { jpegSize } from "../../support/media/jpeg.js";
import { ffmpegFilter } from "../../support/media/tone.js";

const FORMAT: VideoFormat = { codec: Codec.MJPEG, width: 0, height: 0, initialization: new Uint8Array(0) };
const SPEC: TranscodeSpec = { width: 640, height: 480, framesPerSecond: 25, form: "jpeg", rotation: 0 };

let transcoding: Transcoding;
/** A picture of the worst kind, noise, in shapes of cameras. */
let noise: Record<"wide" | "square", Buffer>;

beforeAll(async () => {
  const log = createLog({ level: "silent" });
  transcoding = new Transcoding({ codec: new NativeCodec(), clock: new SystemClock(), log });
  const picture = (size: string) =>
    ffmpegFilter(
      [
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        `nullsrc=s=${size},geq=random(1)*255:128:128,format=yuvj420p`,
        "-frames:v",
        "1",
        "-q:v",
        "2",
        "-f",
        "mjpeg",
        "pipe:1",
      ],
      Buffer.alloc(0),
    );
  noise = { wide: await picture("1920x1080"), square: await picture("1600x1200") };
});

afterAll(() => transcoding.stop());

function unit(bytes: Buffer, index = 0): PlaybackUnit {
  const decodeTimeUs = 1_000_000 + index * 40_000;
  return {
    bytes: [bytes],
    key: true,
    decodeTimeUs,
    presentationOffsetUs: 0,
    format: FORMAT,
    followsGap: index === 0,
  };
}

async function onePicture(bytes: Buffer, spec: Partial<TranscodeSpec>): Promise<Buffer> {
  const playback = transcoding.openPlayback({ ...SPEC, ...spec }, 1);
  try {
    const [picture] = await playback.push(unit(bytes));
    return Buffer.from(picture?.data ?? []);
  } finally {
    playback.close();
  }
}

describe("a transcoded JPEG", () => {
  it.each([
    ["square", 640, 480, 60_000],
    ["wide", 1280, 720, 180_000],
  ] as const)(
    "of noise fits the buffers that clients have: %s at %ix%i",
    async (shape, width, height, bytesMax) => {
      const jpeg = await onePicture(noise[shape], { width, height });
      expect(jpegSize(jpeg)).toEqual({ width, height });
      expect(jpegBytesMax(width, height)).toBe(bytesMax);
      expect(jpeg.length).toBeLessThanOrEqual(bytesMax);
      expect(jpeg.length).toBeGreaterThan(bytesMax / 4);
    },
  );

  it("is JFIF, without EXIF and without a picture in it", async () => {
    const jpeg = await onePicture(noise.wide, {});
    expect(jpeg.subarray(0, 11).toString("latin1")).toBe("\xff\xd8\xff\xe0\x00\x10JFIF\0");
    expect(jpeg.includes("Exif")).toBe(false);
    expect(jpeg.indexOf("\xff\xd8", 2, "latin1")).toBe(-1);
  });

  it.each([
    [0, 640, 360],
    [90, 270, 480],
    [180, 640, 360],
    [270, 270, 480],
  ] as const)("turned by %i degrees fits the level as it stands", async (rotation, width, height) => {
    expect(jpegSize(await onePicture(noise.wide, { rotation }))).toEqual({ width, height });
  });
});

describe("an H.264 level", () => {
  it("has even sides within its box whatever the source's shape, and continues when the size changes", async () => {
    const playback = transcoding.openPlayback({ ...SPEC, width: 321, height: 181, form: "h264" }, 1);
    const keys: boolean[] = [];
    for (const [index, shape] of (["wide", "wide", "square", "square", "square"] as const).entries()) {
      for (const picture of await playback.push(unit(noise[shape], index))) keys.push(picture.key);
    }
    playback.close();
    // A picture whose size was not known to be even is left out; each size begins with a key frame.
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(keys[0]).toBe(true);
    expect(keys.slice(1)).toContain(true);
  });
});

describe("transcodes that are opened and closed", () => {
  it("leave nothing behind: 200 of them", async () => {
    const codec = new NativeCodec();
    const before = codec.load.open;
    for (let round = 0; round < 200; round++) {
      const playback = transcoding.openPlayback({ ...SPEC, width: 64, height: 36 }, 1);
      if (round % 20 === 0) await playback.push(unit(noise.wide));
      playback.close();
    }
    expect([transcoding.size, codec.load.open]).toEqual([0, before]);
  });
});
