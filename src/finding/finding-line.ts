import { crc32 } from "node:zlib";
import { type Guid, SEEN_KINDS, type SeenKind } from "../base/index.js";
import {
  boxWithin,
  FINDING_DIRECTIONS,
  FINDING_PATH_MAX,
  FINDING_SOURCES,
  FINDING_TEXT_CHARACTERS_MAX,
  FINDING_WORD_CHARACTERS_MAX,
  FINDING_ZONES_MAX,
  type Finding,
  type FindingBox,
  type FindingMoment,
  findingId,
} from "./finding.js";

/**
 * A finding as one line of a file: its CRC-32 in hexadecimal, a blank, JSON. A later line of the same begin replaces the one before.
 * What is torn or damaged costs the lines that it touches.
 */

/** Of a line, its end included. */
export const LINE_BYTES_MAX = 8 * 1024;
const CRC_DIGITS = 8;
/** Sides of a box are kept in steps of this: finer than a pixel of the pictures that are analysed. */
const BOX_STEPS = 10_000;

export function findingLine(finding: Finding): Buffer {
  const json = Buffer.from(JSON.stringify(lineObject(finding)), "utf8");
  return Buffer.concat([Buffer.from(`${crcText(json)} `), json, Buffer.from("\n")]);
}

function crcText(json: Uint8Array): string {
  return crc32(json).toString(16).padStart(CRC_DIGITS, "0");
}

function lineObject({ kind, label, source, sourceName, beginUs, seenUs, ...finding }: Finding) {
  const { isLasting, score, strength, zones, line, direction, text, path, best } = finding;
  return {
    b: beginUs,
    e: seenUs,
    k: kind,
    s: source,
    ...(isLasting ? { open: 1 } : {}),
    ...(label === "" ? {} : { l: label }),
    ...(sourceName === "" ? {} : { n: sourceName }),
    ...(score === undefined ? {} : { c: steps(score) }),
    ...(strength === undefined ? {} : { m: steps(strength) }),
    ...(zones.length === 0 ? {} : { z: zones }),
    ...(line === "" ? {} : { over: line }),
    ...(direction === undefined ? {} : { dir: direction }),
    ...(text === "" ? {} : { t: text }),
    ...(best === undefined ? {} : { best: momentOf(best.timeUs - beginUs, best.box) }),
    ...(path.length === 0 ? {} : { p: path.map(({ timeUs, box }) => momentOf(timeUs - beginUs, box)) }),
  };
}

/** Milliseconds since the begin, and the box. Never before the moment: the picture that is shown then would be the one before. */
function momentOf(sinceUs: number, box: FindingBox | undefined): number[] {
  const sinceMs = Math.ceil(Math.max(0, sinceUs) / 1000);
  if (box === undefined) return [sinceMs];
  return [sinceMs, steps(box.left), steps(box.top), steps(box.width), steps(box.height)];
}

function steps(part: number): number {
  return Math.round(part * BOX_STEPS);
}

/** What is left of a file's line: undefined where it is torn, damaged, or of a kind that this version does not know. */
export function readFindingLine(channelId: Guid, line: Uint8Array): Finding | undefined {
  if (line.length <= CRC_DIGITS + 1 || line.length > LINE_BYTES_MAX) return undefined;
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const json = bytes.subarray(CRC_DIGITS + 1);
  if (bytes.toString("latin1", 0, CRC_DIGITS + 1) !== `${crcText(json)} `) return undefined;
  try {
    return readObject(channelId, JSON.parse(json.toString("utf8")) as Readonly<Record<string, unknown>>);
  } catch {
    // A CRC that fits by chance, or a disk from elsewhere: it is no finding.
    return undefined;
  }
}

const KINDS: ReadonlySet<unknown> = new Set(SEEN_KINDS);

function readObject(channelId: Guid, said: Readonly<Record<string, unknown>>): Finding | undefined {
  const { b: beginUs, e: seenUs, k: kind, s } = said;
  const source = FINDING_SOURCES.find((name) => name === s);
  if (!isTime(beginUs) || !isTime(seenUs) || seenUs < beginUs || !KINDS.has(kind) || source === undefined)
    return undefined;
  const best = readMoment(said.best, beginUs);
  const path = Array.isArray(said.p) ? said.p.slice(0, FINDING_PATH_MAX) : [];
  return {
    ...{ id: findingId(channelId, beginUs), channelId, kind: kind as SeenKind, source, beginUs, seenUs },
    label: textOf(said.l),
    sourceName: textOf(said.n),
    isLasting: said.open === 1,
    score: partOf(said.c),
    strength: partOf(said.m),
    zones: Array.isArray(said.z) ? said.z.slice(0, FINDING_ZONES_MAX).map((zone) => textOf(zone)) : [],
    line: textOf(said.over),
    direction: FINDING_DIRECTIONS.find((name) => name === said.dir),
    text: textOf(said.t, FINDING_TEXT_CHARACTERS_MAX),
    path: path.flatMap((point): FindingMoment[] => {
      const moment = readMoment(point, beginUs);
      return moment?.box === undefined ? [] : [{ timeUs: moment.timeUs, box: moment.box }];
    }),
    best,
  };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function textOf(value: unknown, lengthMax = FINDING_WORD_CHARACTERS_MAX): string {
  return typeof value === "string" ? value.slice(0, lengthMax) : "";
}

function partOf(value: unknown): number | undefined {
  return typeof value === "number" ? Math.min(1, Math.max(0, value / BOX_STEPS)) : undefined;
}

function readMoment(
  value: unknown,
  beginUs: number,
): { readonly timeUs: number; readonly box: FindingBox | undefined } | undefined {
  if (!Array.isArray(value) || typeof value[0] !== "number") return undefined;
  const timeUs = beginUs + Math.round(value[0] * 1000);
  const [left, top, width, height] = value.slice(1).map(partOf);
  if (left === undefined || top === undefined || width === undefined || height === undefined)
    return { timeUs, box: undefined };
  return { timeUs, box: boxWithin({ left, top, width, height }) };
}
