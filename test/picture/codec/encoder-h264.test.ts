// Own process: it measures the memory of its process.
import { afterEach, describe, expect, it } from "vitest";
import {
  type EncodedUnit,
  NativeCodec,
  type Picture,
  type VideoEncoder,
} from "../../../src/picture/index.js";
import { ffmpegFilter } from "../../support/media/tone.js";

const CODEC = new NativeCodec();
const OPENED: VideoEncoder[] = [];

afterEach(() => {
  for (const encoder of OPENED.splice(0)) encoder.close();
});

interface Size {
  readonly width: number;
  readonly height: number;
}

function open(
  options: Size & { framesPerSecond?: number; bitsPerSecond?: number; gopLength?: number },
): VideoEncoder {
  const encoder = CODEC.openVideoEncoder({
    framesPerSecond: 25,
    bitsPerSecond: 1_000_000,
    gopLength: 50,
    ...options,
  });
  if (encoder === undefined) throw new Error("no H.264 encoder");
  OPENED.push(encoder);
  return encoder;
}

/** Pictures that move, as ffmpeg makes them. */
async function footage({ width, height }: Size, count: number): Promise<Picture[]> {
  const source = `testsrc2=size=${width}x${height}:rate=25`;
  const args = [
    "-f",
    "lavfi",
    "-i",
    source,
    "-frames:v",
    `${count}`,
    "-pix_fmt",
    "yuv420p",
    "-f",
    "rawvideo",
    "pipe:1",
  ];
  const raw = await ffmpegFilter(args, Buffer.alloc(0));
  const bytes = raw.length / count;
  return Array.from({ length: count }, (_, at) => ({
    form: "yuv420",
    width,
    height,
    timeUs: 1_000_000 + at * 40_000,
    damaged: false,
    sourceWidth: width,
    sourceHeight: height,
    data: raw.subarray(at * bytes, (at + 1) * bytes),
  }));
}

async function encode(encoder: VideoEncoder, pictures: readonly Picture[], forced: readonly number[] = []) {
  const units: EncodedUnit[] = [];
  for (const [at, picture] of pictures.entries()) {
    const out = await encoder.encode(picture, forced.includes(at));
    expect(out).toHaveLength(1); // nothing is held back
    units.push(...out);
  }
  return units;
}

const bytesOf = (units: readonly EncodedUnit[]): Buffer => Buffer.concat(units.map((unit) => unit.data));

/** ffmpeg's decode of an Annex B stream, frame by frame; it must not complain. */
async function decoded(units: readonly EncodedUnit[], { width, height }: Size): Promise<Buffer[]> {
  const args = ["-f", "h264", "-i", "pipe:0", "-pix_fmt", "yuv420p", "-f", "rawvideo", "pipe:1"];
  const raw = await ffmpegFilter(args, bytesOf(units));
  const bytes = (width * height * 3) / 2;
  return Array.from({ length: raw.length / bytes }, (_, at) => raw.subarray(at * bytes, (at + 1) * bytes));
}

function psnr(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of one.entries()) sum += (byte - (other[at] ?? 0)) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / one.length));
}

/** Types of the NAL units of an Annex B unit. */
function nalTypes(data: Uint8Array): number[] {
  const types: number[] = [];
  for (let at = 0; at + 3 < data.length; at++)
    if (data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 1) types.push((data[at + 3] ?? 0) & 31);
  return types;
}

describe("the H.264 encoder", () => {
  it("keeps the picture: ffmpeg decodes it with a PSNR above 32 dB", async () => {
    const size = { width: 640, height: 360 };
    const pictures = await footage(size, 30);
    const units = await encode(open({ ...size, bitsPerSecond: 3_000_000 }), pictures);
    const again = await decoded(units, size);
    expect(again).toHaveLength(30);
    for (const [at, frame] of again.entries())
      expect(psnr(frame, pictures[at]?.data ?? expect.fail())).toBeGreaterThan(32);
  });

  it("returns each frame at once, with its time, without B-frames, in the constrained baseline profile", async () => {
    const size = { width: 320, height: 240 };
    const pictures = await footage(size, 60);
    const units = await encode(open({ ...size, gopLength: 25 }), pictures);
    expect(units.map((unit) => unit.timeUs)).toEqual(pictures.map((picture) => picture.timeUs));
    expect(units.flatMap((unit, at) => (unit.key ? [at] : []))).toEqual([0, 25, 50]);
    const first = units[0]?.data ?? new Uint8Array(0);
    expect([...first.subarray(0, 5)]).toEqual([0, 0, 0, 1, 0x67]);
    expect(first[5]).toBe(66); // profile_idc: baseline
    expect((first[6] ?? 0) & 0x40).toBe(0x40); // constraint_set1_flag
  });

  it("puts SPS and PPS before each key frame, and makes one when it is asked to", async () => {
    const size = { width: 320, height: 240 };
    const units = await encode(open(size), await footage(size, 20), [7, 13]);
    expect(units.flatMap((unit, at) => (unit.key ? [at] : []))).toEqual([0, 7, 13]);
    for (const unit of units) {
      const types = nalTypes(unit.data);
      if (unit.key) expect(types.filter((type) => [5, 7, 8].includes(type)).slice(0, 3)).toEqual([7, 8, 5]);
      else expect(types).not.toContain(5);
    }
    // A decoder that joins at the forced one begins there.
    expect(await decoded(units.slice(13), size)).toHaveLength(7);
  });

  it("keeps to its bit rate", async () => {
    const size = { width: 640, height: 360 };
    const pictures = await footage(size, 100);
    for (const bitsPerSecond of [200_000, 1_000_000]) {
      const units = await encode(open({ ...size, bitsPerSecond }), pictures);
      // Four seconds, and the buffer of one more.
      expect(bytesOf(units).length * 8).toBeLessThan(bitsPerSecond * 5);
    }
  });

  it("crops odd sides to even ones", async () => {
    const size = { width: 161, height: 91 };
    const chroma = 2 * 81 * 46;
    const data = new Uint8Array(161 * 91 + chroma).fill(100, 0, 161 * 91).fill(128, 161 * 91);
    const picture = {
      form: "yuv420",
      ...size,
      timeUs: 0,
      damaged: false,
      sourceWidth: 161,
      sourceHeight: 91,
      data,
    } as const;
    const again = await decoded(await encode(open(size), [picture]), { width: 160, height: 90 });
    expect(again).toHaveLength(1);
    expect(Math.abs((again[0]?.[80 * 45] ?? 0) - 100)).toBeLessThan(3);
  });

  it("refuses pictures of another size or form, sizes out of bounds, and all work once it is closed", async () => {
    const [picture] = await footage({ width: 320, height: 240 }, 1);
    if (picture === undefined) throw new Error("no picture");
    const encoder = open({ width: 640, height: 360 });
    await expect(encoder.encode(picture)).rejects.toMatchObject({ kind: "unsupported" });
    await expect(open({ width: 320, height: 240 }).encode({ ...picture, form: "rgb" })).rejects.toMatchObject(
      {
        kind: "unsupported",
      },
    );
    const short = { ...picture, data: picture.data.subarray(1) };
    await expect(open({ width: 320, height: 240 }).encode(short)).rejects.toMatchObject({
      kind: "unsupported",
    });
    const huge = { ...picture, width: 8192, height: 8192 };
    await expect(open({ width: 8192, height: 8192 }).encode(huge)).rejects.toMatchObject({
      kind: "too-large",
    });
    encoder.close();
    await expect(encoder.encode({ ...picture, width: 640, height: 360 })).rejects.toMatchObject({
      kind: "closed",
    });
  });

  it("leaves nothing behind when it is opened and closed hundreds of times", async () => {
    const [picture] = await footage({ width: 64, height: 48 }, 1);
    if (picture === undefined) throw new Error("no picture");
    const round = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) {
        const encoder = CODEC.openVideoEncoder({
          width: 64,
          height: 48,
          framesPerSecond: 5,
          bitsPerSecond: 50_000,
          gopLength: 5,
        });
        await encoder?.encode(picture);
        encoder?.close();
      }
    };
    await round(100);
    const before = process.memoryUsage().rss;
    await round(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
    expect(CODEC.load.open).toBe(0);
  });
});
