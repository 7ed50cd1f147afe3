/**
 * mp4: recorded and live frames as ISO base media files (ISO/IEC 14496-12), built while they are sent.
 *
 * Belongs here: boxes, sample entries and decoder configuration from `live` formats, conversion of Annex B to
 * length-prefixed NAL units, movie headers, fragments, the segment index, and the layout of an export whose length is
 * known in advance.
 * Does not belong here: HTTP and rights (`api`), playlists (`hls`), reading recordings (`archive`), decoding
 * (`picture`).
 */
export { box } from "./box.js";
export { codecString } from "./codec-string.js";
export { fragmentHead, type Sample, type TrackRun } from "./fragment.js";
export { lengthPrefixed, NAL_LENGTH_BYTES, nalUnitsOf } from "./length-prefixed.js";
export { type MovieTrack, movieHeader, VIDEO_TIMESCALE } from "./movie-header.js";
export { MOVIE_UNITS_MAX, MovieLayout } from "./movie-layout.js";
export {
  fillHeader,
  MovieUnit,
  sampleBytes,
  soundFrameTicks,
  UNIT_PART_BYTES,
  UNIT_WHOLE_BYTES_MAX,
  type UnitFrame,
  type UnitOptions,
  type UnitTrack,
  unitBytes,
  unitFragments,
} from "./movie-unit.js";
export { nalType, parameterSetsOf, pictureSize } from "./parameter-sets.js";
export { flacEntry, sampleEntry } from "./sample-entry.js";
export type { IndexReference } from "./segment-index-box.js";
export { withStatedOrder } from "./stated-order.js";
