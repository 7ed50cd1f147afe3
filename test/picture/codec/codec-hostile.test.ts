// Own process: it measures the memory of its process, to which it gives hostile input.
import { beforeAll, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { CodecError, type CodedUnit, NativeCodec, type Picture } from "../../../src/picture/index.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { type CodedClip, codedClip, psnr } from "../../support/media/coded-clip.js";

const codec = new NativeCodec({ threads: 2 });
const CODECS = [
  ["H.264", Codec.H264],
  ["H.265", Codec.H265],
  ["MPEG-4", Codec.MPEG4],
  ["MJPEG", Codec.MJPEG],
] as const;
const clips = new Map<Codec, CodedClip>();

beforeAll(async () => {
  for (const [, number] of CODECS) {
    const flags = number === Codec.MJPEG ? ["-pix_fmt", "yuvj420p"] : ["-bf", "0", "-g", "12"];
    const options = { codec: number, width: 192, height: 108, frames: 6, flags };
    clips.set(number, await codedClip(options));
  }
});

function clipOf(number: Codec): CodedClip {
  const clip = clips.get(number);
  if (clip === undefined) throw new Error("no clip");
  return clip;
}

function bytesOf(unit: CodedUnit | undefined): Buffer {
  return Buffer.concat(unit?.bytes ?? []);
}

function withBytes(unit: CodedUnit | undefined, bytes: Uint8Array): CodedUnit {
  if (unit === undefined) throw new Error("no unit");
  return { ...unit, bytes: [bytes] };
}

/** The still of `units`, or the error it gave, which must be a CodecError. */
async function stillOrError(number: Codec, units: readonly CodedUnit[]): Promise<Picture | CodecError> {
  try {
    const targets = [{ form: "yuv420" }] as const;
    const [picture] = await codec.decodeStill({ format: clipOf(number).format, units, targets });
    if (picture === undefined) throw new Error("neither a picture nor an error");
    return picture;
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    return error as CodecError;
  }
}

async function whole(number: Codec, units: readonly CodedUnit[]): Promise<Picture> {
  const picture = await stillOrError(number, units);
  if (picture instanceof CodecError) throw picture;
  return picture;
}

describe.each(CODECS)("%s", (_name, number) => {
  it("a cut-off key frame gives an error or a picture marked as damaged", async () => {
    const [key] = clipOf(number).units;
    const bytes = bytesOf(key);
    const truth = await whole(number, [withBytes(key, bytes)]);
    const random = new SeededRandom(number);
    for (let turn = 0; turn < 25; turn += 1) {
      const cut = random.between(1, Math.floor(bytes.length * 0.9));
      const result = await stillOrError(number, [withBytes(key, bytes.subarray(0, cut))]);
      if (result instanceof CodecError) expect(["corrupt", "too-large"]).toContain(result.kind);
      // libavcodec's H.265 decoder does not notice a slice that ends early.
      else if (number !== Codec.H265 && psnr(result.data, truth.data) < 60)
        expect({ cut, damaged: result.damaged }).toEqual({ cut, damaged: true });
    }
  });

  it("bytes changed at random give an error or a picture, and the next one is whole again", async () => {
    const { units } = clipOf(number);
    const truth = await whole(number, units);
    for (let seed = 0; seed < 40; seed += 1) {
      const random = new SeededRandom(1000 * number + seed);
      const broken = units.map((unit) => {
        const bytes = bytesOf(unit);
        for (let change = random.between(0, 4); change > 0; change -= 1)
          bytes[random.below(bytes.length)] = random.below(256);
        return withBytes(unit, bytes);
      });
      await stillOrError(number, broken);
    }
    expect((await whole(number, units)).data).toEqual(truth.data);
  });

  it("random bytes are an error of the kind corrupt", async () => {
    const random = new SeededRandom(7 + number);
    const noise = Uint8Array.from({ length: 20_000 }, () => random.below(256));
    const result = await stillOrError(number, [withBytes(clipOf(number).units[0], noise)]);
    expect(result).toMatchObject({ name: "CodecError", kind: "corrupt" });
  });

  it("a decoder continues after a broken unit, and is undamaged from the next key frame on", async () => {
    const { units, format } = clipOf(number);
    const decoder = codec.openVideoDecoder(format);
    const targets = [{ form: "yuv420" }] as const;
    const truth = await decoder.decode(units[0] as CodedUnit, targets);
    await decoder
      .decode(withBytes(units[1], new Uint8Array(500).fill(0xa5)), targets)
      .catch((error: unknown) => {
        expect(error).toMatchObject({ name: "CodecError", kind: "corrupt" });
      });
    const after = [
      ...(await decoder.decode(units[0] as CodedUnit, targets)),
      ...(await decoder.flush(targets)),
    ].flat();
    decoder.close();
    const first = [...truth.flat(), ...after][0];
    expect(after.at(-1)?.damaged).toBe(false);
    expect(after.at(-1)?.data).toEqual(first?.data);
  });
});

it("what comes after a damaged key frame is marked, up to the next one", async () => {
  const { units, format } = clipOf(Codec.H264);
  const decoder = codec.openVideoDecoder(format);
  const key = bytesOf(units[0]);
  const stream = [
    withBytes(units[0], key.subarray(0, key.length / 2)),
    ...units.slice(1, 4),
    units[0] as CodedUnit,
  ];
  const damaged: boolean[] = [];
  for (const unit of stream)
    damaged.push(
      ...(await decoder.decode(unit, [{ form: "gray" }])).flat().map((picture) => picture.damaged),
    );
  damaged.push(...(await decoder.flush([{ form: "gray" }])).flat().map((picture) => picture.damaged));
  decoder.close();
  expect(damaged).toEqual([true, true, true, true, false]);
});

describe("bounds", () => {
  /** Bits of a sequence parameter set; `ue` is Exp-Golomb (H.264, 9.1). */
  const ue = (value: number) => {
    const bits = (value + 1).toString(2);
    return "0".repeat(bits.length - 1) + bits;
  };
  const packed = (bits: string) =>
    Buffer.from(
      (`${bits}1`.padEnd(Math.ceil((bits.length + 1) / 8) * 8, "0").match(/.{8}/g) ?? []).map((byte) =>
        Number.parseInt(byte, 2),
      ),
    );
  const startCode = Buffer.from([0, 0, 0, 1]);

  it("a H.264 stream of 16384 x 16384 is refused before it costs memory", async () => {
    // 7.3.2.1.1: baseline, level 5.1, POC type 2, one reference, no gaps, 1024 x 1024 macroblocks.
    const sps = packed(`${ue(0)}${ue(0)}${ue(2)}${ue(1)}0${ue(1023)}${ue(1023)}1100`);
    const bytes = bytesOf(clipOf(Codec.H264).units[0]);
    const pps = bytes.indexOf(Buffer.from([0, 0, 1, 0x68]));
    const large = Buffer.concat([startCode, Buffer.from([0x67, 66, 0, 51]), sps, bytes.subarray(pps - 1)]);
    const before = process.memoryUsage.rss();
    const result = await stillOrError(Codec.H264, [withBytes(clipOf(Codec.H264).units[0], large)]);
    expect(result).toBeInstanceOf(CodecError);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("a H.265 stream of 16000 x 16000 is too large by its parameter set alone", async () => {
    // 7.3.2.2.1: no sub-layers, profile_tier_level of 96 bits without emulation, 4:2:0.
    const sps = packed(
      `0000 000 1 ${"10".repeat(48)} ${ue(0)}${ue(1)}${ue(16_000)}${ue(16_000)}`.replaceAll(" ", ""),
    );
    const unit = Buffer.concat([startCode, Buffer.from([0x42, 0x01]), sps]);
    const result = await stillOrError(Codec.H265, [withBytes(clipOf(Codec.H265).units[0], unit)]);
    expect(result).toMatchObject({ kind: "too-large", message: "a picture of 16000x16000 is too large" });
  });

  it("a JPEG of 60000 x 60000 is refused", async () => {
    const bytes = bytesOf(clipOf(Codec.MJPEG).units[0]);
    const header = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(60_000, header + 5);
    bytes.writeUInt16BE(60_000, header + 7);
    const result = await stillOrError(Codec.MJPEG, [withBytes(clipOf(Codec.MJPEG).units[0], bytes)]);
    expect(result).toBeInstanceOf(CodecError);
  });

  it("a unit of more than 8192 NAL units is too large", async () => {
    const nals = Buffer.alloc(4 * 9000);
    for (let at = 0; at < nals.length; at += 4) nals.writeUInt32BE(0x00000109, at);
    const result = await stillOrError(Codec.H264, [withBytes(clipOf(Codec.H264).units[0], nals)]);
    expect(result).toMatchObject({ kind: "too-large" });
  });

  it("a unit of more than 16 MiB is too large, and an empty one corrupt", async () => {
    const [unit] = clipOf(Codec.H264).units;
    expect(await stillOrError(Codec.H264, [withBytes(unit, new Uint8Array(17 * 1024 * 1024))])).toMatchObject(
      { kind: "too-large" },
    );
    expect(await stillOrError(Codec.H264, [withBytes(unit, new Uint8Array(0))])).toMatchObject({
      kind: "corrupt",
    });
  });

  it("work that exceeds its time limit is given up", async () => {
    const { format, units } = clipOf(Codec.H264);
    // Only what follows the last key frame is decoded: the others must be many.
    const [key, ...others] = units;
    const long = Array.from(
      { length: 2000 },
      (_, at) => (at === 0 ? key : others[at % others.length]) as CodedUnit,
    );
    const decoding = codec.decodeStill({ format, units: long, targets: [], timeoutMs: 1 });
    await expect(decoding).rejects.toMatchObject({ name: "CodecError", kind: "timeout" });
  });

  it("more than eight targets for one picture are refused", async () => {
    const { format, units } = clipOf(Codec.H264);
    const targets = Array.from({ length: 9 }, () => ({ form: "rgb" }) as const);
    await expect(codec.decodeStill({ format, units, targets })).rejects.toThrow(RangeError);
  });
});
