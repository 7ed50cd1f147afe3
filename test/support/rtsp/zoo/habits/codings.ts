import { isParameterSet, nalType } from "../codecs.js";
import { cut, cutJpeg, cutUnit, PAYLOAD_MAX, slices } from "../cutting.js";
import type { Habit, Piece } from "../habit.js";

const SPS = 7;
const PPS = 8;
const H265_VPS = 32;
const DELIMITER = Buffer.from([9, 0xf0]);

function marked(payloads: readonly Buffer[]): Piece[] {
  return payloads.map((payload, at) => ({ payload, marker: at === payloads.length - 1 }));
}

/** The lines of the video's coding, otherwise. */
function coded(lines: readonly string[]): NonNullable<Habit["sdp"]> {
  return (all) =>
    all.flatMap((line) => {
      if (line.startsWith("a=rtpmap:96")) return lines;
      return line.startsWith("a=fmtp:96") ? [] : [line];
    });
}

/** A unit in two fragments of FU-A. */
function halves(unit: Buffer): Buffer[] {
  const [header = 0] = unit;
  const parts = slices(unit.subarray(1), Math.ceil((unit.length - 1) / 2));
  return parts.map((part, at) => {
    const bits = (at === 0 ? 0x80 : 0) | (at === parts.length - 1 ? 0x40 : 0);
    return Buffer.concat([Buffer.from([(header & 0xe0) | 28, bits | (header & 31)]), part]);
  });
}

/** The whole picture of JPEG, its packets with other fields of the header of RFC 2435. */
function jpegHeads(change: (payload: Buffer, at: number) => void): NonNullable<Habit["pieces"]> {
  return ([picture = Buffer.alloc(0)]) =>
    marked(
      cutJpeg(picture).map((payload, at) => {
        change(payload, at);
        return payload;
      }),
    );
}

/** Another coding than announced, and parameter sets that come otherwise. */
export const CODINGS: readonly Habit[] = [
  {
    name: "announces H.265, and sends H.264",
    claims: ["parameter sets", "description"],
    ...{ kind: "packets", report: "go2rtc #264", codecs: ["h264"] },
    sdp: coded([
      "a=rtpmap:96 H265/90000",
      "a=fmtp:96 profile-level-id=420029; packetization-mode=1; sprop-parameter-sets=",
    ]),
  },
  {
    name: "announces H.264, and sends H.265",
    claims: ["parameter sets", "description"],
    ...{ kind: "H.265", report: "go2rtc #264", clip: "h265", codecs: ["h265"] },
    sdp: coded(["a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1"]),
  },
  {
    name: "does not name the coding of its video",
    claims: ["description"],
    ...{ kind: "session", report: "Savant #182", codecs: ["h264"] },
    sdp: (all) => all.filter((line) => !line.startsWith("a=rtpmap:96")),
  },
  {
    name: "changes its level with each group of pictures",
    claims: ["parameter sets"],
    ...{ kind: "packets", report: "mediamtx #4262", codecs: ["h264"] },
    units: (units, { gop }) =>
      units.map((unit) => {
        if (nalType("h264", unit) !== SPS || gop % 2 === 0) return unit;
        const other = Buffer.from(unit);
        other[3] = (other[3] ?? 0) + 1;
        return other;
      }),
  },
  {
    name: "sends its parameter sets once, and announces none",
    claims: ["parameter sets"],
    ...{ kind: "packets", report: "mediamtx #5861", codecs: ["h264"] },
    sdp: (all) => all.filter((line) => !line.startsWith("a=fmtp:96")),
    units: (units, { index }) =>
      index === 0 ? units : units.filter((unit) => !isParameterSet("h264", unit)),
  },
  {
    name: "sends its PPS before its SPS, each twice",
    claims: ["parameter sets"],
    ...{ kind: "packets", report: "retina #13", codecs: ["h264"] },
    units: (units, { key, sets }) => {
      const others = units.filter((unit) => !isParameterSet("h264", unit));
      return key ? [...sets, ...sets].reverse().concat(others) : others;
    },
  },
  {
    name: "fragments its parameter sets",
    ...{ kind: "packets", report: "OvenMediaEngine PR 2032", codecs: ["h264"] },
    pieces: (units) =>
      marked(
        units.flatMap((unit) =>
          [SPS, PPS].includes(nalType("h264", unit)) ? halves(unit) : cutUnit("h264", unit),
        ),
      ),
  },
  {
    name: "sends delimiters in packets of their own, marked",
    ...{ kind: "packets", report: "mediamtx #6257", codecs: ["h264"] },
    units: (units) => [DELIMITER, ...units],
    pieces: (units) =>
      cut("h264", units).map((piece, at) => ({ ...piece, marker: piece.marker || at === 0 })),
  },
  {
    name: "ends each group with end of sequence and end of stream, marked",
    ...{ kind: "packets", report: "ITU-T H.264, 7.3.2.6", codecs: ["h264"] },
    units: (units, { inGop }) => (inGop === 19 ? [...units, Buffer.from([10]), Buffer.from([11])] : units),
    pieces: (units) =>
      cut("h264", units).map((piece) => ({
        ...piece,
        marker: piece.marker || [10, 11].includes(nalType("h264", piece.payload)),
      })),
  },
  {
    name: "puts a size of four bytes before each unit",
    ...{ kind: "packets", report: "raptor #43", codecs: ["h264"] },
    units: (units) => [...units, Buffer.from([6, 5, 1, 0x41, 0x80])],
    pieces: (units) =>
      marked(
        units.flatMap((unit) =>
          unit.length < 100 ? [Buffer.concat([Buffer.from([0, 0, 0, 1]), unit])] : cutUnit("h264", unit),
        ),
      ),
  },
  {
    name: "begins each fragmented unit anew with SPS and PPS in an aggregate",
    ...{ kind: "packets", report: "retina PR 109", codecs: ["h264"] },
    units: (units, { sets }) => [...sets, ...units.filter((unit) => !isParameterSet("h264", unit))],
  },
  {
    name: "marks key frames by an extension of their first packet",
    ...{ kind: "packets", report: "onvif/specs PR 420" },
    packets: (packets, { key }) =>
      packets.map((packet, at) =>
        key && at === 0
          ? { ...packet, extension: { profile: 0xbede, data: Buffer.from([0xe0, 5, 0, 0]) } }
          : packet,
      ),
  },
  {
    name: "sends its VPS with each picture and the other parameter sets with key frames",
    claims: ["parameter sets"],
    ...{ kind: "H.265", report: "mediamtx #787", clip: "h265", codecs: ["h265"] },
    units: (units, { key, sets }) =>
      key ? units : [...sets.filter((unit) => nalType("h265", unit) === H265_VPS), ...units],
  },
  {
    name: "sends its parameter sets in another order, each twice",
    claims: ["parameter sets"],
    ...{ kind: "H.265", report: "go2rtc PR 1588", clip: "h265", codecs: ["h265"] },
    units: (units, { key, sets }) => {
      const others = units.filter((unit) => !isParameterSet("h265", unit));
      return key ? [...sets, ...sets].reverse().concat(others) : others;
    },
  },
  {
    name: "sends its parameter sets once, and announces none",
    claims: ["parameter sets"],
    ...{ kind: "H.265", report: "mediamtx #5861", clip: "h265", codecs: ["h265"] },
    sdp: (all) => all.filter((line) => !line.startsWith("a=fmtp:96")),
    units: (units, { index }) =>
      index === 0 ? units : units.filter((unit) => !isParameterSet("h265", unit)),
  },
  {
    name: "sends four slices a picture, and no start bit of fragments",
    ...{ kind: "H.265", report: "mediamtx #1570", clip: "h265Slices", codecs: ["h265"] },
    pieces: (units) =>
      cut("h265", units).map(({ payload, marker }) => {
        if (nalType("h265", payload) !== 49) return { payload, marker };
        const copy = Buffer.from(payload);
        copy[2] = (copy[2] ?? 0) & 0x7f;
        return { payload: copy, marker };
      }),
  },
  {
    name: "sends JPEG with a width and height of 0, and describes its size",
    ...{ kind: "packets", report: "v4l2rtspserver #253", clip: "mjpeg" },
    sdp: (all) =>
      all.flatMap((line) => (line.startsWith("a=rtpmap:26") ? [line, "a=framesize:26 320-240"] : [line])),
    pieces: jpegHeads((payload) => payload.fill(0, 6, 8)),
  },
  {
    name: "sends JPEG with zeros behind the end of each picture",
    ...{ kind: "packets", report: "v4l2rtspserver #53", clip: "mjpeg" },
    pieces: ([picture = Buffer.alloc(0)]) => {
      const parts = cutJpeg(picture);
      const last = parts.pop() ?? Buffer.alloc(0);
      return marked([...parts, Buffer.concat([last, Buffer.from([0xff, 0xd9, 0, 0, 0])])]);
    },
  },
  {
    name: "sends JPEG with a type-specific field in its headers",
    ...{ kind: "packets", report: "RFC 2435, 3.1.1", clip: "mjpeg" },
    pieces: jpegHeads((payload) => payload.fill(0x42, 0, 1)),
  },
  {
    name: "sends JPEG in packets of 200 bytes",
    ...{ kind: "packets", report: "RFC 2435, 3.1.2", clip: "mjpeg", over: "tcp" },
    pieces: ([picture = Buffer.alloc(0)]) =>
      marked(
        cutJpeg(picture).flatMap((payload, at) => {
          const head = payload.subarray(0, 8);
          const rest = payload.subarray(at === 0 ? 140 : 8);
          const from = head.readUIntBE(1, 3);
          return slices(rest, 200).map((part, index) => {
            const own = Buffer.from(head);
            own.writeUIntBE(from + 200 * index, 1, 3);
            const tables = at === 0 && index === 0 ? payload.subarray(8, 140) : Buffer.alloc(0);
            return Buffer.concat([own, tables, part]);
          });
        }),
      ),
  },
  {
    name: "sends MPEG-4 in packets of 150 bytes, its headers in one of their own",
    ...{ kind: "packets", report: "html5_rtsp_player #25", clip: "mpeg4" },
    pieces: (units) => marked(units.flatMap((unit) => slices(unit, 150))),
  },
  {
    name: "sends large pictures in fragments, each as large as a network allows",
    ...{ kind: "packets", report: "mediamtx #6134", codecs: ["h264"], over: "tcp" },
    pieces: (units) =>
      marked(units.flatMap((unit) => (unit.length > 2 * PAYLOAD_MAX ? halves(unit) : [unit]))),
  },
];
