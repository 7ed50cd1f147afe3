import type { ZooCodec } from "../codecs.js";
import { nalType } from "../codecs.js";
import { cutUnit, PAYLOAD_MAX, slices } from "../cutting.js";
import type { Habit, Piece } from "../habit.js";

const FU_A = 28;
const FU_B = 29;
const IRAP_FIRST = 16;
const IRAP_LAST = 21;

function marked(payloads: readonly Buffer[]): Piece[] {
  return payloads.map((payload, at) => ({ payload, marker: at === payloads.length - 1 }));
}

const NAMES = { h264: "H264", h265: "H265", mpeg4: "MP4V-ES", mjpeg: "JPEG" } as const;
const WORDS = { h264: "H.264", h265: "H.265", mpeg4: "MPEG-4", mjpeg: "JPEG" } as const;

/** Announces one codec, without parameters, and sends another. */
function misnamed(announced: ZooCodec, sent: ZooCodec): Habit {
  return {
    name: `announces ${WORDS[announced]}, and sends ${WORDS[sent]} by its type`,
    claims: ["parameter sets", "description"],
    ...{ kind: sent === "h265" ? "H.265" : "packets", report: "go2rtc #264", clip: sent, codecs: [sent] },
    sdp: (lines) =>
      lines.flatMap((line) => {
        if (line.startsWith("a=fmtp:96")) return [];
        return line.startsWith("a=rtpmap:96") || line.startsWith("a=rtpmap:26")
          ? [line.replace(NAMES[sent], NAMES[announced])]
          : [line];
      }),
  };
}

/** An H.265 picture's slices by another type. */
function typed(type: number): NonNullable<Habit["units"]> {
  return (units) =>
    units.map((unit) => {
      const own = nalType("h265", unit);
      if (own < IRAP_FIRST || own > IRAP_LAST) return unit;
      return Buffer.concat([Buffer.from([((unit[0] ?? 0) & 0x81) | (type << 1)]), unit.subarray(1)]);
    });
}

function annexB(units: readonly Buffer[]): Buffer {
  return Buffer.concat(units.flatMap((unit) => [Buffer.from([0, 0, 0, 1]), unit]));
}

/** Fragments of type FU-B, with the number of their unit or without. */
function fuB(how: {
  readonly at: "all" | "first";
  readonly isNumbered?: boolean;
}): NonNullable<Habit["pieces"]> {
  let number = 0x7ff0;
  return (units) =>
    marked(
      units.flatMap((unit) => {
        number = (number + 1) & 0xffff;
        const don = how.isNumbered === true ? [number >> 8, number & 0xff] : [];
        return cutUnit("h264", unit).map((payload, index) => {
          const [indicator = 0, header = 0] = payload;
          if ((indicator & 0x1f) !== FU_A || (how.at === "first" && index > 0)) return payload;
          return Buffer.concat([
            Buffer.from([(indicator & 0xe0) | FU_B, header, ...don]),
            payload.subarray(2),
          ]);
        });
      }),
    );
}

const NOT_ANNOUNCED = {
  ...{ isNothing: true, status: /has not announced/ },
  makes: "says that packets come which are not announced, and records what else there is",
};

/** Pictures under the name of quite another codec, and in forms that have no name. */
export const MISNAMED: readonly Habit[] = [
  misnamed("h264", "mjpeg"),
  misnamed("h265", "mjpeg"),
  misnamed("mpeg4", "mjpeg"),
  misnamed("h264", "mpeg4"),
  misnamed("h265", "mpeg4"),
  misnamed("mjpeg", "mpeg4"),
  misnamed("mjpeg", "h264"),
  misnamed("mpeg4", "h264"),
  misnamed("mjpeg", "h265"),
  misnamed("mpeg4", "h265"),
  {
    name: "sends key frames of the first reserved type",
    ...{ kind: "H.265", report: "RFC 7798, 4.4", clip: "h265", codecs: ["h265"] },
    units: typed(22),
  },
  {
    name: "sends key frames of the second reserved type",
    ...{ kind: "H.265", report: "RFC 7798, 4.4", clip: "h265", codecs: ["h265"] },
    units: typed(23),
  },
  {
    name: "sends a stream of ADTS that its packets cut anywhere",
    ...{ kind: "sound", report: "go2rtc #1118", sound: "adtsCut" },
  },
  {
    name: "sends H.264 as a stream of bytes that its packets cut anywhere",
    ...{ kind: "packets", report: "mediamtx #6134", codecs: ["h264"] },
    pieces: (units) => marked(slices(annexB(units), PAYLOAD_MAX)),
  },
  {
    name: "sends H.265 as a stream of bytes that its packets cut anywhere",
    ...{ kind: "H.265", report: "mediamtx #6134", clip: "h265", codecs: ["h265"] },
    pieces: (units) => marked(slices(annexB(units), PAYLOAD_MAX)),
  },
  {
    name: "sends fragments by the type that has numbers, and none",
    ...{ kind: "packets", report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: fuB({ at: "all" }),
  },
  {
    name: "sends first fragments by the type that has numbers, and none",
    ...{ kind: "packets", report: "livekit/ingress #273", codecs: ["h264"] },
    pieces: fuB({ at: "first" }),
  },
  {
    name: "numbers all fragments of a unit, not the first alone",
    ...{ kind: "packets", report: "RFC 6184, 5.8", codecs: ["h264"] },
    pieces: fuB({ at: "all", isNumbered: true }),
  },
  {
    name: "sends key frames by a payload type that it does not announce",
    claims: ["payload types"],
    ...{ kind: "numbering", report: "gortsplib #658", expect: NOT_ANNOUNCED },
    packets: (packets, { key }) => packets.map((packet) => (key ? { ...packet, payloadType: 97 } : packet)),
  },
  {
    name: "sends the last packet of each picture by a payload type that it does not announce",
    claims: ["payload types"],
    ...{ kind: "numbering", report: "gortsplib #658", expect: NOT_ANNOUNCED },
    packets: (packets) => packets.map((packet) => (packet.marker ? { ...packet, payloadType: 97 } : packet)),
  },
];
