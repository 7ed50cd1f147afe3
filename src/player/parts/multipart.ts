import { formatApiTimeMs } from "../../base/index.js";

/** The boundary before the first part, without a leading line break. */
export const FIRST_BOUNDARY: Uint8Array = Buffer.from("--myboundary\r\n");

/** Sent directly after each part, because some clients show a frame only after the next boundary line. */
const PART_END: Uint8Array = Buffer.from("\r\n--myboundary\r\n");

/** One part as sent: header, the frame's bytes without copying, and the following boundary line. */
export type Part = readonly Uint8Array[];

/** A part of any type, without copying its bytes. `timeUs`: Unix microseconds. */
export function typedPart(type: string, timeUs: number, ranges: readonly Uint8Array[]): Part {
  let byteLength = 0;
  for (const range of ranges) byteLength += range.length;
  return [partHead(type, timeUs, byteLength), ...ranges, PART_END];
}

/** The header lines of a part and the blank line after them. */
export function partHead(type: string, timeUs: number, byteLength: number): Uint8Array {
  const time = formatApiTimeMs(timeUs);
  const head = `Content-Type: ${type}\r\nTimestamp: ${time}\r\nContent-Length: ${byteLength}\r\n\r\n`;
  return Buffer.from(head, "latin1");
}
