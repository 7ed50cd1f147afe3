import { nalType } from "../codecs.js";
import { aggregate265, cut, cutUnit, PAYLOAD_MAX } from "../cutting.js";
import type { Habit, Piece, ZooPacket, ZooPicture } from "../habit.js";

const H265 = { kind: "H.265", clip: "h265", codecs: ["h265"] } as const;
const H264 = { kind: "packets", codecs: ["h264"] } as const;
const STAP_A = 24;
/** Bits of the first byte of RTP (RFC 3550, 5.1). */
const SOURCES = 3;

function marked(payloads: readonly Buffer[]): Piece[] {
  return payloads.map((payload, at) => ({ payload, marker: at === payloads.length - 1 }));
}

/** Each packet with other fields. */
function each(fields: (packet: ZooPacket, picture: ZooPicture) => Partial<ZooPacket>) {
  return (packets: ZooPacket[], picture: ZooPicture) =>
    packets.map((packet) => ({ ...packet, ...fields(packet, picture) }));
}

function parameters(change: (line: string) => string): NonNullable<Habit["sdp"]> {
  return (lines) => lines.map((line) => (line.startsWith("a=fmtp:96") ? change(line) : line));
}

function joined(units: readonly Buffer[], code: readonly number[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => [Buffer.from(code), unit]));
}

/** Units with decoding order numbers, those behind the first fragment too. */
function numbered(units: readonly Buffer[]): Piece[] {
  const number = Buffer.from([0, 9]);
  return marked(
    units.flatMap((unit) => {
      const at = unit.length <= PAYLOAD_MAX ? 2 : 3;
      return cutUnit("h265", unit).map((part, index) =>
        index === 0 ? Buffer.concat([part.subarray(0, at), number, part.subarray(at)]) : part,
      );
    }),
  );
}

/** What packets hold that no standard has, and bits that contradict it. */
export const ODD_PACKETS: readonly Habit[] = [
  {
    name: "announces decoding order numbers and sends none",
    ...{ ...H265, report: "RFC 7798, 7.1" },
    sdp: parameters((line) => `${line};sprop-max-don-diff=2`),
  },
  {
    name: "announces decoding order numbers and sends none, its parameter sets in the description alone",
    claims: ["parameter sets"],
    ...{ ...H265, report: "RFC 7798, 7.1" },
    sdp: parameters((line) => `${line};sprop-max-don-diff=2`),
    units: (units) => units.filter((unit) => nalType("h265", unit) < 32),
  },
  {
    name: "sends decoding order numbers that it does not announce",
    ...{ ...H265, report: "RFC 7798, 4.4.1" },
    pieces: numbered,
  },
  {
    name: "sends parameter sets and key frame as one unit of H.265 with start codes in it",
    ...{ ...H265, report: "mediamtx #6134" },
    pieces: (units) => cut("h265", [Buffer.from(joined(units, [0, 0, 0, 1]).subarray(4))]),
  },
  {
    name: "aggregates each unit of H.265 that fits with zeros behind",
    ...{ ...H265, report: "go2rtc PR 2296" },
    pieces: (units) =>
      marked(
        units.flatMap((unit) =>
          unit.length > PAYLOAD_MAX - 10
            ? cutUnit("h265", unit)
            : [Buffer.concat([aggregate265([unit]), Buffer.alloc(4)])],
        ),
      ),
  },
  {
    name: "aggregates units with zeros behind",
    ...{ ...H264, report: "RFC 6184, 5.7.1" },
    pieces: (units) =>
      marked(
        units.flatMap((unit) =>
          unit.length > PAYLOAD_MAX - 10
            ? cutUnit("h264", unit)
            : [
                Buffer.concat([
                  Buffer.from([STAP_A, unit.length >> 8, unit.length & 0xff]),
                  unit,
                  Buffer.alloc(5),
                ]),
              ],
        ),
      ),
  },
  {
    name: "sends units of H.265 of the temporal id -1",
    ...{ ...H265, report: "ITU-T H.265, 7.3.1.2" },
    units: (units) =>
      units.map((unit) => Buffer.concat([unit.subarray(0, 1), Buffer.alloc(1), unit.subarray(2)])),
  },
  {
    name: "sends units of type 31 within its pictures",
    ...{ ...H264, report: "RtspClientSharp #33" },
    pieces: (units) =>
      cut("h264", units).flatMap((piece, at) =>
        at === 1 ? [{ payload: Buffer.from([0x7f, 1, 2, 3, 4]), marker: false }, piece] : [piece],
      ),
  },
  {
    name: "pads each packet of its last fragments with zeros that it does not announce",
    ...{ ...H264, report: "RFC 3550, 5.1" },
    packets: each(({ payload, marker }) => ({
      payload: marker ? Buffer.concat([payload, Buffer.alloc(4 - (payload.length % 4))]) : payload,
    })),
  },
  {
    name: "counts three contributing sources and lists none",
    ...{ kind: "numbering", report: "RFC 3550, 5.1", sound: "pcma" },
    packets: each(() => ({ bits: SOURCES })),
    soundPackets: (packets) => packets.map((packet) => ({ ...packet, bits: SOURCES })),
  },
  {
    name: "keeps 15 bits of its sequence",
    ...{ kind: "numbering", report: "RFC 3550, 5.1" },
    packets: each(({ sequence }) => ({ sequence: sequence & 0x7fff })),
  },
  {
    name: "counts its packets by ten",
    ...{ kind: "numbering", report: "gortsplib #750" },
    packets: each(({ sequence, count }) => ({ sequence: (sequence + 9 * count) & 0xffff })),
  },
  {
    name: "sends each packet three times",
    ...{ kind: "numbering", report: "mediamtx #3308" },
    packets: (packets) => packets.flatMap((packet) => [packet, { ...packet }, { ...packet }]),
  },
  {
    name: "begins its sequence anew with each picture, at any number",
    ...{ kind: "numbering", report: "gortsplib #750" },
    packets: (packets, { index }) =>
      packets.map((packet, at) => ({ ...packet, sequence: (index * 7919 + at) & 0xffff })),
  },
  {
    name: "stamps in seconds",
    ...{ kind: "clock", report: "mediamtx #5550" },
    stamp: (_ticks, { atMs }) => Math.floor(atMs / 1000),
  },
  {
    name: "stamps by the clock of its sound",
    ...{ kind: "clock", report: "mediamtx #5550", sound: "pcma" },
    stamp: (_ticks, { atMs }) => atMs * 8,
  },
  {
    name: "sets the highest bit of its timestamps every three seconds",
    ...{ kind: "clock", report: "mediamtx PR 6255" },
    stamp: (ticks, { atMs }) => (Math.floor(atMs / 3000) % 2 === 0 ? ticks : ticks ^ 0x80000000) >>> 0,
  },
  {
    name: "stamps by a clock that runs backwards for two seconds of ten",
    ...{ kind: "clock", report: "mediamtx PR 6255", seconds: 30 },
    stamp: (ticks, { atMs }) => ticks - (atMs % 10_000 < 2000 ? 180 * (atMs % 2000) : 0),
  },
];
