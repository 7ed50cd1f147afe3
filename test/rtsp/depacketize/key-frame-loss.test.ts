import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  filler,
  H264_PPS,
  H264_RECOVERY_SEI,
  H264_SPROP,
  H264_SPS,
  H265_FMTP,
  h265Slice,
  idr,
  intraSlice,
  slice,
} from "../../support/media/sample-nal-units.js";
import { fuA } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const T = 3600;
const H264 = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };

/** A track whose key frames take `packets` packets; its next picture is number 2. */
function running(packets = 4): TrackHarness {
  const track = new TrackHarness(H264);
  sendPicture(track, 0, idr(packets * 1000), []);
  track.send({ timestamp: T, marker: true }, slice());
  track.frames.length = 0;
  return track;
}

/** Sends a picture in fragments of 1000 bytes but for those `lost`, by index. */
function sendPicture(track: TrackHarness, picture: number, nal: Buffer, lost: readonly number[]): void {
  const fragments = fuA(nal, 1000);
  fragments.forEach((fragment, index) => {
    if (lost.includes(index)) track.lose();
    else track.send({ timestamp: picture * T, marker: index === fragments.length - 1 }, fragment);
  });
}

/** What follows a loss: pictures 3 and 4 refer to it, 5 is a whole key frame, 6 refers to that. */
function undecodableAfter(track: TrackHarness): boolean[] {
  track.send({ timestamp: 3 * T, marker: true }, slice()).send({ timestamp: 4 * T, marker: true }, slice());
  sendPicture(track, 5, idr(4000), []);
  track.send({ timestamp: 6 * T, marker: true }, slice());
  const all = track.frames.map((frame) => frame.undecodable);
  expect(all.slice(-4)).toEqual([all.at(-4), all.at(-4), false, false]);
  expect(track.frames.at(-2)).toMatchObject({ key: true, damaged: false });
  expect(track.frames.every((frame) => !frame.undecodable || (frame.damaged && !frame.key))).toBe(true);
  return all.slice(0, -2);
}

describe("undecodable up to the next whole key frame, when a key frame", () => {
  it.each([
    ["lost its first packet", [0]],
    ["lost a packet amid", [2]],
    ["lost its last packet", [3]],
    ["lost all but its last packet", [0, 1, 2]],
    ["was lost whole", [0, 1, 2, 3]],
  ])("%s", (_what, lost) => {
    const track = running();
    sendPicture(track, 2, idr(4000), lost);
    const undecodable = undecodableAfter(track);
    expect(undecodable.length).toBeGreaterThanOrEqual(2);
    expect(undecodable.every((value) => value)).toBe(true);
  });

  it("was lost after its parameter sets", () => {
    const track = running(20);
    track
      .send({ timestamp: 2 * T }, H264_SPS)
      .send({ timestamp: 2 * T }, H264_PPS)
      .lose(3);
    expect(undecodableAfter(track)).toEqual([true, true]);
  });

  it("of an open GOP lost the packet with its recovery point", () => {
    const track = running();
    for (const picture of [2, 3]) {
      if (picture === 2) track.send({ timestamp: picture * T }, H264_RECOVERY_SEI);
      else track.lose();
      track.send({ timestamp: picture * T, marker: true }, intraSlice());
    }
    expect(track.frames.map((frame) => [frame.key, frame.undecodable])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("of H.265 lost a packet", () => {
    const track = new TrackHarness({ codec: Codec.H265, fmtp: H265_FMTP });
    track
      .send({ timestamp: 0, marker: true }, h265Slice(19))
      .send({ timestamp: T, marker: true }, h265Slice(1));
    track.send({ timestamp: 2 * T }, h265Slice(19)).lose();
    track.send({ timestamp: 3 * T, marker: true }, h265Slice(1));
    track.send({ timestamp: 4 * T, marker: true }, h265Slice(19)).flush();
    expect(track.frames.map((frame) => frame.undecodable)).toEqual([false, false, true, true, false]);
  });

  it("of MPEG-4 Part 2 lost its beginning", () => {
    const config = "000001b0f1000001b5a913000001000000012008d48d0800cd05040f14103f";
    const track = new TrackHarness({ codec: Codec.MPEG4, fmtp: { config } });
    const vop = (type: number) => Buffer.concat([Buffer.from([0, 0, 1, 0xb6, type]), filler(900, 3)]);
    for (const picture of [0, 2, 4]) {
      if (picture === 2) track.lose();
      else track.send({ timestamp: picture * T }, vop(0x10));
      for (let part = 0; part < 3; part += 1)
        track.send({ timestamp: picture * T, marker: part === 2 }, filler(900, part));
      track.send({ timestamp: (picture + 1) * T, marker: true }, vop(0x50));
    }
    expect(track.frames.map((frame) => frame.undecodable)).toEqual([false, false, true, false, false]);
  });
});

describe("decodable, with flaws, when a loss", () => {
  it("cut a slice of a picture that is no key frame", () => {
    const track = running();
    sendPicture(track, 2, slice(4000), [2]);
    track.send({ timestamp: 2 * T }, slice());
    expect(undecodableAfter(track).some((value) => value)).toBe(false);
    expect(track.frames.slice(0, 2).every((frame) => frame.damaged)).toBe(true);
  });

  it("took the head of a picture that is no key frame", () => {
    const track = running(10);
    sendPicture(track, 2, slice(4000), [0]);
    expect(undecodableAfter(track)).toEqual([false, false]);
  });

  it("took a whole picture, too short for a key frame", () => {
    const track = running();
    track.lose();
    expect(undecodableAfter(track)).toEqual([false, false]);
  });
});
