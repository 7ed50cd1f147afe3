import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const T = 3600;
/** Headers of ffmpeg's encoder for 160x120 (ISO/IEC 14496-2, 6.2.3). */
const CONFIG = Buffer.from("000001b0f1000001b5a913000001000000012008d48d0800cd05040f14103f", "hex");
const OPTIONS = { codec: Codec.MPEG4, fmtp: { config: CONFIG.toString("hex") } };

/** A VOP: 0x10 begins an I-VOP, 0x50 a P-VOP. */
function vop(type: "I" | "P", length: number, seed = 1): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 1, 0xb6, type === "I" ? 0x10 : 0x50]), filler(length, seed)]);
}

describe("MPEG-4 Part 2 packets", () => {
  it("puts the SDP's config before an I-VOP that has none", () => {
    const track = new TrackHarness(OPTIONS).send({ timestamp: 0, marker: true }, vop("I", 50)).flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([CONFIG, vop("I", 50)]));
    expect(track.frames[0]?.format).toMatchObject({ width: 160, height: 120 });
  });

  it("takes the config in-band, and keeps it for later I-VOPs", () => {
    const track = new TrackHarness({ codec: Codec.MPEG4 });
    track.send({ timestamp: 0, marker: true }, Buffer.concat([CONFIG, vop("I", 50)]));
    track.send({ timestamp: T, marker: true }, vop("I", 40)).flush();
    expect(track.frames[0]?.bytes).toEqual(Buffer.concat([CONFIG, vop("I", 50)]));
    expect(track.frames[1]?.bytes).toEqual(Buffer.concat([CONFIG, vop("I", 40)]));
    expect(track.frames[1]?.format).toBe(track.frames[0]?.format);
  });

  it("puts a VOP together from several packets", () => {
    const whole = vop("I", 3000);
    const track = new TrackHarness(OPTIONS);
    track.send({ timestamp: 0 }, whole.subarray(0, 1400)).send({ timestamp: 0 }, whole.subarray(1400, 2800));
    track
      .send({ timestamp: 0, marker: true }, whole.subarray(2800))
      .send({ timestamp: T, marker: true }, vop("P", 20));
    track.flush();
    expect(track.frames.map((frame) => frame.bytes)).toEqual([Buffer.concat([CONFIG, whole]), vop("P", 20)]);
  });

  it("marks a VOP damaged that lost a packet, and what refers to it", () => {
    const track = new TrackHarness(OPTIONS);
    track.send({ timestamp: 0, marker: true }, vop("I", 20)).send({ timestamp: T }, vop("P", 500)).lose();
    track
      .send({ timestamp: T, marker: true }, filler(100))
      .send({ timestamp: 2 * T, marker: true }, vop("P", 30));
    track.send({ timestamp: 3 * T, marker: true }, vop("I", 30));
    expect(track.frames.map((frame) => [frame.key, frame.damaged])).toEqual([
      [true, false],
      [false, true],
      [false, true],
      [true, false],
    ]);
  });

  it("begins with the next VOP when it joins in the middle of one", () => {
    const track = new TrackHarness(OPTIONS);
    track
      .send({ timestamp: 0, marker: true }, filler(100))
      .send({ timestamp: T, marker: true }, vop("I", 30))
      .flush();
    expect(track.frames.map((frame) => frame.bytes)).toEqual([Buffer.concat([CONFIG, vop("I", 30)])]);
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
  });

  it("ends by timestamp when every packet has the marker", () => {
    const track = new TrackHarness(OPTIONS);
    for (let picture = 0; picture < 3; picture += 1) {
      const whole = vop(picture === 0 ? "I" : "P", 200, picture);
      track.send({ timestamp: picture * T, marker: true }, whole.subarray(0, 100));
      track.send({ timestamp: picture * T, marker: true }, whole.subarray(100));
    }
    track.flush();
    expect(track.frames.map((frame) => frame.damaged)).toEqual([false, false, false]);
    expect(track.frames[2]?.bytes).toEqual(vop("P", 200, 2));
  });

  it("publishes nothing without any config", () => {
    const track = new TrackHarness({ codec: Codec.MPEG4 })
      .send({ timestamp: 0, marker: true }, vop("I", 50))
      .flush();
    expect(track.frames).toHaveLength(0);
  });
});
