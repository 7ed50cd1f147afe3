import { NvrdError } from "../base/index.js";
import { Codec } from "../live/index.js";
import { nalUnitsOf } from "../rtsp/server/index.js";

/** Largest clip that is read, in bytes. */
export const CLIP_BYTES_MAX = 64 * 1024 * 1024;
/** Most NAL units or pictures in a clip. */
export const CLIP_PARTS_MAX = 500_000;

export type ClipCodec = typeof Codec.H264 | typeof Codec.H265 | typeof Codec.MJPEG;

export interface ClipSettings {
  /** For messages. */
  readonly name: string;
  readonly codec: ClipCodec;
  readonly framesPerSecond: number;
  /** Picture size in pixels; not read from the elementary stream. */
  readonly width: number;
  readonly height: number;
}

/** One access unit: Annex B with four-byte start codes, or a whole JPEG. */
interface AccessUnit {
  readonly bytes: Uint8Array;
  readonly key: boolean;
}

export interface Clip extends ClipSettings {
  /** In decoding order, the first one a key frame; assumed without B-frames. At least one. */
  readonly units: readonly AccessUnit[];
  /** Parameter sets of the first key frame, as Annex B; empty for MJPEG. */
  readonly initialization: Uint8Array;
}

const START_CODE = Buffer.from([0, 0, 0, 1]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * Role of a NAL unit in finding access units. `prefix` and `set` (a parameter set) begin a new access unit if the
 * current one has a coded slice; `other` belongs to the current one.
 */
type NalKind = "prefix" | "set" | "first slice" | "first key slice" | "slice" | "other";

type NalBoundary = (nal: Uint8Array) => NalKind;

/**
 * H.264 (ITU-T H.264, 7.4.1.2.3). A slice with first_mb_in_slice 0 begins a picture: arbitrary slice order, which no
 * surveillance encoder uses, is not supported.
 */
const h264Boundary: NalBoundary = (nal) => {
  const type = (nal[0] ?? 0) & 0x1f;
  // first_mb_in_slice is ue(v): 0 is the single bit 1.
  if (type === 1 || type === 5) {
    if (((nal[1] ?? 0) & 0x80) === 0) return "slice";
    return type === 5 ? "first key slice" : "first slice";
  }
  if (type >= 2 && type <= 4) return "slice";
  if (type === 7 || type === 8) return "set";
  if (type === 6 || type === 9 || (type >= 14 && type <= 18)) return "prefix";
  return "other";
};

/** H.265 (ITU-T H.265, 7.4.2.4.4): first_slice_segment_in_pic_flag is the first bit after the two header bytes. */
const h265Boundary: NalBoundary = (nal) => {
  const type = ((nal[0] ?? 0) >> 1) & 0x3f;
  if (type < 32) {
    if (((nal[2] ?? 0) & 0x80) === 0) return "slice";
    return type >= 16 && type <= 21 ? "first key slice" : "first slice";
  }
  if (type >= 32 && type <= 34) return "set";
  const isPrefix = type === 35 || type === 39 || (type >= 41 && type <= 44) || (type >= 48 && type <= 55);
  return isPrefix ? "prefix" : "other";
};

/**
 * Splits an elementary stream into access units. Throws NvrdError INTERNAL if the bytes are not a stream of that codec
 * or do not begin with a key frame.
 */
export function parseClip(settings: ClipSettings, bytes: Uint8Array): Clip {
  if (bytes.length > CLIP_BYTES_MAX) throw unusable(settings, `it is larger than ${CLIP_BYTES_MAX} bytes`);
  if (!(settings.framesPerSecond > 0)) throw unusable(settings, "its frame rate is not positive");
  const { units, initialization } =
    settings.codec === Codec.MJPEG
      ? { units: jpegPictures(bytes), initialization: Buffer.alloc(0) }
      : annexBUnits(bytes, settings.codec === Codec.H264 ? h264Boundary : h265Boundary);
  const [first] = units;
  if (first === undefined) throw unusable(settings, "it has no picture");
  if (!first.key) throw unusable(settings, "its first picture is not a key frame");
  return { ...settings, units, initialization };
}

function unusable(settings: ClipSettings, why: string): NvrdError {
  return new NvrdError("INTERNAL", `the clip ${settings.name} cannot be played: ${why}; install nvrd again`);
}

/** Access units by the standards' rules on order; NAL units before the first coded slice belong to the first one. */
function annexBUnits(bytes: Uint8Array, boundary: NalBoundary) {
  const units: AccessUnit[] = [];
  const sets: Buffer[] = [];
  let parts: Buffer[] = [];
  let hasSlice = false;
  let key = false;
  const close = () => {
    if (hasSlice) units.push({ bytes: Buffer.concat(parts), key });
    parts = [];
    hasSlice = false;
    key = false;
  };
  for (const nal of nalUnitsOf(bytes, CLIP_PARTS_MAX)) {
    const kind = boundary(nal);
    const startsUnit =
      kind === "prefix" || kind === "first slice" || kind === "first key slice" || kind === "set";
    if (hasSlice && startsUnit) close();
    if (kind === "set" && units.length === 0) sets.push(START_CODE, nal);
    parts.push(START_CODE, nal);
    if (kind === "first slice" || kind === "first key slice" || kind === "slice") hasSlice = true;
    if (kind === "first key slice") key = true;
  }
  close();
  return { units, initialization: Buffer.concat(sets) };
}

/**
 * Pictures from SOI to EOI. An EOI within a marker segment (a thumbnail) would end a picture early; the bundled clips
 * have none.
 */
function jpegPictures(bytes: Uint8Array): AccessUnit[] {
  const stream = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const units: AccessUnit[] = [];
  for (let start = stream.indexOf(JPEG_START); start !== -1 && units.length < CLIP_PARTS_MAX; ) {
    const end = stream.indexOf(JPEG_END, start + JPEG_START.length);
    if (end === -1) break;
    units.push({ bytes: stream.subarray(start, end + JPEG_END.length), key: true });
    start = stream.indexOf(JPEG_START, end + JPEG_END.length);
  }
  return units;
}
