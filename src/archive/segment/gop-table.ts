/** One GOP of a segment: where it starts and what it holds. */
export interface GopEntry {
  /** Decode time of its key frame, Unix µs. */
  readonly decodeTimeUs: number;
  /** Byte offset of the key frame's frame header in the segment file. */
  readonly offset: number;
  /** Video frames in it, the key frame included. */
  readonly frames: number;
  /** Lost bytes somewhere in it. */
  readonly damaged: boolean;
}

/**
 * The packed GOP table of footers, sync marks and index records: per GOP three unsigned LEB128 numbers: µs since the
 * previous GOP (the first: since `fromUs`), bytes since the previous GOP's offset (the first: since 0), frames times
 * two plus one when damaged. Times never go back, so all numbers are ≥ 0.
 */
export function packGopTable(gops: readonly GopEntry[], fromUs: number): Uint8Array {
  const out: number[] = [];
  let timeUs = fromUs;
  let offset = 0;
  for (const gop of gops) {
    pushVarint(out, gop.decodeTimeUs - timeUs);
    pushVarint(out, gop.offset - offset);
    pushVarint(out, gop.frames * 2 + (gop.damaged ? 1 : 0));
    timeUs = gop.decodeTimeUs;
    offset = gop.offset;
  }
  return Uint8Array.from(out);
}

/** Reads what `packGopTable` wrote. Throws RangeError on bytes it cannot have written. */
export function unpackGopTable(packed: Uint8Array, fromUs: number): GopEntry[] {
  const gops: GopEntry[] = [];
  const cursor = { at: 0 };
  let timeUs = fromUs;
  let offset = 0;
  while (cursor.at < packed.length) {
    timeUs += readVarint(packed, cursor);
    offset += readVarint(packed, cursor);
    const frames = readVarint(packed, cursor);
    gops.push({ decodeTimeUs: timeUs, offset, frames: Math.floor(frames / 2), damaged: frames % 2 === 1 });
  }
  return gops;
}

const VARINT_BYTES_MAX = 8;

/** Appends `value`, an integer of 0 to 2^53 - 1, as unsigned LEB128. Throws RangeError on any other value. */
export function pushVarint(out: number[], value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a table value: ${value}`);
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}

/** Reads what `pushVarint` wrote and moves the cursor behind it. Throws RangeError when it is torn. */
export function readVarint(packed: Uint8Array, cursor: { at: number }): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < VARINT_BYTES_MAX; count++) {
    const byte = packed[cursor.at];
    if (byte === undefined) break;
    cursor.at += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (!Number.isSafeInteger(value)) break;
      return value;
    }
    scale *= 0x80;
  }
  throw new RangeError("GOP table is torn");
}
