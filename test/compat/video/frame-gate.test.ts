import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { FrameGate } from "../../../src/player/video/frame-gate.js";

const codec = Codec.H264;
const KEY = { codec, key: true, undecodable: false };
const FRAME = { codec, key: false, undecodable: false };
const UNDECODABLE = { codec, key: false, undecodable: true };
const SOUND = { codec: Codec.PCMU, key: true, undecodable: false };

describe("the frame gate", () => {
  it("opens at a whole key frame", () => {
    const gate = new FrameGate(false);
    expect([FRAME, KEY, FRAME].map((frame) => gate.admit(frame))).toEqual([false, true, true]);
  });

  it("shuts at an undecodable frame until the next whole key frame", () => {
    const gate = new FrameGate(true);
    const frames = [KEY, UNDECODABLE, FRAME, SOUND, KEY, FRAME, SOUND];
    expect(frames.map((frame) => gate.admit(frame))).toEqual([true, false, false, false, true, true, true]);
  });
});
