import { describe, expect, it } from "vitest";
import { g711ToPcm, pcmToG711 } from "../../../src/live/codec/g711.js";
import { VoiceEncoder } from "../../../src/page/wall/talk/voice-encoder.js";
import { hear, tonePcm } from "../../support/media/tone.js";

/** A tone as a microphone brings it, 128 samples at a time. */
function encoded(rate: number, frequency: number): Uint8Array {
  const pcm = tonePcm({ frequency, level: 0.5, rate, seconds: 1 });
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(2 * at) / 32_768);
  const encoder = new VoiceEncoder(rate);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += 128) pieces.push(encoder.push(samples.subarray(at, at + 128)));
  return Buffer.concat(pieces);
}

describe("what a microphone hears", () => {
  it.each([8000, 16_000, 44_100, 48_000, 96_000])("at %i Hz keeps its tone, level and length", (rate) => {
    const bytes = encoded(rate, 1000);
    const tone = hear(g711ToPcm([bytes.subarray(400)], "mu"), 8000);
    expect(tone.frequency).toBe(1000);
    expect(tone.level).toBeCloseTo(0.5, 1);
    expect(tone.purity).toBeGreaterThan(0.98);
    expect(Math.abs(bytes.length - 8000)).toBeLessThan(20);
  });

  it("has no tone left that 8 kHz cannot carry", () => {
    expect(hear(g711ToPcm([encoded(48_000, 6000).subarray(400)], "mu"), 8000).level).toBeLessThan(0.01);
  });

  it("is µ-law as the recorder has it, from silence to what is too loud", () => {
    const values = Array.from({ length: 2001 }, (_, at) => (at - 1000) / 1000);
    const pcm = Buffer.alloc(2 * values.length);
    for (const [at, value] of values.entries()) pcm.writeInt16LE(Math.round(value * 32_767), 2 * at);
    const encoder = new VoiceEncoder(8000);
    // Each value for so long that the filter has nothing to smooth.
    const own = values.map((value) => encoder.push(new Float32Array(64).fill(value)).at(-20) ?? 0);
    const both = [own, [...pcmToG711(pcm, "mu")]].map((bytes) =>
      Buffer.from(g711ToPcm([Uint8Array.from(bytes)], "mu")),
    );
    const [ours = Buffer.alloc(0), theirs = Buffer.alloc(0)] = both;
    for (let at = 0; at < ours.length; at += 2) {
      const expected = theirs.readInt16LE(at);
      expect(Math.abs(ours.readInt16LE(at) - expected)).toBeLessThanOrEqual(8 + Math.abs(expected) / 16);
    }
    expect(Math.max(...encoder.push(new Float32Array(64).fill(9)))).toBeLessThan(256);
  });
});
