import { BitReader, rawPayload } from "./bit-reader.js";
import { isPictureSide, REORDER_DEPTH_MAX, type SequenceParameters } from "./h264-sps.js";

const SPS_NAL_TYPE = 33;
export const SUB_LAYERS_MAX = 7;
const SET_ID_MAX = 15;
const NAL_HEADER_BYTES = 2;

/**
 * Reads an H.265 SPS, NAL header included (ITU-T H.265, 7.3.2.2), up to the reorder depth. Bytes after that are
 * ignored. Undefined if it is not one.
 */
export function parseH265Sps(nal: Uint8Array): SequenceParameters | undefined {
  if ((((nal[0] ?? 0) >> 1) & 0x3f) !== SPS_NAL_TYPE) return undefined;
  const reader = new BitReader(rawPayload(nal, NAL_HEADER_BYTES));
  reader.skip(4);
  const subLayers = reader.bits(3) + 1;
  if (subLayers > SUB_LAYERS_MAX) return undefined;
  reader.skip(1);
  skipProfileTierLevel(reader, subLayers);
  const id = reader.unsignedGolomb();
  const chromaFormat = reader.unsignedGolomb();
  const separatePlanes = chromaFormat === 3 && reader.flag();
  const codedWidth = reader.unsignedGolomb();
  const codedHeight = reader.unsignedGolomb();
  const crop = readConformanceWindow(reader);
  const lumaBits = 8 + reader.unsignedGolomb();
  const chromaBits = 8 + reader.unsignedGolomb();
  const planes = separatePlanes ? 0 : chromaFormat;
  const width = codedWidth - crop.horizontal * (planes === 1 || planes === 2 ? 2 : 1);
  const height = codedHeight - crop.vertical * (planes === 1 ? 2 : 1);
  if (reader.overrun || id > SET_ID_MAX || !isPictureSide(width) || !isPictureSide(height)) return undefined;
  const reorderDepth = readReorderDepth(reader, subLayers);
  // Each field is an access unit of its own.
  return { id, width, height, mayHaveFields: false, reorderDepth, chromaFormat, lumaBits, chromaBits };
}

/** ITU-T H.265, 7.3.3. */
export function skipProfileTierLevel(reader: BitReader, subLayers: number): void {
  reader.skip(88 + 8);
  const present: { profile: boolean; level: boolean }[] = [];
  for (let layer = 0; layer < subLayers - 1; layer += 1) {
    present.push({ profile: reader.flag(), level: reader.flag() });
  }
  if (subLayers > 1) reader.skip(2 * (8 - (subLayers - 1)));
  for (const layer of present) reader.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0));
}

/** conformance_window_flag and what follows it (7.3.2.2.1), in chroma units. */
export function readConformanceWindow(reader: BitReader): { horizontal: number; vertical: number } {
  if (!reader.flag()) return { horizontal: 0, vertical: 0 };
  const horizontal = reader.unsignedGolomb() + reader.unsignedGolomb();
  const vertical = reader.unsignedGolomb() + reader.unsignedGolomb();
  return { horizontal, vertical };
}

/** sps_max_num_reorder_pics of the highest sub-layer. */
function readReorderDepth(reader: BitReader, subLayers: number): number | undefined {
  reader.unsignedGolomb();
  const layers = reader.flag() ? subLayers : 1;
  let depth = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    reader.unsignedGolomb();
    depth = reader.unsignedGolomb();
    reader.unsignedGolomb();
  }
  return reader.overrun || depth > REORDER_DEPTH_MAX ? undefined : depth;
}
