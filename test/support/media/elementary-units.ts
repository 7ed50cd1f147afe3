import {
  h264NalType,
  h265NalType,
  isH264ParameterSet,
  isH265ParameterSet,
  splitNalUnits,
} from "./nal-units.js";

/**
 * What invariant 4 compares (docs/design/archive.md): the parts of an elementary stream that must come through
 * unchanged and in order, as texts. Parameter sets and access unit delimiters, which a sender may repeat or leave
 * out, are not among them.
 */
export type UnitSplitter = (stream: Buffer) => string[];

export const splitH264: UnitSplitter = (stream) =>
  textsOf(splitNalUnits(stream).filter((unit) => !isH264ParameterSet(unit) && h264NalType(unit) !== 9));

export const splitH265: UnitSplitter = (stream) =>
  textsOf(splitNalUnits(stream).filter((unit) => !isH265ParameterSet(unit) && h265NalType(unit) !== 35));

/** MPEG-4 Part 2: the VOPs (ISO/IEC 14496-2, start code B6); headers above them may be repeated. */
export const splitMpeg4: UnitSplitter = (stream) =>
  textsOf(splitNalUnits(stream).filter((unit) => unit[0] === 0xb6));

/**
 * MJPEG: of each picture the different quantization tables and the scan data (ITU-T T.81, B.1). Ids are not compared:
 * RFC 2435 gives luma and chroma each a table, also where the camera had one for both. Nor is a repeated EOI.
 */
export const splitMjpeg: UnitSplitter = (stream) => {
  const pictures: string[] = [];
  for (let at = stream.indexOf("\xff\xd8\xff", 0, "latin1"); at >= 0; ) {
    const next = stream.indexOf("\xff\xd9\xff\xd8\xff", at, "latin1");
    const end = next < 0 ? stream.length : next + 2;
    pictures.push(pictureText(stream.subarray(at, end)));
    at = next < 0 ? -1 : end;
  }
  return pictures;
};

const DQT = 0xdb;
const SOS = 0xda;

function pictureText(picture: Buffer): string {
  const tables: string[] = [];
  let at = 2;
  while (at + 4 <= picture.length) {
    const marker = picture.readUInt8(at + 1);
    const end = at + 2 + picture.readUInt16BE(at + 2);
    if (marker === DQT) tables.push(...quantizationTables(picture.subarray(at + 4, end)));
    at = end;
    if (marker === SOS) break;
  }
  let end = picture.length;
  while (picture.toString("latin1", end - 2, end) === "\xff\xd9") end -= 2;
  return `${[...new Set(tables)].sort().join(" ")} ${picture.toString("base64", at, end)}`;
}

/** The 8-bit tables of a DQT segment: 64 values each, without the id. */
function quantizationTables(segment: Buffer): string[] {
  const tables: string[] = [];
  for (let at = 0; at + 65 <= segment.length; at += 65) tables.push(segment.toString("hex", at + 1, at + 65));
  return tables;
}

function textsOf(units: readonly Buffer[]): string[] {
  return units.map((unit) => unit.toString("base64"));
}

/**
 * Whether `received` is a run of the endless repetition of `clip`. Undefined when it is, else the first place where
 * it is not, for the best start.
 */
export function differenceFromLoop(received: readonly string[], clip: readonly string[]): string | undefined {
  if (received.length === 0) return "nothing was received";
  let longest = 0;
  for (
    let start = clip.indexOf(received[0] ?? "");
    start >= 0;
    start = clip.indexOf(received[0] ?? "", start + 1)
  ) {
    const differs = received.findIndex((unit, at) => unit !== clip[(start + at) % clip.length]);
    if (differs < 0) return undefined;
    longest = Math.max(longest, differs);
  }
  return `unit ${longest} of ${received.length} is not what was sent (the clip has ${clip.length} units)`;
}
