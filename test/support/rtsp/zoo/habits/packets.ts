import { isParameterSet, nalType } from "../codecs.js";

import { cut, cutJpeg, cutUnit, type JpegCut, PAYLOAD_MAX, slices } from "../cutting.js";
import type { Habit, Piece } from "../habit.js";

const kind = "packets";
const START_CODE = Buffer.from([0, 0, 0, 1]);

function stapA(units: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([0x78]),
    ...units.flatMap((unit) => [Buffer.from([unit.length >> 8, unit.length & 0xff]), unit]),
  ]);
}

/** RFC 6184, 5.7.1: with the number of the first unit in decoding order. */
function stapB(units: readonly Buffer[]): Buffer {
  const aggregate = stapA(units).subarray(1);
  return Buffer.concat([Buffer.from([0x79, 0, 9]), aggregate]);
}

/** RFC 6184, 5.7.2: with a number and a time of each unit. */
function mtap(units: readonly Buffer[], timeBytes: 2 | 3): Buffer {
  const parts = units.map((unit, at) => {
    const head = Buffer.from([unit.length >> 8, unit.length & 0xff, at]);
    return Buffer.concat([head, Buffer.alloc(timeBytes), unit]);
  });
  return Buffer.concat([Buffer.from([timeBytes === 2 ? 0x7a : 0x7b, 0, 9]), ...parts]);
}

/** RFC 6184, 5.8: the first fragment has the number of its unit in decoding order. */
function fuB(unit: Buffer): Buffer[] {
  return cutUnit("h264", unit).map((part, at) => {
    if (at > 0) return part;
    return Buffer.concat([Buffer.from([((part[0] ?? 0) & 0xe0) | 29, part[1] ?? 0, 0, 9]), part.subarray(2)]);
  });
}

/** Small units as `small` has them, and large ones in fragments with numbers. */
function numbered(small: (units: readonly Buffer[]) => readonly Buffer[]): NonNullable<Habit["pieces"]> {
  return (units) => {
    const large = units.findIndex((unit) => unit.length > PAYLOAD_MAX - 100);
    const first = large < 0 ? units : units.slice(0, large);
    const rest = units
      .slice(first.length)
      .flatMap((unit) => (unit.length > PAYLOAD_MAX ? fuB(unit) : [unit]));
    const all = [...(first.length > 0 ? small(first) : []), ...rest];
    return all.map((payload, at) => ({ payload, marker: at === all.length - 1 }));
  };
}

function jpeg(how: JpegCut): NonNullable<Habit["pieces"]> {
  return ([picture = Buffer.alloc(0)]) => {
    const parts = cutJpeg(picture, how);
    return parts.map((payload, at) => ({ payload, marker: at === parts.length - 1 }));
  };
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
  {
    name: "aggregates with decoding order numbers",
    ...{ kind, report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: numbered((units) => [stapB(units)]),
  },
  {
    name: "aggregates units with times of their own, of 16 bits",
    ...{ kind, report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: numbered((units) => [mtap(units, 2)]),
  },
  {
    name: "aggregates units with times of their own, of 24 bits",
    ...{ kind, report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: numbered((units) => [mtap(units, 3)]),
  },
  {
    name: "begins fragmented units with decoding order numbers",
    ...{ kind, report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: numbered((units) => units),
  },
  {
    name: "ends fragmented units with a fragment without bytes",
    ...{ kind, report: "retina #115", codecs: ["h264"] },
    pieces: (units) =>
      cut("h264", units).flatMap(({ payload, marker }) => {
        const bits = payload[1] ?? 0;
        if ((payload[0] ?? 0) % 32 !== 28 || (bits & 0x40) === 0) return [{ payload, marker }];
        const rest = fragmentBits(payload, (own) => own & ~0x40);
        return [
          { payload: rest, marker: false },
          { payload: Buffer.from([payload[0] ?? 0, bits & ~0x80]), marker },
        ];
      }),
  },
  {
    name: "changes the type of a unit within its fragments",
    ...{ kind, report: "moonfire-nvr #344", codecs: ["h264"] },
    pieces: payloads((payload) => fragmentBits(payload, (bits) => (bits & 0x80 ? bits : (bits & 0xe0) | 1))),
  },
  {
    name: "sends SEI units alone, marked, after the picture and with its timestamp",
    ...{ kind, report: "moonfire-nvr #352", codecs: ["h264"] },
    pieces: (units) => [...cut("h264", units), { payload: Buffer.from([6, 5, 1, 0x41, 0x80]), marker: true }],
  },
  {
    name: "sends SEI units alone, marked, before the picture",
    ...{ kind, report: "moonfire-nvr #352", codecs: ["h264"] },
    pieces: (units) => [{ payload: Buffer.from([6, 5, 1, 0x41, 0x80]), marker: true }, ...cut("h264", units)],
  },
  {
    name: "sends delimiter and SEI units with the timestamp of the picture before",
    ...{ kind, report: "uvgRTP #85", codecs: ["h264"] },
    units: (units) => [Buffer.from([9, 0xf0]), Buffer.from([6, 5, 1, 0x41, 0x80]), ...units],
    packets: (packets) => {
      for (const packet of packets)
        if ([6, 9].includes((packet.payload[0] ?? 0) & 31)) packet.timestamp -= 9000;
      return packets;
    },
  },
  {
    name: "puts a start code of three bytes before each unit",
    ...{ kind, report: "gortsplib #608", codecs: ["h264"] },
    pieces: payloads((payload) =>
      (payload[0] ?? 0) % 32 < 24 ? Buffer.concat([START_CODE.subarray(1), payload]) : payload,
    ),
  },
  {
    name: "aggregates units without bytes",
    ...{ kind, report: "rtsp-client-android #93", codecs: ["h264"] },
    pieces: (units) => {
      // In their order: a slice is not sent before one that begins the picture.
      const large = units.findIndex((unit) => unit.length > 400);
      const small = large < 0 ? units : units.slice(0, large);
      const rest = units.slice(small.length).flatMap((unit) => cutUnit("h264", unit));
      const all = [stapA([Buffer.alloc(0), ...small, Buffer.alloc(0)]), ...rest];
      return all.map((payload, at) => ({ payload, marker: at === all.length - 1 }));
    },
  },
  {
    name: "sends units of types that nobody knows",
    ...{ kind, report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: (units) => [{ payload: Buffer.from([30, 1, 2, 3]), marker: false }, ...cut("h264", units)],
  },
  {
    name: "sends units of the types 0 and 22",
    ...{ kind, report: "RtspServer #72", codecs: ["h264"] },
    pieces: (units) => [
      { payload: Buffer.from([0x60, 1, 2, 3]), marker: false },
      { payload: Buffer.from([22, 1, 2, 3]), marker: false },
      ...cut("h264", units),
    ],
  },
  { name: "sends B pictures", ...{ kind, report: "frigate #8881", clip: "h264B" } },
  { name: "sends interlaced pictures", ...{ kind, report: "ITU-T H.264, 7.3.3", clip: "h264Fields" } },
  { name: "sends four slices a picture", ...{ kind, report: "MiBeeNvr PR 428", clip: "h264Slices" } },
  { name: "sends MPEG-4 Part 2", ...{ kind, report: "html5_rtsp_player #25", clip: "mpeg4" } },
  { name: "sends JPEG", ...{ kind, report: "SharpRTSP PR 94", clip: "mjpeg" } },
  {
    name: "sends JPEG, and stamps each packet anew",
    ...{ kind, report: "go2rtc #1713", clip: "mjpeg" },
    packets: (packets) => packets.map((packet, at) => ({ ...packet, timestamp: packet.timestamp + 10 * at })),
  },
  {
    name: "sends JPEG, and sets the marker on each packet",
    ...{ kind, report: "ustreamer PR 119", clip: "mjpeg" },
    packets: (packets) => packets.map((packet) => ({ ...packet, marker: true })),
  },
  {
    name: "sends JPEG, and never sets the marker",
    ...{ kind, report: "SharpRTSP #57", clip: "mjpeg" },
    packets: (packets) => packets.map((packet) => ({ ...packet, marker: false })),
  },
  {
    name: "sends JPEG with headers of restart markers",
    ...{ kind, report: "smolrtsp PR 61", clip: "mjpeg" },
    pieces: jpeg({ restarts: true }),
  },
  {
    name: "sends JPEG with three tables",
    ...{ kind, report: "v4l2rtspserver #361", clip: "mjpeg" },
    pieces: jpeg({ tables: (tables) => Buffer.concat([tables, tables.subarray(0, 64)]) }),
  },
  {
    name: "sends whole pictures of JPEG behind the headers of RFC 2435",
    ...{ kind, report: "v4l2rtspserver #253", clip: "mjpeg" },
    pieces: ([picture = Buffer.alloc(0)]) => {
      const parts = slices(picture, PAYLOAD_MAX);
      return parts.map((part, at) => {
        const head = Buffer.from([0, 0, 0, 0, 1, 255, 20, 16]);
        head.writeUIntBE(at * PAYLOAD_MAX, 1, 3);
        return { payload: Buffer.concat([head, part]), marker: at === parts.length - 1 };
      });
    },
  },
  {
    name: "sends whole pictures of JPEG without any header, the marker on each packet",
    ...{ kind, report: "v4l2rtspserver #253", clip: "mjpeg" },
    pieces: ([picture = Buffer.alloc(0)]) =>
      slices(picture, PAYLOAD_MAX).map((payload) => ({ payload, marker: true })),
  },
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
