import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { conversionLack } from "../../../src/owner/file/conversion-lack.js";
import { patience } from "../../../src/owner/file/patience.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

describe("what is missing to convert", () => {
  it("is nothing where the codec and its encoder are there", async () => {
    expect(await conversionLack(new NativeCodec())).toBe("None");
  });

  it("is the codec where that is not installed", async () => {
    expect(
      await conversionLack(new NativeCodec({ addon: { functions: {}, missing: "no libavcodec" } })),
    ).toBe("Codec");
  });

  it("is the encoder where libavcodec has none of H.264", async () => {
    const codec = new NativeCodec();
    const without = {
      openVideoDecoder: codec.openVideoDecoder.bind(codec),
      openSoundTranscoder: codec.openSoundTranscoder.bind(codec),
      openVideoEncoder: () => undefined,
    };
    expect(await conversionLack(without)).toBe("Encoder");
  });
});

describe("work of the codec", () => {
  it("is done later where the codec is busy", async () => {
    const clock = new SimulatedClock();
    let tries = 0;
    const done = patience(
      clock,
      new AbortController().signal,
    )(async () => {
      tries += 1;
      if (tries < 3) throw new NvrdError("NOT_AVAILABLE", "the queue is full", { retryAfterMs: 1000 });
      return tries;
    });
    await clock.advanceSlowly(3_000_000, 500_000);
    expect(await done).toBe(3);
  });
});
