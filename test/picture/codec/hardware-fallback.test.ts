import { describe, expect, it } from "vitest";
import { TEST_CLIPS } from "../../../src/picture/codec/hardware-clip.js";
import {
  FallbackVideoDecoder,
  FallbackVideoEncoder,
  HARDWARE_FAILURES_MAX,
  HARDWARE_SILENT_UNITS_MAX,
} from "../../../src/picture/codec/hardware-fallback.js";
import {
  CodecError,
  type CodedUnit,
  NativeCodec,
  type Picture,
  type VideoDecoder,
  type VideoEncoder,
} from "../../../src/picture/index.js";

const CODEC = new NativeCodec();
const [CLIP] = TEST_CLIPS;
if (CLIP === undefined) throw new Error("no test clip");
const GRAY = { form: "gray", width: 32, height: 24 } as const;
const UNITS: readonly CodedUnit[] = CLIP.units.map((bytes, at) => ({
  bytes: [bytes],
  key: at === 0,
  decodeTimeUs: at * 200_000,
  presentationOffsetUs: 0,
}));
const BROKEN: CodedUnit = {
  bytes: [Buffer.alloc(400, 0xa5)],
  key: true,
  decodeTimeUs: 0,
  presentationOffsetUs: 0,
};

/** A hardware decoder that works until `fails` is set. */
function hardwareDecoder(fails: (call: number) => "error" | "nothing" | undefined) {
  const real = CODEC.openVideoDecoder(CLIP?.format ?? expect.fail("no clip"));
  let call = 0;
  const state = { closed: false };
  const decoder: VideoDecoder = {
    name: "h264_hardware",
    busyUs: 0,
    decode: async (unit, targets, skip) => {
      const failure = fails(call++);
      if (failure === "error") throw new CodecError("internal", "the driver says no");
      const out = await real.decode(unit, targets, skip);
      return failure === "nothing" ? [] : out;
    },
    flush: (targets) => real.flush(targets),
    close: () => {
      state.closed = true;
      real.close();
    },
  };
  return { decoder, state };
}

function fallback(hardware: VideoDecoder) {
  const failures: string[] = [];
  const decoder = new FallbackVideoDecoder({
    hardware,
    openSoftware: () => CODEC.openVideoDecoder(CLIP?.format ?? expect.fail("no clip")),
    onFailure: (reason) => failures.push(reason),
  });
  return { decoder, failures };
}

async function decodeClip(decoder: VideoDecoder): Promise<number> {
  let pictures = 0;
  for (const unit of UNITS) pictures += (await decoder.decode(unit, [GRAY])).length;
  return pictures;
}

describe("a hardware decoder in use", () => {
  it("is the one in use as long as it works", async () => {
    const { decoder, failures } = fallback(hardwareDecoder(() => undefined).decoder);
    expect(await decodeClip(decoder)).toBe(5);
    expect(decoder.name).toBe("h264_hardware");
    expect(failures).toEqual([]);
    decoder.close();
  });

  it("is replaced by software at the key frame on which it fails, which is still shown", async () => {
    const { decoder: hardware, state } = hardwareDecoder((call) => (call >= 5 ? "error" : undefined));
    const { decoder, failures } = fallback(hardware);
    expect(await decodeClip(decoder)).toBe(5);
    expect(await decodeClip(decoder)).toBe(5);
    expect(decoder.name).toBe("h264");
    expect(state.closed).toBe(true);
    expect(failures).toEqual(["the driver says no"]);
    decoder.close();
  });

  it("is replaced when it repeatedly fails between key frames", async () => {
    const { decoder, failures } = fallback(
      hardwareDecoder((call) => (call > 0 ? "error" : undefined)).decoder,
    );
    const [key, delta] = UNITS;
    if (key === undefined || delta === undefined) throw new Error("no units");
    await decoder.decode(key, [GRAY]);
    for (let at = 0; at < HARDWARE_FAILURES_MAX; at++)
      await expect(decoder.decode(delta, [GRAY])).rejects.toThrow("the driver says no");
    expect(failures).toHaveLength(1);
    expect(await decodeClip(decoder)).toBe(5);
    decoder.close();
  });

  it("is replaced when it returns no pictures", async () => {
    const { decoder, failures } = fallback(hardwareDecoder(() => "nothing").decoder);
    for (let at = 0; at < HARDWARE_SILENT_UNITS_MAX; at += UNITS.length) await decodeClip(decoder);
    expect(failures).toEqual(["it shows nothing"]);
    expect(await decodeClip(decoder)).toBe(5);
    decoder.close();
  });

  it("is not blamed for what software does not decode either", async () => {
    const { decoder, failures } = fallback(
      hardwareDecoder((call) => (call === 0 ? "error" : undefined)).decoder,
    );
    await expect(decoder.decode(BROKEN, [GRAY])).rejects.toThrow("the driver says no");
    expect(failures).toEqual([]);
    expect(await decodeClip(decoder)).toBe(5);
    expect(decoder.name).toBe("h264_hardware");
    decoder.close();
  });
});

describe("a codec that has hardware to choose", () => {
  it("opens it for streams, goes over to software when it fails, and asks for it no more", async () => {
    const failed: string[] = [];
    const codec = new NativeCodec({
      hardware: {
        decoderFor: () => (failed.length === 0 ? "h264_v4l2m2m" : undefined),
        encoder: undefined,
        failed: (kind, name) => failed.push(`${kind} ${name}`),
      },
    });
    const decoder = codec.openVideoDecoder(CLIP.format);
    expect(decoder.name).toBe("h264_v4l2m2m");
    // There is no such device here: it fails at the first key frame.
    expect(await decodeClip(decoder)).toBe(5);
    expect(decoder.name).toBe("h264");
    expect(failed).toEqual(["decoder h264_v4l2m2m"]);
    decoder.close();
    const next = codec.openVideoDecoder(CLIP.format);
    expect(next.name).toBe("h264");
    next.close();
  });
});

describe("a hardware encoder in use", () => {
  const options = { width: 320, height: 240, framesPerSecond: 5, bitsPerSecond: 500_000, gopLength: 50 };

  it("is replaced by software, beginning with a key frame, when it fails", async () => {
    const open = (): VideoEncoder => CODEC.openVideoEncoder(options) ?? expect.fail("no encoder");
    const real = open();
    let call = 0;
    const hardware: VideoEncoder = {
      name: "h264_hardware",
      encode: async (picture, forceKey) => {
        if (call++ >= 3) throw new CodecError("internal", "the driver says no");
        return real.encode(picture, forceKey);
      },
      close: () => real.close(),
    };
    const failures: string[] = [];
    const encoder = new FallbackVideoEncoder({
      hardware,
      openSoftware: open,
      onFailure: (reason) => failures.push(reason),
    });
    const data = new Uint8Array((320 * 240 * 3) / 2).fill(128);
    const keys: boolean[] = [];
    for (let at = 0; at < 6; at++) {
      const picture: Picture = {
        form: "yuv420",
        width: 320,
        height: 240,
        timeUs: at,
        damaged: false,
        sourceWidth: 320,
        sourceHeight: 240,
        data,
      };
      keys.push(...(await encoder.encode(picture)).map((unit) => unit.key));
    }
    expect(keys).toEqual([true, false, false, true, false, false]);
    expect(encoder.name).toBe("libx264");
    expect(failures).toEqual(["the driver says no"]);
    encoder.close();
  });
});
