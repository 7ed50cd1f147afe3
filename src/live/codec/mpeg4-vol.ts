import { BitReader } from "./bit-reader.js";
import { isPictureSide } from "./h264-sps.js";

const VOL_START_CODE_FIRST = 0x20;
const VOL_START_CODE_LAST = 0x2f;
const RECTANGULAR_SHAPE = 0;
const EXTENDED_ASPECT = 15;
/** A VOL header is searched in this many bytes: it follows the sequence and object headers and their user data. */
const SEARCH_BYTES_MAX = 4096;

/**
 * Size of the first video object layer in an elementary stream's headers (ISO/IEC 14496-2, 6.2.3). Undefined if there
 * is none, or its shape is not rectangular.
 */
export function parseMpeg4VolSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const start = findVol(bytes);
  if (start === undefined) return undefined;
  const reader = new BitReader(bytes.subarray(start, start + SEARCH_BYTES_MAX));
  reader.skip(1 + 8);
  let version = 1;
  if (reader.flag()) {
    version = reader.bits(4);
    reader.skip(3);
  }
  if (reader.bits(4) === EXTENDED_ASPECT) reader.skip(16);
  if (reader.flag()) skipControlParameters(reader);
  const shape = reader.bits(2);
  if (shape !== RECTANGULAR_SHAPE || version > 5) return undefined;
  reader.skip(1);
  const resolution = reader.bits(16);
  reader.skip(1);
  if (reader.flag()) reader.skip(Math.max(1, 32 - Math.clz32(Math.max(0, resolution - 1))));
  reader.skip(1);
  const width = reader.bits(13);
  reader.skip(1);
  const height = reader.bits(13);
  if (reader.overrun || !isPictureSide(width) || !isPictureSide(height)) return undefined;
  return { width, height };
}

function findVol(bytes: Uint8Array): number | undefined {
  const end = Math.min(bytes.length - 3, SEARCH_BYTES_MAX);
  for (let index = 0; index < end; index += 1) {
    if (bytes[index] !== 0 || bytes[index + 1] !== 0 || bytes[index + 2] !== 1) continue;
    const code = bytes[index + 3] ?? 0;
    if (code >= VOL_START_CODE_FIRST && code <= VOL_START_CODE_LAST) return index + 4;
  }
  return undefined;
}

function skipControlParameters(reader: BitReader): void {
  reader.skip(2 + 1);
  if (reader.flag()) reader.skip(79);
}
