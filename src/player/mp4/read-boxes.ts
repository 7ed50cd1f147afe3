import { BOX_HEADER_BYTES } from "./box.js";

/** A box as it lies in what was read. */
export interface ReadBox {
  readonly type: string;
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The boxes that follow each other in `bytes`. Throws RangeError where it is anything else, or a box has a long size. */
export function boxesIn(bytes: Buffer): ReadBox[] {
  const boxes: ReadBox[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.length - at < BOX_HEADER_BYTES ? 0 : bytes.readUInt32BE(at);
    if (length < BOX_HEADER_BYTES || at + length > bytes.length)
      throw new RangeError("it does not consist of boxes");
    const whole = bytes.subarray(at, at + length);
    const type = whole.toString("latin1", 4, BOX_HEADER_BYTES);
    boxes.push({ type, whole, content: whole.subarray(BOX_HEADER_BYTES) });
    at += length;
  }
  return boxes;
}

/** The content of the first box at a path of types. Throws RangeError where there is none. */
export function boxAt(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((content, type) => {
    const found = boxesIn(content).find((each) => each.type === type);
    if (found === undefined) throw new RangeError(`there is no box ${type}`);
    return found.content;
  }, bytes);
}

/** Where a track has its number: in `tkhd` of version 1 or 0 (ISO/IEC 14496-12, 8.3.2). */
const TKHD_ID_AT = { version1: 28, version0: 20 } as const;

/** The number of a track, of the content of its `trak`. Throws RangeError where it has none. */
export function trackNumber(trak: Buffer): number {
  const tkhd = boxesIn(trak).find((each) => each.type === "tkhd")?.whole;
  const isLong = tkhd?.[BOX_HEADER_BYTES] === 1;
  return numberAt(tkhd, isLong ? TKHD_ID_AT.version1 : TKHD_ID_AT.version0);
}

/** Throws RangeError where there are no four bytes. */
export function numberAt(bytes: Buffer | undefined, at: number): number {
  if (bytes === undefined || bytes.length < at + 4) throw new RangeError("a box is too short");
  return bytes.readUInt32BE(at);
}
