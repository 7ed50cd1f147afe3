/** Bytes of a box's size and type. */
export const BOX_HEADER_BYTES = 8;
const BOX_BYTES_MAX = 0xffff_ffff;
const TWO_TO_32 = 0x1_0000_0000;

/** A box (ISO/IEC 14496-12, 4.2) of a four-character type. For headers only: it copies its parts. */
export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, BOX_HEADER_BYTES);
  return Buffer.concat([boxHeader(type, bytes), ...parts], bytes);
}

/** A box with version and flags. */
export function fullBox(
  type: string,
  { version = 0, flags = 0 }: { readonly version?: number; readonly flags?: number },
  ...parts: readonly Uint8Array[]
): Buffer {
  return box(type, u32(version * 0x100_0000 + flags), ...parts);
}

/** Size and type of a box of `bytes` bytes, including these eight. Throws RangeError from 4 GiB on. */
export function boxHeader(type: string, bytes: number): Buffer {
  if (bytes > BOX_BYTES_MAX) throw new RangeError(`box ${type} of ${bytes} bytes`);
  const header = Buffer.allocUnsafe(BOX_HEADER_BYTES);
  header.writeUInt32BE(bytes, 0);
  header.write(type, 4, "latin1");
  return header;
}

/** Big-endian numbers. */
export function u8(...values: readonly number[]): Buffer {
  return Buffer.from(values);
}

export function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2);
  let at = 0;
  for (const value of values) at = bytes.writeUInt16BE(value, at);
  return bytes;
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  let at = 0;
  for (const value of values) at = bytes.writeUInt32BE(value, at);
  return bytes;
}

export function u64(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 8);
  let at = 0;
  for (const value of values) {
    writeU64(bytes, value, at);
    at += 8;
  }
  return bytes;
}

/** Writes a 64-bit number, 0 to 2^53 - 1. */
export function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32BE(Math.floor(value / TWO_TO_32), at);
  bytes.writeUInt32BE(value % TWO_TO_32, at + 4);
}

/** Null-terminated UTF-8 text. */
export function nullTerminated(text: string): Buffer {
  return Buffer.from(`${text.replaceAll("\0", "")}\0`);
}
