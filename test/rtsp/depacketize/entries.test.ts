import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { FIRST_ENTRY_WAIT_US, NEXT_ENTRY_WAIT_US } from "../../../src/rtsp/depacketize/entry-policy.js";
import {
  filler,
  H264_RECOVERY_SEI,
  H264_SETS,
  H264_SPROP,
  H265_FMTP,
  h265Slice,
  idr,
  intraSlice,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const PICTURE_US = 100_000;
const SECOND_US = 1_000_000;
const [ANY_US, INTRA_US, RECOVERY_US] = FIRST_ENTRY_WAIT_US;
const H264 = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };
const H265 = { codec: Codec.H265, fmtp: H265_FMTP };
/** recovery_frame_cnt 9: ue(v) 0001010. */
const H264_LATER_RECOVERY_SEI = Buffer.from([0x06, 0x06, 0x02, 0x15, 0x40, 0x80]);
/** recovery_poc_cnt 0, exact_match_flag 1. */
const H265_RECOVERY_SEI = Buffer.from([39 << 1, 1, 0x06, 0x01, 0xd0, 0x80]);
/** P: slice_type 1 behind first_slice_segment_in_pic_flag and slice_pic_parameter_set_id 0. */
const H265_P = Buffer.concat([Buffer.from([1 << 1, 1, 0xd0]), filler(80, 1)]);
/** I: slice_type 2. */
const H265_I = Buffer.concat([Buffer.from([1 << 1, 1, 0xd8]), filler(80, 2)]);
const MPEG4_CONFIG = "000001b001000001b58913000001000000012000c48d8800f514043c1463";
const MPEG4 = { codec: Codec.MPEG4, fmtp: { config: MPEG4_CONFIG } };
const mpeg4Vop = (type: number) =>
  Buffer.concat([Buffer.from([0, 0, 1, 0xb6, (type << 6) | 0x10]), filler(60, 7)]);

/** Ten pictures a second; picture `index` has these NAL units. Ticks as a session makes them. */
function run(
  options: ConstructorParameters<typeof TrackHarness>[0],
  seconds: number,
  picture: (index: number) => readonly Buffer[],
): TrackHarness {
  const track = new TrackHarness(options);
  for (let index = 0; index < seconds * 10; index += 1) {
    const units = picture(index);
    for (const [at, unit] of units.entries())
      track.send({ timestamp: index * 9000, marker: at === units.length - 1 }, unit);
    track.clock.advance(PICTURE_US);
    track.receiver.onTick(track.clock.monotonicUs());
  }
  return track.flush();
}

const keyIndexes = ({ frames }: TrackHarness): number[] =>
  frames.flatMap((frame, index) => (frame.key ? [index] : []));

describe("pictures to begin with", () => {
  it("are key frames alone while the camera sends them, whatever lies between", () => {
    const between = (index: number) =>
      index % 5 === 0 ? [H264_LATER_RECOVERY_SEI, intraSlice()] : [slice()];
    const track = run(H264, 60, (index) => (index % 100 === 0 ? [idr()] : between(index)));
    expect(keyIndexes(track)).toEqual([0, 100, 200, 300, 400, 500]);
    expect(track.frames.some(({ damaged }) => damaged)).toBe(false);
    expect(track.frames).toHaveLength(600);
  });

  it.each<
    [string, ConstructorParameters<typeof TrackHarness>[0], (index: number) => readonly Buffer[], number]
  >([
    [
      "H.264 recovery points that recover later",
      H264,
      (index) => (index % 10 === 5 ? [H264_LATER_RECOVERY_SEI, slice()] : [slice()]),
      RECOVERY_US,
    ],
    [
      "H.264 recovery points of P pictures",
      H264,
      (index) => (index % 10 === 5 ? [H264_RECOVERY_SEI, slice()] : [slice()]),
      RECOVERY_US,
    ],
    ["H.264 I pictures", H264, (index) => (index % 10 === 5 ? [intraSlice()] : [slice()]), INTRA_US],
    ["H.264 intra refresh without a sign", H264, () => [slice()], ANY_US],
    [
      "H.265 recovery points",
      H265,
      (index) => (index % 10 === 5 ? [H265_RECOVERY_SEI, H265_P] : [H265_P]),
      RECOVERY_US,
    ],
    ["H.265 I pictures", H265, (index) => (index % 10 === 5 ? [H265_I] : [H265_P]), INTRA_US],
    ["H.265 intra refresh without a sign", H265, () => [H265_P], ANY_US],
    ["MPEG-4 without I pictures", MPEG4, () => [mpeg4Vop(1)], ANY_US],
  ])("are, without key frames: %s", (_name, options, picture, waitUs) => {
    const seconds = waitUs / SECOND_US + 30;
    const track = run(options, seconds, picture);
    const missing = seconds * 10 - track.frames.length;
    expect(missing * PICTURE_US).toBeLessThanOrEqual(waitUs + 1.2 * SECOND_US);
    expect(track.frames[0]).toMatchObject({
      key: true,
      damaged: true,
      undecodable: false,
      discontinuity: true,
    });
    const keys = keyIndexes(track);
    expect(keys.length).toBeGreaterThan(2);
    for (const [index, frame] of track.frames.entries())
      expect(frame).toMatchObject({ damaged: keys.includes(index), undecodable: false });
    expect(track.frames.slice(1).some(({ discontinuity }) => discontinuity)).toBe(false);
  });

  it("have the parameter sets that a decoder needs", () => {
    const track = run(H264, 5, (index) =>
      index % 10 === 5 ? [H264_LATER_RECOVERY_SEI, slice()] : [slice()],
    );
    expect(track.frames[0]?.bytes).toEqual(
      Buffer.concat([H264_SETS, annexB(H264_LATER_RECOVERY_SEI, slice())]),
    );
    expect(track.frames[1]?.bytes).toEqual(annexB(slice()));
  });

  it("come again behind one key frame at the session's start, as encoders with intra refresh send it", () => {
    const [, , nextUs] = NEXT_ENTRY_WAIT_US;
    const track = run(H264, 60, (index) => {
      if (index === 0) return [idr()];
      return index % 20 === 0 ? [H264_LATER_RECOVERY_SEI, slice()] : [slice()];
    });
    expect(track.frames).toHaveLength(600);
    const keys = keyIndexes(track);
    expect(keys.slice(0, 2)).toEqual([0, Math.ceil(nextUs / PICTURE_US / 20) * 20]);
    expect(keys.length).toBeGreaterThan(20);
    expect(track.frames[0]?.damaged).toBe(false);
  });

  it("are key frames again as soon as one comes", () => {
    const track = run(H264, 90, (index) => {
      if (index >= 300 && index % 20 === 0) return [idr()];
      return index % 10 === 5 ? [intraSlice()] : [slice()];
    });
    const late = track.frames.slice(-500).filter(({ key }) => key);
    expect(late.every(({ damaged }) => !damaged)).toBe(true);
    expect(late.length).toBe(25);
  });

  it("heal a stream without key frames after a loss", () => {
    const track = run(H264, 10, (index) =>
      index % 10 === 5 ? [H264_LATER_RECOVERY_SEI, slice()] : [slice()],
    );
    const before = track.frames.length;
    track.lose(1).send({ timestamp: 900_000, marker: true }, slice());
    track.clock.advance(2 * SECOND_US);
    track.receiver.onTick(track.clock.monotonicUs());
    track.send({ timestamp: 909_000 }, H264_LATER_RECOVERY_SEI);
    track.send({ timestamp: 909_000, marker: true }, slice());
    track.send({ timestamp: 918_000, marker: true }, slice()).flush();
    expect(track.frames.slice(before)).toMatchObject([
      { key: false, damaged: true, undecodable: false },
      { key: true, damaged: true, undecodable: false },
      { key: false, damaged: false, undecodable: false },
    ]);
  });
});

describe("H.265 pictures that begin a stream", () => {
  it.each([16, 17, 18, 19, 20, 21])("of NAL unit type %i are clean key frames", (type) => {
    const track = new TrackHarness(H265).send({ timestamp: 0, marker: true }, h265Slice(type)).flush();
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
  });
});
