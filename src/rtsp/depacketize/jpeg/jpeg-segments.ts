import type { PictureSize } from "../../rtp/types.js";

/** Longest RTP header extension that is read for segments of a JPEG header. */
export const JPEG_EXTENSION_BYTES_MAX = 4096;
/** Most segments of one header. */
const SEGMENTS_MAX = 32;

const SOF0 = 0xc0;
const DHT = 0xc4;
const SOI = 0xd8;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
/** Frame headers (ITU-T T.81, table B.1): C0 to CF but DHT, JPG and DAC. */
const NO_FRAME_HEADERS: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
/** Marker, length, precision, height, width, number of components. */
const FRAME_HEADER_BYTES = 10;
const COMPONENT_BYTES = 3;
const COMPONENTS_MAX = 4;

/** ONVIF Streaming, 5.1.3 and 6.3: the "profile" of the header extension, alone or behind that of a replay. */
const JPEG_EXTENSION = 0xffd8;
const REPLAY_EXTENSION = 0xabac;
const REPLAY_BYTES = 12;

/** Segments of a JPEG header, each with its marker, in place of those that RFC 2435 would have made. */
export interface JpegSegments {
  /** The frame header, and what it says. */
  readonly frame: (PictureSize & { readonly bytes: Buffer; readonly components: Buffer }) | undefined;
  readonly quantizers: Buffer | undefined;
  readonly huffman: Buffer | undefined;
  readonly restart: Buffer | undefined;
}

/** Where the segments are in the RTP header extension at `at`, which says its length; undefined if it has none. */
export function jpegExtension(buffer: Buffer, at: number): Buffer | undefined {
  const end = at + 4 + 4 * buffer.readUInt16BE(at + 2);
  let start = at;
  if (buffer.readUInt16BE(start) === REPLAY_EXTENSION) start += 4 + REPLAY_BYTES;
  if (start + 4 > end || buffer.readUInt16BE(start) !== JPEG_EXTENSION) return undefined;
  const bytes = buffer.subarray(start + 4, end);
  return bytes.length > 0 && bytes.length <= JPEG_EXTENSION_BYTES_MAX ? bytes : undefined;
}

/** Whether `buffer` has the beginning of a whole JPEG at `at`. */
export function startsJpeg(buffer: Buffer, at: number, end: number): boolean {
  return end - at > 3 && buffer[at] === 0xff && buffer[at + 1] === SOI && buffer[at + 2] === 0xff;
}

/** Reads segments up to the scan or the end, in memory of their own; what is not understood is left out. Never throws. */
export function readJpegSegments(bytes: Buffer): JpegSegments {
  let frame: JpegSegments["frame"];
  const tables = new Map<number, Buffer[]>();
  let at = 0;
  for (let count = 0; count < SEGMENTS_MAX && at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      at += 1;
      continue;
    }
    if (marker === SOI) {
      at += 2;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length || marker === SOS) break;
    const segment = Buffer.from(bytes.subarray(at, end));
    if (marker >= SOF0 && marker <= 0xcf && !NO_FRAME_HEADERS.has(marker)) frame ??= readFrame(segment);
    else tables.set(marker, [...(tables.get(marker) ?? []), segment]);
    count += 1;
    at = end;
  }
  return {
    frame,
    quantizers: all(tables.get(DQT)),
    huffman: all(tables.get(DHT)),
    restart: all(tables.get(DRI)),
  };
}

function all(segments: readonly Buffer[] | undefined): Buffer | undefined {
  return segments === undefined ? undefined : Buffer.concat(segments);
}

/** ITU-T T.81, B.2.2. */
function readFrame(bytes: Buffer): JpegSegments["frame"] {
  const count = bytes[FRAME_HEADER_BYTES - 1] ?? 0;
  if (bytes.length < FRAME_HEADER_BYTES + count * COMPONENT_BYTES || count === 0 || count > COMPONENTS_MAX)
    return undefined;
  const components = Buffer.from(
    Array.from({ length: count }, (_, index) => bytes[FRAME_HEADER_BYTES + index * COMPONENT_BYTES] ?? 0),
  );
  const size = { height: bytes.readUInt16BE(5), width: bytes.readUInt16BE(7) };
  return size.width > 0 && size.height > 0 ? { ...size, bytes, components } : undefined;
}
