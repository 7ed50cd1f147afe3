import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HEADER_FIXED_BYTES,
  INITIALIZATION_BYTES_MAX,
  packProgress,
  packTrailer,
  readSegmentFraming,
  readTrailer,
  SegmentFormatError,
  unpackProgress,
} from "../../../src/archive/segment/segment-format.js";
import {
  codecsOfHead,
  moveHeader,
  packSegmentHeader,
  provisionalOffsetOf,
  type SegmentHeader,
  unpackSegmentHeader,
  volumeOfHead,
} from "../../../src/archive/segment/segment-header.js";
import { newGuid } from "../../../src/base/index.js";
import { AUDIO, newStreamKey, VIDEO } from "../../support/archive/archive-fixture.js";

const HEADER: SegmentHeader = {
  segmentId: 1_700_000_000_123_456,
  nonce: Uint8Array.from([9, 8, 7, 6, 5, 4, 3, 2]),
  volumeId: newGuid(),
  key: newStreamKey(),
  fragmentId: newGuid(),
  fragmentSequence: 7,
  bootId: newGuid(),
  epoch: 3,
  fromUs: 1_700_000_000_000_000,
  createdWallUs: 1_700_000_000_111_111,
  createdMonotonicUs: 42_000_000,
  provisional: true,
  moves: 0,
  video: VIDEO,
  audio: AUDIO,
};

describe("segment format", () => {
  it("reads back every member of a header", () => {
    const read = unpackSegmentHeader(packSegmentHeader(HEADER));
    expect({ ...read, nonce: Uint8Array.from(read.nonce) }).toEqual(HEADER);
  });

  it("reads back the parameters of picture and sound, each its own, and of those that are too long none", () => {
    const audio = {
      ...AUDIO,
      channels: 2,
      sampleRate: 48_000,
      initialization: Uint8Array.from([0x11, 0x90, 7]),
    };
    const read = (change: Partial<SegmentHeader>) =>
      unpackSegmentHeader(packSegmentHeader({ ...HEADER, audio, ...change }));
    expect(read({})).toMatchObject({ video: VIDEO, audio });
    expect(read({ video: undefined })).toMatchObject({ video: undefined, audio });
    const longest = new Uint8Array(INITIALIZATION_BYTES_MAX).fill(7);
    const found = read({ video: { ...VIDEO, initialization: longest } });
    expect([found.video?.initialization, found.audio]).toEqual([longest, audio]);
    const tooLong = new Uint8Array(INITIALIZATION_BYTES_MAX + 1);
    expect(read({ video: { ...VIDEO, initialization: tooLong } }).video?.initialization).toEqual(
      new Uint8Array(0),
    );
    expect(read({ video: { ...VIDEO, width: 70_000, height: 65_535 } }).video).toMatchObject({
      ...{ width: 65_535, height: 65_535 },
    });
  });

  it("counts the moves of a segment, and says on which volume it is, with the seed of its records", () => {
    const bytes = packSegmentHeader({ ...HEADER, moves: 254 });
    const { crcSeed } = readSegmentFraming(bytes);
    const volumeId = newGuid();
    for (const moves of [255, 255]) {
      moveHeader(bytes, volumeId);
      expect(unpackSegmentHeader(bytes)).toMatchObject({ moves, volumeId, segmentId: HEADER.segmentId });
    }
    expect(volumeOfHead(bytes)).toBe(volumeId);
    expect(readSegmentFraming(bytes).crcSeed).toBe(crcSeed);
  });

  it("knows how far a provisional segment's times are from the monotonic clock", () => {
    expect(provisionalOffsetOf(HEADER)).toBe(HEADER.createdWallUs - HEADER.createdMonotonicUs);
    expect(provisionalOffsetOf({ ...HEADER, provisional: false })).toBeUndefined();
  });

  it.each([
    ["both", HEADER, { video: VIDEO.codec, audio: AUDIO.codec }],
    ["no audio", { ...HEADER, audio: undefined }, { video: VIDEO.codec, audio: 0 }],
    ["no video", { ...HEADER, video: undefined }, { video: 0, audio: AUDIO.codec }],
  ])("tells the codecs by the fixed part of a header alone: %s", (_name, header, codecs) => {
    expect(codecsOfHead(packSegmentHeader(header).subarray(0, HEADER_FIXED_BYTES))).toEqual(codecs);
  });

  it("leaves out the audio parameters of a stream without audio", () => {
    expect(unpackSegmentHeader(packSegmentHeader({ ...HEADER, audio: undefined })).audio).toBeUndefined();
  });

  it("refuses a newer format and says so", () => {
    const bytes = packSegmentHeader(HEADER);
    bytes.writeUInt32LE(2, 8);
    expect(() => readSegmentFraming(bytes)).toThrow(/newer/);
  });

  it("notices any flipped bit of a header", () => {
    const whole = packSegmentHeader(HEADER);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => readSegmentFraming(bytes)).toThrow(SegmentFormatError);
    }
  });

  it("notices a header cut at any byte", () => {
    const whole = packSegmentHeader(HEADER);
    for (let length = 0; length < whole.length; length++) {
      expect(() => readSegmentFraming(whole.subarray(0, length))).toThrow(SegmentFormatError);
    }
  });

  it("reads back sync marks with any GOP table", () => {
    const framing = readSegmentFraming(packSegmentHeader(HEADER));
    const gop = fc.record({
      step: fc.integer({ min: 0, max: 1e7 }),
      bytes: fc.integer({ min: 0, max: 1e8 }),
      frames: fc.integer({ min: 1, max: 10_000 }),
      damaged: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(gop, { maxLength: 50 }), fc.nat(), fc.nat(), (steps, synced, frames) => {
        let decodeTimeUs = HEADER.fromUs;
        let offset = 0;
        const gops = steps.map((step) => {
          decodeTimeUs += step.step;
          offset += step.bytes;
          return { decodeTimeUs, offset, frames: step.frames, damaged: step.damaged };
        });
        const progress = {
          ...{
            syncedBytes: synced,
            previousMark: 5,
            toUs: decodeTimeUs + 1,
            videoFrames: frames,
            audioFrames: 2,
          },
          ...{ continuedFrames: 1, continuedDamaged: true, gops },
        };
        expect(unpackProgress(packProgress(progress, framing), framing)).toEqual(progress);
      }),
    );
  });

  it("never throws anything but SegmentFormatError on foreign bytes", () => {
    const framing = readSegmentFraming(packSegmentHeader(HEADER));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const payload = Buffer.concat([framing.nonce, bytes]);
        for (const run of [
          () => unpackProgress(payload, framing),
          () => readSegmentFraming(Buffer.from(bytes)),
        ]) {
          try {
            run();
          } catch (error) {
            expect(error).toBeInstanceOf(SegmentFormatError);
          }
        }
      }),
    );
  });

  it("finds the footer by a trailer of this segment only", () => {
    const framing = readSegmentFraming(packSegmentHeader(HEADER));
    const other = readSegmentFraming(packSegmentHeader({ ...HEADER, segmentId: HEADER.segmentId + 1 }));
    const trailer = packTrailer(12_345, framing.crcSeed);
    expect(readTrailer(trailer, framing.crcSeed)).toBe(12_345);
    expect(readTrailer(trailer, other.crcSeed)).toBeUndefined();
  });
});
