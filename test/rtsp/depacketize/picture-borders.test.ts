import { describe, expect, it } from "vitest";
import { BitWriter } from "../../../src/live/codec/bit-writer.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { parseH264Sps } from "../../../src/live/codec/h264-sps.js";
import {
  H264_PPS,
  H264_SPROP,
  H264_SPS,
  H265_FMTP,
  h265Slice,
  idr,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, fuA, h265Fu } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

type Sent = readonly { readonly payload: Buffer; readonly isLast: boolean }[];

interface Pictures {
  readonly codec: Codec;
  readonly fmtp: Record<string, string>;
  /** The NAL units of picture `index`. */
  readonly units: (index: number) => Buffer[];
  readonly fragments: (nal: Buffer, sizeMax: number) => Buffer[];
  /** Units in packets of their own stand behind a start code. */
  readonly behindStartCodes?: boolean;
}

const GROUP = 5;
const PICTURES = 20;

const H264: Pictures = {
  codec: Codec.H264,
  fmtp: { "sprop-parameter-sets": H264_SPROP },
  units: (index) =>
    index % GROUP === 0
      ? [H264_SPS, H264_PPS, idr(1500 + index, index), idr(900, index, false)]
      : [slice(40 + index, index)].concat(index % GROUP > 2 ? [slice(700, index, false)] : []),
  fragments: fuA,
};
const H265: Pictures = {
  codec: Codec.H265,
  fmtp: H265_FMTP,
  units: (index) =>
    index % GROUP === 0
      ? [h265Slice(19, 1500 + index), h265Slice(19, 900, false)]
      : [h265Slice(1, 40 + index)].concat(index % GROUP > 2 ? [h265Slice(1, 700, false)] : []),
  fragments: h265Fu,
};

function packetsOf({ units, fragments, behindStartCodes = false }: Pictures, index: number): Sent {
  const whole = (nal: Buffer) => (behindStartCodes ? annexB(nal) : nal);
  const payloads = units(index).flatMap((nal) => (nal.length > 300 ? fragments(nal, 300) : [whole(nal)]));
  return payloads.map((payload, at) => ({ payload, isLast: at === payloads.length - 1 }));
}

interface Numbers {
  readonly timestamp: number;
  readonly marker: boolean;
}

/** What a camera writes into packet `packet` of all, the `at`th of picture `picture`. */
type Habit = (picture: number, at: number, isLast: boolean, packet: number) => Numbers;

const MARKED_FIRST = "a marker on each first packet";

const HABITS: readonly (readonly [string, Habit])[] = [
  ["as they should", (picture, _at, isLast) => ({ timestamp: picture * 3600, marker: isLast })],
  ["no marker", (picture) => ({ timestamp: picture * 3600, marker: false })],
  ["a marker on each packet", (picture) => ({ timestamp: picture * 3600, marker: true })],
  [MARKED_FIRST, (picture, at) => ({ timestamp: picture * 3600, marker: at === 0 })],
  [
    "a marker on all but the last",
    (picture, _at, isLast) => ({ timestamp: picture * 3600, marker: !isLast }),
  ],
  [
    "a time for each packet",
    (_picture, _at, isLast, packet) => ({ timestamp: packet * 400, marker: isLast }),
  ],
  [
    "a time for each packet, no marker",
    (_picture, _at, _isLast, packet) => ({ timestamp: packet * 400, marker: false }),
  ],
  [
    "a time and a marker for each packet",
    (_picture, _at, _isLast, packet) => ({ timestamp: packet * 400, marker: true }),
  ],
  ["one time for all", (_picture, _at, isLast) => ({ timestamp: 0, marker: isLast })],
  ["one time for all, no marker", () => ({ timestamp: 0, marker: false })],
  ["one time for all, a marker on each packet", () => ({ timestamp: 0, marker: true })],
  [
    "one time for each group, no marker",
    (picture) => ({ timestamp: Math.floor(picture / GROUP) * 9000, marker: false }),
  ],
  [
    "two pictures with one time, no marker",
    (picture) => ({ timestamp: Math.floor(picture / 2) * 9000, marker: false }),
  ],
];

/** Plays the pictures; answers those that were published, each as its NAL units. */
function play(pictures: Pictures, habit: Habit): TrackHarness {
  const track = new TrackHarness({ codec: pictures.codec, fmtp: pictures.fmtp, keepsOrder: true });
  let packet = 0;
  for (let index = 0; index < PICTURES; index += 1) {
    packetsOf(pictures, index).forEach(({ payload, isLast }, at) => {
      track.send(habit(index, at, isLast, packet), payload);
      packet += 1;
    });
    track.clock.advance(40_000);
  }
  return track.flush();
}

describe.each([
  ["H.264", H264],
  ["H.265", H265],
  ["H.264 behind start codes", { ...H264, behindStartCodes: true }],
  ["H.265 behind start codes", { ...H265, behindStartCodes: true }],
])("pictures of %s", (_codec, pictures) => {
  it.each(HABITS)(
    "whose packets have %s are each published once, whole, and none is damaged",
    (name, habit) => {
      const { frames } = play(pictures, habit);
      const bytes = Buffer.concat(frames.map((frame) => frame.bytes));
      const sent = Array.from({ length: PICTURES }, (_, index) => annexB(...pictures.units(index)));
      for (const [index, unit] of sent.entries())
        if (!bytes.includes(unit)) expect.unreachable(`picture ${index} is not whole`);
      expect(frames.filter(({ damaged, undecodable }) => damaged || undecodable)).toEqual([]);
      // A marker that was right so far ends the first picture for which it is wrong: the rest is a frame of its own, once.
      const rests = frames.length - PICTURES;
      expect([0, name === MARKED_FIRST ? 1 : 0]).toContain(rests);
      expect(frames.filter(({ key }) => key)).toHaveLength(PICTURES / GROUP);
    },
  );
});

/** A sequence parameter set of 320x256 whose pictures may be fields (ITU-T H.264, 7.3.2.1.1). */
function interlacedSps(): Buffer {
  const writer = new BitWriter();
  for (const byte of [0x67, 77, 0, 30]) writer.bits(byte, 8);
  for (const number of [0, 0, 2, 1]) writer.unsignedGolomb(number);
  writer.bit(0);
  for (const number of [19, 7]) writer.unsignedGolomb(number);
  writer.bits(0b001001, 6);
  return Buffer.from(writer.bytes);
}

it("interlaced frames without marker stay one, of two fields with one time", () => {
  expect(parseH264Sps(interlacedSps())).toMatchObject({ height: 256, mayHaveFields: true });
  const track = new TrackHarness({
    codec: Codec.H264,
    fmtp: { "sprop-parameter-sets": `${interlacedSps().toString("base64")},${H264_PPS.toString("base64")}` },
  });
  for (let picture = 0; picture < 4; picture += 1)
    for (const seed of [1, 2])
      track.send({ timestamp: picture * 3600 }, picture === 0 ? idr(90, seed) : slice(90, seed));
  expect(track.flush().frames).toHaveLength(4);
});
