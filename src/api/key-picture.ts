import { Codec } from "../live/index.js";

/** A key picture's first NAL units stand at the start of its frame; parameter sets and SEI before it are small. */
const SCAN_BYTES_MAX = 4096;

/**
 * Whether a damaged frame is what is left of a key picture: it came as no key frame, because it cannot be decoded,
 * yet what follows refers to it. Parameter sets count, since they travel with key pictures.
 */
export function holdsKeyPicture(codec: Codec, ranges: readonly Uint8Array[]): boolean {
  switch (codec) {
    case Codec.MJPEG:
      return true;
    case Codec.H264:
      return someUnit(ranges, isH264Key);
    case Codec.H265:
      return someUnit(ranges, isH265Key);
    case Codec.MPEG4:
      return someUnit(ranges, isMpeg4Key);
    default:
      return false;
  }
}

/** IDR slice, SPS, PPS (H.264, table 7-1). */
function isH264Key(header: number): boolean {
  const type = header & 0x1f;
  return type === 5 || type === 7 || type === 8;
}

/** IRAP pictures, VPS, SPS, PPS (H.265, table 7-1). */
function isH265Key(header: number): boolean {
  const type = (header >> 1) & 0x3f;
  return (type >= 16 && type <= 21) || (type >= 32 && type <= 34);
}

/** A VOP of coding type I, or the visual object headers before one (ISO/IEC 14496-2, 6.2). */
function isMpeg4Key(startCode: number, next: number): boolean {
  if (startCode === 0xb6) return next >> 6 === 0;
  return startCode === 0xb0 || startCode === 0xb5 || startCode <= 0x2f;
}

/** Whether `matches` holds for the bytes after some start code in the first bytes of the frame. */
function someUnit(
  ranges: readonly Uint8Array[],
  matches: (header: number, next: number) => boolean,
): boolean {
  let room = SCAN_BYTES_MAX;
  for (const bytes of ranges) {
    const end = Math.min(bytes.length, room);
    for (let at = 0; at + 3 < end; at++) {
      if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1) continue;
      if (matches(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0)) return true;
    }
    room -= end;
  }
  return false;
}
