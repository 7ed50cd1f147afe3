import { isParameterSet, nalType } from "../codecs.js";

import { cut, cutUnit, PAYLOAD_MAX, slices } from "../cutting.js";
import type { Habit, Piece } from "../habit.js";

const kind = "packets";
const START_CODE = Buffer.from([0, 0, 0, 1]);

function stapA(units: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([0x78]),
    ...units.flatMap((unit) => [Buffer.from([unit.length >> 8, unit.length & 0xff]), unit]),
  ]);
}

/** Cut as usual, and each payload otherwise. */
function payloads(change: (payload: Buffer) => Buffer): (units: readonly Buffer[]) => Piece[] {
  return (units) => cut("h264", units).map(({ payload, marker }) => ({ payload: change(payload), marker }));
}

/** FU-A header bits: start and end. */
function fragmentBits(payload: Buffer, change: (bits: number) => number): Buffer {
  if ((payload[0] ?? 0) % 32 !== 28) return payload;
  const copy = Buffer.from(payload);
  copy[1] = change(copy[1] ?? 0);
  return copy;
}

/** How pictures are put into packets. */
export const PACKETS: readonly Habit[] = [
  {
    name: "puts parameter sets and slices into aggregation packets",
    ...{ kind, report: "ustreamer #115", codecs: ["h264"] },
    pieces: (units) => {
      const large = units.findIndex((unit) => unit.length > 400);
      const head = large < 0 ? units : units.slice(0, large);
      const rest = units.slice(head.length).flatMap((unit) => cutUnit("h264", unit));
      const all = [...(head.length > 0 ? [stapA(head)] : []), ...rest];
      return all.map((payload, at) => ({ payload, marker: at === all.length - 1 }));
    },
  },
  {
    name: "puts a start code before each unit",
    ...{ kind, report: "gortsplib #608", codecs: ["h264"] },
    pieces: payloads((payload) =>
      (payload[0] ?? 0) % 32 < 24 ? Buffer.concat([START_CODE, payload]) : payload,
    ),
  },
  {
    name: "sends parameter sets and key frame as one unit with start codes in it",
    ...{ kind, report: "retina PR 100", codecs: ["h264"] },
    pieces: (units) => {
      const joined = Buffer.concat(units.flatMap((unit, at) => (at === 0 ? [unit] : [START_CODE, unit])));
      return cut("h264", [joined]);
    },
  },
  {
    name: "sends units that end with zeros",
    ...{ kind, report: "mediacommon PR 159", codecs: ["h264", "h265"] },
    units: (units) => units.map((unit) => Buffer.concat([unit, Buffer.alloc(2)])),
  },
  {
    name: "never sets the end bit of a fragmented unit",
    ...{ kind, report: "alohartc #98", codecs: ["h264"] },
    pieces: payloads((payload) => fragmentBits(payload, (bits) => bits & ~0x40)),
  },
  {
    name: "sets start and end of a fragmented unit in one packet",
    ...{ kind, report: "alohartc #98", codecs: ["h264"] },
    pieces: (units) =>
      cut("h264", units).map(({ payload, marker }) => ({
        payload: (payload[0] ?? 0) % 32 < 24 && payload.length > 1 ? fragmentOfOne(payload) : payload,
        marker,
      })),
  },
  {
    name: "sends SPS and PPS with the timestamp of the picture before, SPS marked",
    ...{ kind, report: "retina #13", codecs: ["h264"] },
    packets: (packets) => {
      for (const packet of packets) {
        if (!isParameterSet("h264", packet.payload)) continue;
        packet.timestamp -= 9000;
        packet.marker = nalType("h264", packet.payload) === 7;
      }
      return packets;
    },
  },
  {
    name: "begins each picture with a delimiter",
    ...{ kind, report: "ITU-T H.264, 7.3.2.4", codecs: ["h264"] },
    units: (units) => [Buffer.from([9, 0xf0]), ...units],
  },
  {
    name: "sends filler data after each picture",
    ...{ kind, report: "ITU-T H.264, 7.3.2.7", codecs: ["h264"] },
    units: (units) => [...units, Buffer.from([12, 0xff, 0xff, 0xff, 0x80])],
  },
  {
    name: "ends each group with an end of sequence",
    ...{ kind, report: "ITU-T H.264, 7.3.2.5", codecs: ["h264"] },
    units: (units, { inGop }) => (inGop === 19 ? [...units, Buffer.from([10])] : units),
  },
  {
    name: "sends SEI units after the picture that they belong to",
    ...{ kind, report: "mediamtx #6257", codecs: ["h264"] },
    units: (units) => [...units, Buffer.from([6, 5, 1, 0x41, 0x80])],
  },
  {
    name: "sends units of the scalable and the multi-view extension",
    ...{ kind, report: "ITU-T H.264, annex G", codecs: ["h264"] },
    units: (units) =>
      units.flatMap((unit) =>
        nalType("h264", unit) === 5 || nalType("h264", unit) === 1
          ? [Buffer.from([14, 0x40, 0x80, 0x07]), unit, Buffer.from([20, 0x40, 0x80, 0x07, 0x88, 0x84, 0x21])]
          : [unit],
      ),
  },
  { name: "sends B pictures", ...{ kind, report: "frigate #8881", clip: "h264B" } },
  { name: "sends interlaced pictures", ...{ kind, report: "ITU-T H.264, 7.3.3", clip: "h264Fields" } },
  { name: "sends four slices a picture", ...{ kind, report: "MiBeeNvr PR 428", clip: "h264Slices" } },
  { name: "sends MPEG-4 Part 2", ...{ kind, report: "html5_rtsp_player #25", clip: "mpeg4" } },
  { name: "sends JPEG", ...{ kind, report: "SharpRTSP PR 94", clip: "mjpeg" } },
  {
    name: "sends tiny packets",
    ...{ kind, report: "RFC 6184, 5.8", codecs: ["h264"] },
    pieces: (units) => {
      const all = units.flatMap((unit) => (unit.length <= 200 ? [unit] : fragments(unit, 200)));
      return all.map((payload, at) => ({ payload, marker: at === all.length - 1 }));
    },
  },
  {
    name: "sends packets larger than any network's",
    ...{ kind, report: "mediamtx #6134", codecs: ["h264"], over: "tcp" },
    pieces: (units) => units.map((payload, at) => ({ payload, marker: at === units.length - 1 })),
  },
];

function fragmentOfOne(unit: Buffer): Buffer {
  const header = unit[0] ?? 0;
  return Buffer.concat([Buffer.from([(header & 0xe0) | 28, 0xc0 | (header & 0x1f)]), unit.subarray(1)]);
}

function fragments(unit: Buffer, size: number): Buffer[] {
  const header = unit[0] ?? 0;
  const parts = slices(unit.subarray(1), Math.min(size, PAYLOAD_MAX));
  return parts.map((part, at) => {
    const bits = (at === 0 ? 0x80 : 0) | (at === parts.length - 1 ? 0x40 : 0);
    return Buffer.concat([Buffer.from([(header & 0xe0) | 28, bits | (header & 0x1f)]), part]);
  });
}
