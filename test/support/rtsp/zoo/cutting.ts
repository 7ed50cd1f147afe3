import { fuA, h265Fu } from "../rtp-packets.js";
import { isParameterSet, nalType, type ZooCodec } from "./codecs.js";
import type { Piece } from "./habit.js";

/** Payload bytes of a packet. */
export const PAYLOAD_MAX = 1200;
const H264_AUD = 9;
const H265_AUD = 35;

/** How a camera without habits cuts a picture into packets. */
export function cut(codec: ZooCodec, units: readonly Buffer[]): Piece[] {
  const payloads = units.flatMap((unit) => cutUnit(codec, unit));
  return payloads.map((payload, index) => ({ payload, marker: index === payloads.length - 1 }));
}

export function cutUnit(codec: ZooCodec, unit: Buffer): Buffer[] {
  if (codec === "mjpeg") return cutJpeg(unit);
  if (unit.length <= PAYLOAD_MAX) return [unit];
  if (codec === "h264") return fuA(unit, PAYLOAD_MAX);
  if (codec === "h265") return h265Fu(unit, PAYLOAD_MAX);
  return slices(unit, PAYLOAD_MAX);
}

/** RFC 7798, 4.4.2. */
export function aggregate265(units: readonly Buffer[]): Buffer {
  const head = Buffer.from([48 << 1, 1]);
  const parts = units.flatMap((unit) => [Buffer.from([unit.length >> 8, unit.length & 0xff]), unit]);
  return Buffer.concat([head, ...parts]);
}

/** Parts of a unit without its header, and their place in it. */
export function slices(bytes: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return parts;
}

/** The units that are picture, without zeros at their end: what has to be recorded of a picture as it is. */
export function pictureUnits(codec: ZooCodec, units: readonly Buffer[]): Buffer[] {
  return units.filter((unit) => isPicture(codec, unit)).map(withoutZeros);
}

/** Units that go with pictures: all others but parameter sets and delimiters, which a recorder may repeat or leave out. */
export function otherUnits(codec: ZooCodec, units: readonly Buffer[]): Buffer[] {
  const delimiter = codec === "h265" ? H265_AUD : H264_AUD;
  const isOther = (unit: Buffer): boolean =>
    !isPicture(codec, unit) && !isParameterSet(codec, unit) && nalType(codec, unit) !== delimiter;
  return units.filter(isOther).map(withoutZeros);
}

function isPicture(codec: ZooCodec, unit: Buffer): boolean {
  const type = nalType(codec, unit);
  return codec === "h265" ? type < 32 : (type >= 1 && type <= 5) || type === 20;
}

function withoutZeros(unit: Buffer): Buffer {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}

interface JpegParts {
  readonly width: number;
  readonly height: number;
  readonly type: number;
  readonly tables: Buffer;
  readonly scan: Buffer;
}

/** How a picture of JPEG is cut otherwise. */
export interface JpegCut {
  /** The header of RFC 2435, 3.1.7, is before each part. */
  readonly restarts?: boolean;
  /** The tables as they are sent; none: those of the picture before are meant. */
  readonly tables?: (tables: Buffer) => Buffer;
}

/** RFC 2435, 3.1: the tables travel with the first packet of a picture (Q 255, or another that names them). */
export function cutJpeg(jpeg: Buffer, { restarts = false, tables: sent }: JpegCut = {}): Buffer[] {
  const { width, height, type, tables, scan } = jpegParts(jpeg);
  const bytes = sent?.(tables) ?? tables;
  const q = sent === undefined ? 255 : 200;
  let offset = 0;
  return slices(scan, PAYLOAD_MAX).map((part) => {
    const place = [0, offset >> 16, offset >> 8, offset, restarts ? type + 64 : type];
    const head = Buffer.from([...place, q, width / 8, height / 8]);
    const restart = restarts ? [Buffer.from([0, 4, 0xff, 0xff])] : [];
    const table = offset === 0 ? [Buffer.from([0, 0, bytes.length >> 8, bytes.length & 0xff]), bytes] : [];
    offset += part.length;
    return Buffer.concat([head, ...restart, ...table, part]);
  });
}

function jpegParts(jpeg: Buffer): JpegParts {
  let at = 2;
  let width = 0;
  let height = 0;
  let type = 1;
  const tables: Buffer[] = [];
  for (;;) {
    const marker = jpeg[at + 1];
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (marker === 0xdb)
      for (let from = at + 4; from + 65 <= end; from += 65) tables.push(jpeg.subarray(from + 1, from + 65));
    if (marker === 0xc0) {
      height = jpeg.readUInt16BE(at + 5);
      width = jpeg.readUInt16BE(at + 7);
      type = jpeg[at + 11] === 0x22 ? 1 : 0;
    }
    at = end;
    if (marker === 0xda) break;
  }
  const [luma = Buffer.alloc(64), chroma = luma] = tables;
  return {
    width,
    height,
    type,
    tables: Buffer.concat([luma, chroma]),
    scan: jpeg.subarray(at, jpeg.length - 2),
  };
}
