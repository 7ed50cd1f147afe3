import { describe, expect, it } from "vitest";
import { OPUS_PACKET_BYTES_MAX, opusHeader, opusPacketSamples } from "../../src/live/codec/opus.js";

/** Samples at 48 kHz of a frame of each configuration (RFC 6716, table 2). */
const SILK = [480, 960, 1920, 2880];
const HYBRID = [480, 960];
const CELT = [120, 240, 480, 960];
const SAMPLES = [...SILK, ...SILK, ...SILK, ...HYBRID, ...HYBRID, ...CELT, ...CELT, ...CELT, ...CELT];

describe("a packet of Opus", () => {
  it.each(SAMPLES.map((samples, configuration) => [configuration, samples]))(
    "of configuration %i lasts %i samples a frame",
    (configuration, samples) => {
      const first = configuration * 8;
      expect(opusPacketSamples(Buffer.of(first))).toBe(samples);
      expect(opusPacketSamples(Buffer.of(first + 1))).toBe(2 * samples);
      expect(opusPacketSamples(Buffer.of(first + 2, 7))).toBe(2 * samples);
      const most = 5760 / samples;
      expect(opusPacketSamples(Buffer.of(first + 3, 0xc0 + Math.min(48, most)))).toBe(
        Math.min(48, most) * samples,
      );
    },
  );

  it("that would last longer than 120 ms is malformed, as is an empty one", () => {
    expect(opusPacketSamples(Buffer.of(8 * 3 + 3, 3))).toBe(0);
    expect(opusPacketSamples(Buffer.of(8 * 19 + 3, 7))).toBe(0);
    expect(opusPacketSamples(Buffer.of(3))).toBe(0);
    expect(opusPacketSamples(Buffer.alloc(0))).toBe(0);
  });

  it("has 48 frames of 1275 bytes and their lengths at the most", () => {
    expect(OPUS_PACKET_BYTES_MAX).toBeGreaterThan(48 * 1277);
  });
});

it("the header says version, channels and rate, and nothing to skip", () => {
  const header = opusHeader(2);
  expect(header.toString("latin1", 0, 8)).toBe("OpusHead");
  expect([...header.subarray(8, 12)]).toEqual([1, 2, 0, 0]);
  expect(header.readUInt32LE(12)).toBe(48_000);
  expect([...header.subarray(16)]).toEqual([0, 0, 0]);
});
