import { describe, expect, it } from "vitest";
import { FrameGate } from "../../src/api/frame-gate.js";
import { Codec } from "../../src/live/index.js";

const unit = (...bytes: number[]): Uint8Array => Uint8Array.from([0, 0, 0, 1, ...bytes, 0, 0]);

/** Which of a whole key frame, a damaged frame holding `bytes`, a frame, a whole key frame a viewer gets. */
function admitted(codec: Codec, bytes: Uint8Array): boolean[] {
  const gate = new FrameGate(false);
  const key = { codec, key: true, damaged: false };
  const damaged = { codec, key: false, damaged: true };
  const other = { codec, key: false, damaged: false };
  return [gate.admit(key, []), gate.admit(damaged, [bytes]), gate.admit(other, []), gate.admit(key, [])];
}

describe("what is left of a damaged key frame shuts the gate until the next whole one", () => {
  it.each<[string, Codec, Uint8Array]>([
    ["H.264 IDR slice", Codec.H264, unit(0x65, 1)],
    ["H.264 SPS alone", Codec.H264, unit(0x67, 1)],
    ["H.265 IDR", Codec.H265, unit(19 << 1, 1)],
    ["MPEG-4 I-VOP", Codec.MPEG4, Uint8Array.from([0, 0, 1, 0xb6, 0x10])],
  ])("%s", (_what, codec, bytes) => expect(admitted(codec, bytes)).toEqual([true, false, false, true]));
});

describe("a damaged frame that is no key frame passes", () => {
  it.each<[string, Codec, Uint8Array]>([
    ["H.264 slice", Codec.H264, unit(0x41, 1)],
    ["H.265 slice", Codec.H265, unit(1 << 1, 1)],
    ["MPEG-4 P-VOP", Codec.MPEG4, Uint8Array.from([0, 0, 1, 0xb6, 0x50])],
  ])("%s", (_what, codec, bytes) => expect(admitted(codec, bytes)).toEqual([true, true, true, true]));
});

it("a damaged MJPEG picture is left out, the next whole one passes", () => {
  expect(admitted(Codec.MJPEG, Uint8Array.from([0xff, 0xd8]))).toEqual([true, false, false, true]);
});
