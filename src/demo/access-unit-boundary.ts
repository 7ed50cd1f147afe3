/**
 * What a NAL unit means for the cut into access units. `prefix` and `set` begin a new one when the one in progress has
 * a coded slice; `set` is a parameter set; `other` belongs to the access unit in progress.
 */
export type NalKind = "prefix" | "set" | "first slice" | "first key slice" | "slice" | "other";

export type NalBoundary = (nal: Uint8Array) => NalKind;

/**
 * H.264 (ITU-T H.264, 7.4.1.2.3). A slice with first_mb_in_slice 0 begins a picture: arbitrary slice order, which
 * no surveillance encoder uses, is not told apart.
 */
export const h264Boundary: NalBoundary = (nal) => {
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
export const h265Boundary: NalBoundary = (nal) => {
  const type = ((nal[0] ?? 0) >> 1) & 0x3f;
  if (type < 32) {
    if (((nal[2] ?? 0) & 0x80) === 0) return "slice";
    return type >= 16 && type <= 21 ? "first key slice" : "first slice";
  }
  if (type >= 32 && type <= 34) return "set";
  const isPrefix = type === 35 || type === 39 || (type >= 41 && type <= 44) || (type >= 48 && type <= 55);
  return isPrefix ? "prefix" : "other";
};
