import { BitReader, rawPayload } from "./bit-reader.js";

/** What nvrd reads from a sequence parameter set, of H.264 or H.265. */
export interface SequenceParameters {
  /** The set's id, by which picture parameter sets refer to it. */
  readonly id: number;
  /** Picture size in pixels after cropping. */
  readonly width: number;
  readonly height: number;
  /**
   * Pictures that may precede a picture in decoding order and follow it in output order; undefined if the SPS does not
   * say.
   */
  readonly reorderDepth: number | undefined;
  /** Pictures may be fields, two of which make a frame. */
  readonly mayHaveFields: boolean;
  /** chroma_format_idc: 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormat: number;
  /** Bits of a luma and of a chroma sample, 8 to 14 (H.265: to 16). */
  readonly lumaBits: number;
  readonly chromaBits: number;
}

/** Largest side of a picture: level 6.2 allows 16888 (ITU-T H.264, A.3.1; H.265, A.4.1). */
export const PICTURE_SIDE_MAX = 16_888;
/** Largest reorder depth: 16 frames fit a decoded picture buffer (ITU-T H.264, A.3.1). */
export const REORDER_DEPTH_MAX = 16;

const SET_ID_MAX = 31;
const POC_CYCLE_MAX = 255;
const CPB_COUNT_MAX = 32;
const EXTENDED_SAR = 255;
const BASELINE_PROFILE = 66;
/** Profiles whose SPS carries the chroma format (ITU-T H.264, 7.3.2.1.1). */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** What else of an H.264 SPS decides whether pictures are reordered, and where it says so. */
interface H264Reordering {
  readonly profile: number;
  /** pic_order_cnt_type; 2: pictures are shown in the order of decoding. */
  readonly orderType: number;
  /** max_num_ref_frames. */
  readonly referenceFrames: number;
  /** Position in the raw payload of vui_parameters_present_flag, bits. */
  readonly vuiAt: number;
  /** Likewise of bitstream_restriction_flag; undefined without a VUI, or where that is damaged. */
  readonly restrictionAt: number | undefined;
  /** Whether that flag is set. */
  readonly isRestricted: boolean;
}

interface ReadSps {
  readonly parameters: SequenceParameters;
  readonly reordering: H264Reordering;
}

/**
 * Reads an H.264 SPS, NAL header included (ITU-T H.264, 7.3.2.1.1). Bytes after it are ignored. Undefined if it is not
 * one.
 */
export function parseH264Sps(nal: Uint8Array): SequenceParameters | undefined {
  return readSps(nal)?.parameters;
}

/** Reads how an H.264 SPS, NAL header included, orders pictures. Undefined if it is not one. */
export function h264Reordering(nal: Uint8Array): H264Reordering | undefined {
  return readSps(nal)?.reordering;
}

function readSps(nal: Uint8Array): ReadSps | undefined {
  if (((nal[0] ?? 0) & 0x1f) !== 7) return undefined;
  const reader = new BitReader(rawPayload(nal, 1));
  const profile = reader.bits(8);
  reader.skip(16);
  const id = reader.unsignedGolomb();
  const chroma = HIGH_PROFILES.has(profile) ? readChroma(reader) : CHROMA_420;
  reader.unsignedGolomb();
  const orderType = reader.unsignedGolomb();
  skipPictureOrder(reader, orderType);
  const referenceFrames = reader.unsignedGolomb();
  reader.skip(1);
  const { width, height, mayHaveFields } = readSize(reader, chroma);
  if (reader.overrun || id > SET_ID_MAX || !isPictureSide(width) || !isPictureSide(height)) return undefined;
  const impliedDepth = orderType === 2 || profile === BASELINE_PROFILE ? 0 : undefined;
  const vuiAt = reader.position;
  const restriction = readRestriction(reader);
  const reorderDepth = restriction.depth ?? impliedDepth;
  const { format: chromaFormat, lumaBits, chromaBits } = chroma;
  const { at: restrictionAt, isRestricted } = restriction;
  return {
    parameters: { id, width, height, mayHaveFields, reorderDepth, chromaFormat, lumaBits, chromaBits },
    reordering: { profile, orderType, referenceFrames, vuiAt, restrictionAt, isRestricted },
  };
}

/** Size after cropping. */
type Size = Pick<SequenceParameters, "width" | "height" | "mayHaveFields">;

function readSize(reader: BitReader, chroma: Chroma): Size {
  const widthBlocks = reader.unsignedGolomb() + 1;
  const heightUnits = reader.unsignedGolomb() + 1;
  const fieldFactor = reader.flag() ? 1 : 2;
  if (fieldFactor === 2) reader.skip(1);
  reader.skip(1);
  const crop = readCrop(reader);
  const planes = chroma.separatePlanes ? 0 : chroma.format;
  const width = widthBlocks * 16 - crop.horizontal * (planes === 1 || planes === 2 ? 2 : 1);
  const height = heightUnits * 16 * fieldFactor - crop.vertical * (planes === 1 ? 2 : 1) * fieldFactor;
  return { width, height, mayHaveFields: fieldFactor === 2 };
}

export function isPictureSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels > 0 && pixels <= PICTURE_SIDE_MAX;
}

interface Chroma {
  readonly format: number;
  readonly separatePlanes: boolean;
  readonly lumaBits: number;
  readonly chromaBits: number;
}

/** Chroma format of profiles whose SPS does not carry it (ITU-T H.264, 7.4.2.1.1). */
const CHROMA_420: Chroma = { format: 1, separatePlanes: false, lumaBits: 8, chromaBits: 8 };

function readChroma(reader: BitReader): Chroma {
  const format = reader.unsignedGolomb();
  const separatePlanes = format === 3 && reader.flag();
  const lumaBits = 8 + reader.unsignedGolomb();
  const chromaBits = 8 + reader.unsignedGolomb();
  reader.skip(1);
  if (reader.flag()) skipScalingMatrix(reader, format === 3 ? 12 : 8);
  return { format, separatePlanes, lumaBits, chromaBits };
}

/** ITU-T H.264, 7.3.2.1.1.1. */
function skipScalingMatrix(reader: BitReader, lists: number): void {
  for (let list = 0; list < lists; list += 1) {
    if (!reader.flag()) continue;
    const size = list < 6 ? 16 : 64;
    let last = 8;
    for (let index = 0; index < size && !reader.overrun; index += 1) {
      const next = (last + reader.signedGolomb() + 256) % 256;
      if (next === 0) break;
      last = next;
    }
  }
}

function skipPictureOrder(reader: BitReader, pocType: number): void {
  if (pocType === 0) reader.unsignedGolomb();
  if (pocType !== 1) return;
  reader.skip(1);
  reader.signedGolomb();
  reader.signedGolomb();
  const cycle = Math.min(reader.unsignedGolomb(), POC_CYCLE_MAX);
  for (let index = 0; index < cycle && !reader.overrun; index += 1) reader.signedGolomb();
}

function readCrop(reader: BitReader): { horizontal: number; vertical: number } {
  if (!reader.flag()) return { horizontal: 0, vertical: 0 };
  const horizontal = reader.unsignedGolomb() + reader.unsignedGolomb();
  const vertical = reader.unsignedGolomb() + reader.unsignedGolomb();
  return { horizontal, vertical };
}

interface Restriction {
  /** Position of bitstream_restriction_flag; undefined without a VUI, or where it is truncated. */
  readonly at: number | undefined;
  readonly isRestricted: boolean;
  /** max_num_reorder_frames; undefined if the VUI does not carry it or is truncated. */
  readonly depth: number | undefined;
}

const NO_RESTRICTION: Restriction = { at: undefined, isRestricted: false, depth: undefined };

/** The end of the VUI (ITU-T H.264, E.1.1). */
function readRestriction(reader: BitReader): Restriction {
  if (!reader.flag()) return NO_RESTRICTION;
  if (reader.flag() && reader.bits(8) === EXTENDED_SAR) reader.skip(32);
  if (reader.flag()) reader.skip(1);
  if (reader.flag()) {
    reader.skip(4);
    if (reader.flag()) reader.skip(24);
  }
  if (reader.flag()) {
    reader.unsignedGolomb();
    reader.unsignedGolomb();
  }
  if (reader.flag()) reader.skip(65);
  const nalHrd = reader.flag();
  if (nalHrd) skipHrd(reader);
  const vclHrd = reader.flag();
  if (vclHrd) skipHrd(reader);
  if (nalHrd || vclHrd) reader.skip(1);
  reader.skip(1);
  const at = reader.position;
  const isRestricted = reader.flag();
  if (reader.overrun) return NO_RESTRICTION;
  if (!isRestricted) return { at, isRestricted, depth: undefined };
  reader.skip(1);
  for (let field = 0; field < 4; field += 1) reader.unsignedGolomb();
  const depth = reader.unsignedGolomb();
  const isKnown = !reader.overrun && depth <= REORDER_DEPTH_MAX;
  return { at, isRestricted, depth: isKnown ? depth : undefined };
}

/** ITU-T H.264, E.1.2. */
function skipHrd(reader: BitReader): void {
  const count = Math.min(reader.unsignedGolomb() + 1, CPB_COUNT_MAX);
  reader.skip(8);
  for (let index = 0; index < count && !reader.overrun; index += 1) {
    reader.unsignedGolomb();
    reader.unsignedGolomb();
    reader.skip(1);
  }
  reader.skip(20);
}
