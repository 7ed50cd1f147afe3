import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AudioFormat, Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { opusHeader } from "../../../src/live/codec/opus.js";
import { codecString } from "../../../src/player/mp4/codec-string.js";
import { sampleEntry } from "../../../src/player/mp4/sample-entry.js";

const video = (codec: Codec, initialization: Uint8Array): VideoFormat => ({
  codec,
  width: 64,
  height: 48,
  initialization,
});
const audio = (codec: Codec, initialization = new Uint8Array(0)): AudioFormat => ({
  codec,
  sampleRate: 8000,
  channels: 1,
  initialization,
});

const H264 = Buffer.from("00000001674d001ef40501ec800000000168ee3c80", "hex");
/** x265's sets of a 64x48 picture: Main profile, level 3.1 (93). */
const H265 = Buffer.from(
  "0000000140010c01ffff01600000030090000003000003005dba0240" +
    "0000000142010101600000030090000003000003005da0041031636ba4b2e4" +
    "000000014401c172b46240",
  "hex",
);
const AAC = Uint8Array.from([0x15, 0x88]);

describe("a sample entry", () => {
  it.each([
    [video(Codec.H264, H264), "avc1"],
    [video(Codec.H265, H265), "hvc1"],
    [video(Codec.MPEG4, Buffer.from("000001b001", "hex")), "mp4v"],
    [video(Codec.MJPEG, new Uint8Array(0)), "mp4v"],
    [audio(Codec.AAC, AAC), "mp4a"],
    [audio(Codec.PCMU), "ulaw"],
    [audio(Codec.PCMA), "alaw"],
    [audio(Codec.L16), "twos"],
    [audio(Codec.OPUS, Uint8Array.from(opusHeader(2))), "Opus"],
  ])("of %j is %s", (format, type) => {
    expect(sampleEntry(format).toString("latin1", 4, 8)).toBe(type);
  });

  it("takes the parameter sets from a key frame if the format has none", () => {
    const keyFrame = Buffer.concat([H264, Buffer.from("0000000165888040", "hex")]);
    const format = video(Codec.H264, new Uint8Array(0));
    expect(sampleEntry(format, keyFrame)).toEqual(sampleEntry(video(Codec.H264, H264)));
  });

  it.each([
    video(Codec.H264, new Uint8Array(0)),
    video(Codec.H265, H264),
    video(Codec.MPEG4, new Uint8Array(0)),
    audio(Codec.AAC),
    audio(Codec.OPUS),
  ])("is refused where a decoder could not be told what it must know: %j", (format) => {
    expect(() => sampleEntry(format)).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
  });

  it("is created or refused, whatever a camera sends as parameter sets", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(Codec.H264, Codec.H265, Codec.MPEG4, Codec.AAC),
        fc.array(fc.oneof(fc.constantFrom(0, 0, 1, 0x67, 0x68, 0x40, 0x42, 0x44), fc.nat(255)), {
          maxLength: 80,
        }),
        (codec, bytes) => {
          const initialization = Uint8Array.from(bytes);
          const format = codec === Codec.AAC ? audio(codec, initialization) : video(codec, initialization);
          try {
            const entry = sampleEntry(format);
            expect(entry.readUInt32BE(0)).toBe(entry.length);
          } catch (error) {
            expect(error).toMatchObject({ code: "NOT_SUPPORTED" });
          }
          codecString(format);
        },
      ),
    );
  });
});

describe("a codec string", () => {
  it.each([
    [video(Codec.H264, H264), "avc1.4d001e"],
    [video(Codec.H265, H265), "hvc1.1.6.L93.90"],
    [video(Codec.MJPEG, new Uint8Array(0)), "mp4v.6C"],
    [audio(Codec.AAC, AAC), "mp4a.40.2"],
    [video(Codec.H264, new Uint8Array(0)), undefined],
  ])("of %j is %s", (format, text) => {
    expect(codecString(format)).toBe(text);
  });
});
