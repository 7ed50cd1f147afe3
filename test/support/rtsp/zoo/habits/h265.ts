import { isParameterSet, nalType } from "../codecs.js";

import { aggregate265, cut, cutUnit, PAYLOAD_MAX, slices } from "../cutting.js";
import type { Habit, Piece } from "../habit.js";

const kind = "H.265";
const codecs = ["h265"] as const;
const VPS = 32;
const PPS = 34;
const FU = 49;

function marked(payloads: readonly Buffer[]): Piece[] {
  return payloads.map((payload, at) => ({ payload, marker: at === payloads.length - 1 }));
}

function withoutSets(units: readonly Buffer[]): Buffer[] {
  return units.filter((unit) => !isParameterSet("h265", unit));
}

/** The SDP's fmtp of the video, otherwise. */
function fmtp(change: (parameters: string) => string): (lines: string[]) => string[] {
  return (lines) =>
    lines.map((line) => (line.startsWith("a=fmtp:96 ") ? `a=fmtp:96 ${change(line.slice(10))}` : line));
}

/** A whole unit in one fragmentation unit that both begins and ends it. */
function fragmentOfOne(unit: Buffer): Buffer {
  const head = Buffer.from([((unit[0] ?? 0) & 0x81) | (FU << 1), unit[1] ?? 0, 0xc0 | nalType("h265", unit)]);
  return Buffer.concat([head, unit.subarray(2)]);
}

/** RFC 7798, 4.4.4: a single unit behind a PACI header without extensions. */
function paci(unit: Buffer): Buffer {
  const head = Buffer.from([((unit[0] ?? 0) & 0x81) | (50 << 1), unit[1] ?? 0]);
  const fields = Buffer.from([nalType("h265", unit) << 1, 0]);
  return Buffer.concat([head, fields, unit.subarray(2)]);
}

/** RFC 7798, 4.4.1 to 4.4.3, with decoding order numbers. */
function withDonl(units: readonly Buffer[]): Piece[] {
  const donl = Buffer.from([0, 9]);
  return marked(
    units.flatMap((unit) => {
      if (unit.length <= PAYLOAD_MAX) return [Buffer.concat([unit.subarray(0, 2), donl, unit.subarray(2)])];
      return cutUnit("h265", unit).map((part, at) =>
        at === 0 ? Buffer.concat([part.subarray(0, 3), donl, part.subarray(3)]) : part,
      );
    }),
  );
}

const prefixSei = Buffer.from([39 << 1, 1, 5, 1, 0x41, 0x80]);
const suffixSei = Buffer.from([40 << 1, 1, 5, 1, 0x41, 0x80]);

/** What is peculiar to H.265. */
export const H265: readonly Habit[] = [
  {
    name: "wraps its units in PACI packets",
    ...{ kind, codecs, report: "ONVIF-Device-Manager PR 17", clip: "h265" },
    pieces: (units) =>
      marked(units.flatMap((unit) => (unit.length <= PAYLOAD_MAX ? [paci(unit)] : cutUnit("h265", unit)))),
  },
  {
    name: "aggregates parameter sets and SEI",
    ...{ kind, codecs, report: "go2rtc PR 2296", clip: "h265" },
    pieces: (units) => {
      const heads = units.filter((unit) => nalType("h265", unit) >= VPS);
      const rest = units
        .filter((unit) => nalType("h265", unit) < VPS)
        .flatMap((unit) => cutUnit("h265", unit));
      return marked(heads.length > 1 ? [aggregate265(heads), ...rest] : [...heads, ...rest]);
    },
  },
  {
    name: "aggregates whole pictures",
    ...{ kind, codecs, report: "ExoPlayer #10600", clip: "h265", over: "tcp" },
    pieces: (units) => marked([units.length > 1 ? aggregate265(units) : (units[0] ?? Buffer.alloc(0))]),
  },
  {
    name: "sends decoding order numbers",
    ...{ kind, codecs, report: "SharpRTSP PR 94", clip: "h265" },
    sdp: fmtp((parameters) => `${parameters};sprop-max-don-diff=1`),
    pieces: withDonl,
  },
  {
    name: "announces no VPS",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "go2rtc PR 1588", clip: "h265" },
    sdp: fmtp((parameters) => parameters.replace(/sprop-vps=[^;]*;/, "")),
  },
  {
    name: "announces its VPS and does not send it",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "go2rtc PR 1588", clip: "h265" },
    units: (units) => units.filter((unit) => nalType("h265", unit) !== VPS),
  },
  {
    name: "has no VPS at all",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "go2rtc PR 1588", clip: "h265" },
    sdp: fmtp((parameters) => parameters.replace(/sprop-vps=[^;]*;/, "")),
    units: (units) => units.filter((unit) => nalType("h265", unit) !== VPS),
  },
  {
    name: "announces its parameter sets and does not send them",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "ONVIF-Device-Manager #20", clip: "h265" },
    units: withoutSets,
  },
  {
    name: "sends its parameter sets and does not announce them",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "androidx/media #1347", clip: "h265" },
    sdp: (lines) => lines.filter((line) => !line.startsWith("a=fmtp:96")),
  },
  {
    name: "announces its parameter sets by the names of H.264",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "go2rtc PR 1588", clip: "h265" },
    sdp: fmtp(
      (parameters) => `sprop-parameter-sets=${parameters.replace(/sprop-\w+=/g, "").replace(/;/g, ",")}`,
    ),
  },
  {
    name: "announces its parameter sets under each other's names, and sends none",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "gortsplib #402", clip: "h265" },
    sdp: fmtp((parameters) =>
      parameters
        .replace("sprop-vps", "sprop-x")
        .replace("sprop-pps", "sprop-vps")
        .replace("sprop-x", "sprop-pps"),
    ),
    units: withoutSets,
  },
  {
    name: "sends its parameter sets with each picture",
    ...{ kind, codecs, report: "mediamtx #787", clip: "h265" },
    units: (units, { key, sets }) => (key ? units : [...sets, ...units]),
  },
  {
    name: "sends its parameter sets with a timestamp and marker of their own",
    ...{ kind, codecs, report: "ex_nvr PR 709", clip: "h265" },
    packets: (packets) => {
      for (const packet of packets) {
        if (!isParameterSet("h265", packet.payload)) continue;
        packet.timestamp -= 4500;
        packet.marker = nalType("h265", packet.payload) === PPS;
      }
      return packets;
    },
  },
  {
    name: "fragments its parameter sets",
    ...{ kind, codecs, report: "OvenMediaEngine PR 2032", clip: "h265" },
    pieces: (units) =>
      marked(units.flatMap((unit) => (isParameterSet("h265", unit) ? halves(unit) : cutUnit("h265", unit)))),
  },
  {
    name: "begins with a CRA picture and its skipped leading pictures",
    ...{ kind, codecs, report: "rerun PR 12818", clip: "h265Cra", from: 19 },
  },
  { name: "sends temporal layers", ...{ kind, codecs, report: "mediacommon PR 368", clip: "h265Layers" } },
  { name: "sends B pictures", ...{ kind, codecs, report: "ossrs/srs #3904", clip: "h265B" } },
  {
    name: "sets the marker at each slice of a picture",
    ...{ kind, codecs, report: "smolrtsp PR 43", clip: "h265Slices" },
    pieces: (units) =>
      units.flatMap((unit) => {
        const parts = cutUnit("h265", unit);
        return parts.map((payload, at) => ({
          payload,
          marker: nalType("h265", unit) < VPS && at === parts.length - 1,
        }));
      }),
  },
  {
    name: "sends slices of a picture without any marker",
    ...{ kind, codecs, report: "uvgRTP #261", clip: "h265Slices" },
    pieces: (units) => cut("h265", units).map(({ payload }) => ({ payload, marker: false })),
  },
  { name: "sends ten bits and 4:2:2", ...{ kind, codecs, report: "RFC 7798, 7.1", clip: "h265Ten" } },
  {
    name: "sends SEI units alone, marked, after the picture and with its timestamp",
    ...{ kind, codecs, report: "mediamtx #6257", clip: "h265" },
    units: (units) => [...units, prefixSei, prefixSei],
    pieces: (units) => {
      const seis = units.filter((unit) => unit === prefixSei).map((payload) => ({ payload, marker: true }));
      return [
        ...cut(
          "h265",
          units.filter((unit) => unit !== prefixSei),
        ),
        ...seis,
      ];
    },
  },
  {
    name: "ends each picture with a suffix SEI",
    ...{ kind, codecs, report: "ITU-T H.265, 7.4.2.2", clip: "h265" },
    units: (units) => [...units, suffixSei],
  },
  {
    name: "sends delimiters in packets of their own, marked",
    ...{ kind, codecs, report: "mediamtx #6257", clip: "h265" },
    units: (units) => [Buffer.from([35 << 1, 1, 0x50]), ...units],
    pieces: (units) =>
      cut("h265", units).map((piece, at) => ({ ...piece, marker: piece.marker || at === 0 })),
  },
  {
    name: "changes the type of a unit within its fragments",
    ...{ kind, codecs, report: "retina #121", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).map(({ payload, marker }) => {
        const bits = payload[2] ?? 0;
        if (nalType("h265", payload) !== FU || bits & 0x80) return { payload, marker };
        const copy = Buffer.from(payload);
        copy[2] = (bits & 0x40) | 38;
        return { payload: copy, marker };
      }),
  },
  {
    name: "ends fragmented units with a fragment without bytes",
    ...{ kind, codecs, report: "retina #115", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).flatMap(({ payload, marker }) => {
        const bits = payload[2] ?? 0;
        if (nalType("h265", payload) !== FU || (bits & 0x40) === 0) return [{ payload, marker }];
        const copy = Buffer.from(payload);
        copy[2] = bits & ~0x40;
        return [
          { payload: copy, marker: false },
          { payload: Buffer.from([payload[0] ?? 0, payload[1] ?? 0, bits & ~0x80]), marker },
        ];
      }),
  },
  {
    name: "aggregates one unit a packet",
    ...{ kind, codecs, report: "go2rtc PR 2296", clip: "h265" },
    pieces: (units) =>
      marked(
        units.flatMap((unit) =>
          unit.length <= PAYLOAD_MAX - 10 ? [aggregate265([unit])] : cutUnit("h265", unit),
        ),
      ),
  },
  {
    name: "wraps fragments in PACI packets",
    ...{ kind, codecs, report: "ONVIF-Device-Manager PR 17", clip: "h265" },
    pieces: (units) => cut("h265", units).map(({ payload, marker }) => ({ payload: paci(payload), marker })),
  },
  {
    name: "sends units of reserved types",
    ...{ kind, codecs, report: "RFC 7798, 4.4", clip: "h265" },
    pieces: (units) => [
      { payload: Buffer.from([41 << 1, 1, 7, 7]), marker: false },
      { payload: Buffer.from([55 << 1, 1, 7, 7]), marker: false },
      ...cut("h265", units),
    ],
  },
  {
    name: "announces parameter sets of another picture",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "mediamtx #6063", clip: "h265" },
    sdp: fmtp(() => "sprop-vps=QAEMAf//AWAAAAMAsAAAAwAAAwB7rAk=;sprop-sps=AAAA;sprop-pps=RAHA8vA8kA=="),
  },
  {
    name: "announces several parameter sets of a kind",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "RFC 7798, 7.1", clip: "h265" },
    sdp: fmtp((parameters) => parameters.replace(/(sprop-\w+=)([^;]+)/g, "$1$2,$2")),
    units: withoutSets,
  },
  {
    name: "sends its parameter sets behind the key frame that they are of",
    claims: ["parameter sets"],
    ...{ kind, codecs, report: "retina #13", clip: "h265" },
    units: (units) => [...withoutSets(units), ...units.filter((unit) => isParameterSet("h265", unit))],
  },
  {
    name: "puts a start code before each unit, and sets no marker",
    ...{ kind, codecs, report: "gortsplib #608", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).map(({ payload }) => ({
        payload:
          nalType("h265", payload) < 48 ? Buffer.concat([Buffer.from([0, 0, 0, 1]), payload]) : payload,
        marker: false,
      })),
  },
  {
    name: "ends each group with end of sequence, in PACI packets",
    ...{ kind, codecs, report: "ONVIF-Device-Manager PR 17", clip: "h265" },
    units: (units, { inGop }) => (inGop === 19 ? [...units, Buffer.from([36 << 1, 1])] : units),
    pieces: (units) =>
      marked(units.flatMap((unit) => (unit.length <= PAYLOAD_MAX ? [paci(unit)] : cutUnit("h265", unit)))),
  },
  {
    name: "puts a start code of three bytes before each unit",
    ...{ kind, codecs, report: "gortsplib #608", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).map(({ payload, marker }) => ({
        payload: nalType("h265", payload) < 48 ? Buffer.concat([Buffer.from([0, 0, 1]), payload]) : payload,
        marker,
      })),
  },
  {
    name: "sets start and end of a fragmented unit in one packet",
    ...{ kind, codecs, report: "alohartc #98", clip: "h265" },
    pieces: (units) =>
      marked(
        units.flatMap((unit) => (unit.length <= PAYLOAD_MAX ? [fragmentOfOne(unit)] : cutUnit("h265", unit))),
      ),
  },
  {
    name: "never sets the end bit of a fragmented unit",
    ...{ kind, codecs, report: "alohartc #98", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).map(({ payload, marker }) => {
        if (nalType("h265", payload) !== FU) return { payload, marker };
        const copy = Buffer.from(payload);
        copy[2] = (copy[2] ?? 0) & ~0x40;
        return { payload: copy, marker };
      }),
  },
  {
    name: "refreshes its pictures and sends no random access point",
    ...{ kind, codecs, report: "hls.js #850", clip: "h265Refresh", from: 20, seconds: 75 },
    expect: {
      mayMiss: ({ index, atMs }) => index < 620 || atMs < 62_000,
      status: /key frame/i,
      makes: "waits for a minute, says so, and records from then on, marked as not cleanly decodable",
    },
  },
  {
    name: "sends its first key frame after 63 seconds",
    claims: ["pace"],
    ...{ kind, codecs, report: "crumbvms #114", clip: "h265Long", from: 20, seconds: 80 },
    expect: {
      mayMiss: ({ index, atMs }) => index < 630 || atMs < 63_000,
      status: /key frame/i,
      makes: "waits, says so, and records from the first key frame on",
    },
  },
  {
    name: "sends a key frame every 65 seconds",
    ...{ kind, codecs, report: "frigate #1178", clip: "h265Long", seconds: 80 },
  },
  {
    name: "is announced as HEVC in lower case",
    ...{ kind, codecs, report: "RFC 7798, 7.1", clip: "h265" },
    sdp: (lines) => lines.map((line) => line.replace("H265/90000", "hevc/90000")),
  },
  {
    name: "ends each group with end of sequence and end of bitstream",
    ...{ kind, codecs, report: "ITU-T H.265, 7.4.2.2", clip: "h265" },
    units: (units, { inGop }) =>
      inGop === 19 ? [...units, Buffer.from([36 << 1, 1]), Buffer.from([37 << 1, 1])] : units,
  },
  {
    name: "sends filler data",
    ...{ kind, codecs, report: "ITU-T H.265, 7.3.2.8", clip: "h265" },
    units: (units) => [...units, Buffer.from([38 << 1, 1, 0xff, 0xff, 0x80])],
  },
  {
    name: "sends units of a second layer",
    ...{ kind, codecs, report: "medooze/media-server PR 160", clip: "h265" },
    units: (units) => [...units, Buffer.from([1 << 1, 9, 0xd0, 0x12, 0x34, 0x80])],
  },
  {
    name: "puts a start code before each unit",
    ...{ kind, codecs, report: "gortsplib #608", clip: "h265" },
    pieces: (units) =>
      cut("h265", units).map(({ payload, marker }) => ({
        payload:
          nalType("h265", payload) < 48 ? Buffer.concat([Buffer.from([0, 0, 0, 1]), payload]) : payload,
        marker,
      })),
  },
];

function halves(unit: Buffer): Buffer[] {
  const parts = slices(unit.subarray(2), Math.ceil((unit.length - 2) / 2));
  return parts.map((part, at) => {
    const bits = (at === 0 ? 0x80 : 0) | (at === parts.length - 1 ? 0x40 : 0);
    const head = [((unit[0] ?? 0) & 0x81) | (FU << 1), unit[1] ?? 0, bits | nalType("h265", unit)];
    return Buffer.concat([Buffer.from(head), part]);
  });
}
