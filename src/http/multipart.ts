import { formatApiTimeMs } from "../base/index.js";
import type { Headers } from "./response.js";

/** Headers of every multipart answer. */
export const MULTIPART_HEADERS: Headers = [
  ["Content-Type", "multipart/x-mixed-replace; boundary=myboundary"],
  ["Cache-Control", "no-cache, no-store"],
];

/** Precedes the first part; nothing precedes it. */
export const FIRST_BOUNDARY: Uint8Array = Buffer.from("--myboundary\r\n");

/** Follows each part at once: some programs show a frame only when the next boundary line has arrived. */
const PART_END: Uint8Array = Buffer.from("\r\n--myboundary\r\n");

/** One part as it goes out: header, the frame's bytes where they lie, the boundary line after it. */
export type Part = readonly Uint8Array[];

/** A part of any type, its bytes where they lie. `timeUs`: Unix microseconds. */
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
