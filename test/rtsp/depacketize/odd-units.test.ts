import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  filler,
  H264_PPS,
  H264_SPROP,
  H264_SPS,
  H265_FMTP,
  H265_PPS,
  H265_SPS,
  H265_VPS,
  h265Slice,
  idr,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, h265Fu, stapA } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

type Payloads = (isKey: boolean, index: number) => readonly Buffer[];

const H264 = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };
const H265 = { codec: Codec.H265, fmtp: H265_FMTP };
const unit = (type: number, ...bytes: number[]) => Buffer.from([type, ...bytes]);
const h265Unit = (type: number, ...bytes: number[]) => Buffer.from([type << 1, 1, ...bytes]);
/** With temporal_id_plus1. */
const h265Layer = (type: number, temporalId: number) => {
  const nal = h265Slice(type);
  nal[1] = temporalId + 1;
  return nal;
};
const picture = (isKey: boolean) => (isKey ? idr() : slice());
const h265Picture = (isKey: boolean) => h265Slice(isKey ? 19 : 1);
const ap = (donl: boolean, ...nals: Buffer[]) =>
  Buffer.concat([
    Buffer.from([48 << 1, 1]),
    ...nals.flatMap((nal, index) => [
      Buffer.from(donl ? (index === 0 ? [0, 7] : [0]) : []),
      Buffer.from([nal.length >> 8, nal.length & 0xff]),
      nal,
    ]),
  ]);
/** RFC 7798, 4.4.1: with a DONL field behind the header. */
const withDonl = (nal: Buffer, don: number) =>
  Buffer.concat([nal.subarray(0, 2), Buffer.from([don >> 8, don & 0xff]), nal.subarray(2)]);

/** RFC 7798, 4.4.4: with an extension of three bytes. */
const paci = (payload: Buffer) => {
  const [first = 0, second = 0] = payload;
  const fields = ((first & 0xfe) << 8) | (3 << 4);
  const header = [(50 << 1) | (first & 1), second, fields >> 8, fields & 0xff];
  return Buffer.concat([Buffer.from([...header, 7, 8, 9]), payload.subarray(2)]);
};

/** 40 pictures, a key frame each tenth; all payloads of one with one timestamp and a marker on the last. */
function run(options: ConstructorParameters<typeof TrackHarness>[0], payloads: Payloads): TrackHarness {
  const track = new TrackHarness(options);
  for (let index = 0; index < 40; index += 1) {
    const all = payloads(index % 10 === 0, index);
    for (const [at, payload] of all.entries())
      track.send({ timestamp: index * 3600, marker: at === all.length - 1 }, payload);
  }
  return track.flush();
}

describe("pictures with odd units are all recorded", () => {
  it.each<[string, ConstructorParameters<typeof TrackHarness>[0], Payloads]>([
    [
      "H.264 prefix units and slice extensions (SVC, MVC)",
      H264,
      (isKey) => [unit(0x6e, 0x80, 1, 2, 1), picture(isKey), unit(0x74, 0x80, 1, 2, 0x88, 9, 9)],
    ],
    [
      "H.264 delimiters, end of sequence and filler data",
      H264,
      (isKey) => [unit(0x09, 0xf0), picture(isKey), unit(0x0c, 0xff, 0xff, 0x80), unit(0x0a)],
    ],
    ["H.264 zeros behind each unit", H264, (isKey) => [Buffer.concat([picture(isKey), Buffer.alloc(7)])]],
    [
      "H.264 sets, SEI and slice in one aggregate",
      H264,
      (isKey) => [
        isKey
          ? stapA(H264_SPS, H264_PPS, unit(0x06, 5, 1, 0, 0x80), idr())
          : stapA(unit(0x09, 0xf0), slice()),
      ],
    ],
    [
      "H.264 unspecified types 24 and up within an aggregate",
      H264,
      (isKey) => [stapA(picture(isKey), unit(0x7e, 1, 2, 3))],
    ],
    [
      "H.265 delimiters, suffix SEI, end of sequence and filler",
      H265,
      (isKey) => [
        h265Unit(35, 0x50),
        h265Picture(isKey),
        h265Unit(40, 5, 1, 0, 0x80),
        h265Unit(38, 0xff, 0x80),
        h265Unit(36),
      ],
    ],
    [
      "H.265 reserved and unspecified types 41 to 47",
      H265,
      (isKey) => [h265Unit(41, 1, 2), h265Picture(isKey), h265Unit(47, 3, 4)],
    ],
    [
      "H.265 temporal layers (TSA, STSA)",
      H265,
      (isKey, index) => [isKey ? h265Slice(19) : h265Layer(index % 2 === 0 ? 3 : 5, index % 3)],
    ],
    [
      "H.265 CRA with leading RASL and RADL pictures",
      H265,
      (isKey, index) => [isKey ? h265Slice(21) : h265Slice(index % 10 < 3 ? 9 : index % 10 < 5 ? 7 : 1)],
    ],
    [
      "H.265 sets sent once, in the first picture alone",
      { codec: Codec.H265 },
      (isKey, index) => (index === 0 ? [H265_VPS, H265_SPS, H265_PPS, h265Slice(19)] : [h265Picture(isKey)]),
    ],
    [
      "H.265 sets in one aggregate with the slice",
      { codec: Codec.H265 },
      (isKey) => [isKey ? ap(false, H265_VPS, H265_SPS, H265_PPS, h265Slice(19)) : h265Slice(1)],
    ],
    [
      "H.265 slices of other layers (nuh_layer_id 1)",
      H265,
      (isKey) => [h265Picture(isKey), Buffer.concat([Buffer.from([1 << 1, 9, 0x20]), filler(40, 3)])],
    ],
    [
      "H.265 single units, aggregates and fragments in PACI packets",
      { codec: Codec.H265 },
      (isKey) =>
        isKey
          ? [ap(false, H265_VPS, H265_SPS, H265_PPS), ...h265Fu(h265Slice(19, 3000), 1000)].map(paci)
          : [paci(h265Slice(1))],
    ],
    [
      "H.265 DONL that is not announced",
      { codec: Codec.H265 },
      (isKey, index) =>
        isKey
          ? [
              withDonl(H265_VPS, index),
              withDonl(H265_SPS, index),
              withDonl(H265_PPS, index),
              withDonl(h265Slice(19), index),
            ]
          : [withDonl(h265Slice(1), index)],
    ],
    [
      "H.265 DONL in aggregates and fragments that is not announced",
      { codec: Codec.H265 },
      (isKey) =>
        isKey
          ? [ap(true, H265_VPS, H265_SPS, H265_PPS), ...h265Fu(h265Slice(19, 3000), 1000, true)]
          : h265Fu(h265Slice(1, 2000), 1000, true),
    ],
    [
      "H.265 DONL that is announced and not there",
      { codec: Codec.H265, fmtp: { "sprop-max-don-diff": "1" } },
      (isKey) => (isKey ? [H265_VPS, H265_SPS, H265_PPS, h265Slice(19)] : [h265Slice(1)]),
    ],
  ])("%s", (_name, options, payloads) => {
    const track = run(options, payloads);
    expect(track.frames).toHaveLength(40);
    expect(track.frames.map(({ key }) => key)).toEqual(track.frames.map((_, index) => index % 10 === 0));
    expect(track.frames.filter(({ damaged }) => damaged)).toEqual([]);
    expect(track.frames[0]?.format).not.toMatchObject({ width: 0 });
  });
});

describe("a NAL unit of its header alone is recorded as it came", () => {
  const endOfSequence = unit(0x0a);
  const endOfSequence265 = h265Unit(36);
  it.each<[string, ConstructorParameters<typeof TrackHarness>[0], Buffer[], Buffer]>([
    ["H.264, in a packet of its own", H264, [idr(), endOfSequence], endOfSequence],
    ["H.264, in an aggregate", H264, [stapA(idr(), endOfSequence)], endOfSequence],
    [
      "H.264, behind a start code",
      H264,
      [idr(), annexB(unit(0x0c, 0xff, 0x80), endOfSequence)],
      endOfSequence,
    ],
    ["H.265, in a packet of its own", H265, [h265Slice(19), endOfSequence265], endOfSequence265],
    ["H.265, in an aggregate", H265, [ap(false, h265Slice(19), endOfSequence265)], endOfSequence265],
  ])("%s", (_name, options, payloads, last) => {
    const [frame, ...others] = run(options, (isKey) => (isKey ? payloads : [])).frames;
    expect(others).toHaveLength(3);
    expect(frame?.bytes.subarray(-4 - last.length)).toEqual(annexB(last));
    expect(frame).toMatchObject({ key: true, damaged: false });
  });

  it.each([
    ["H.264", H264, idr(), Buffer.alloc(0)],
    ["H.265", H265, h265Slice(19), Buffer.from([36 << 1])],
  ])("and less than a header is none: %s", (_name, options, picture, less) => {
    const track = new TrackHarness(options);
    track.send({ timestamp: 0 }, picture).send({ timestamp: 0, marker: true }, less).flush();
    expect(track.frames[0]?.bytes.subarray(-4 - picture.length)).toEqual(annexB(picture));
  });
});
