import { formatApiTimeMs } from "../base/index.js";
import { Codec, type Frame } from "../live/index.js";
import { alawToUlaw } from "../picture/index.js";
import type { Headers } from "./response.js";

/** Headers of every multipart answer (wire-compat.md, section 4). */
export const MULTIPART_HEADERS: Headers = [
  ["Content-Type", "multipart/x-mixed-replace; boundary=myboundary"],
  ["Cache-Control", "no-cache, no-store"],
];

/** Precedes the first part; nothing precedes it. */
export const FIRST_BOUNDARY: Uint8Array = Buffer.from("--myboundary\r\n");

/** Follows each part at once: some programs show a frame only when the next boundary line has arrived. */
const PART_END: Uint8Array = Buffer.from("\r\n--myboundary\r\n");

/** What the part of a frame says of it. */
export interface PartFields {
  readonly codec: Codec;
  readonly key: boolean;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
}

/** One part as it goes out: header, the frame's bytes where they lie, the boundary line after it. */
export type Part = readonly Uint8Array[];

/**
 * The part of a frame whose bytes lie in `ranges`. A-law becomes µ-law. Undefined for a codec that `/video` does
 * not carry as it is (AAC: SoundPartMaker). `Timestamp` is the presentation time, UTC.
 */
export function formatPart(fields: PartFields, ranges: readonly Uint8Array[]): Part | undefined {
  const type = partType(fields);
  if (type === undefined) return undefined;
  const bytes = fields.codec === Codec.PCMA ? ranges.map(alawToUlaw) : ranges;
  return typedPart(type, fields.decodeTimeUs + fields.presentationOffsetUs, bytes);
}

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

const PARTS = new WeakMap<Frame, Part>();

/** The part of a live frame, made once for all its viewers; valid while the frame is leased. */
export function partOfFrame(frame: Frame): Part | undefined {
  const known = PARTS.get(frame);
  if (known !== undefined) return known;
  const { key, decodeTimeUs, presentationOffsetUs, format } = frame;
  const part = formatPart(
    { codec: format.codec, key, decodeTimeUs, presentationOffsetUs },
    frame.ranges.map((range) => range.bytes),
  );
  if (part !== undefined) PARTS.set(frame, part);
  return part;
}

/** Part types of the reference, and `h265` in the same style. */
function partType(fields: PartFields): string | undefined {
  const kind = fields.key ? "I-frame" : "P-frame";
  switch (fields.codec) {
    case Codec.MJPEG:
      return "image/jpeg";
    case Codec.MPEG4:
      return `video, mpeg4, ${kind}`;
    case Codec.H264:
      return `video, h264, ${kind}`;
    case Codec.H265:
      return `video, h265, ${kind}`;
    case Codec.PCMU:
    case Codec.PCMA:
      return "audio, PCMU";
    default:
      return undefined;
  }
}
