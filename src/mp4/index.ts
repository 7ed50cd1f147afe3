/**
 * mp4: recorded and live frames as ISO base media files (ISO/IEC 14496-12), made while they are sent.
 *
 * Belongs here: boxes, sample entries and decoder configuration made of our formats, Annex B as length-prefixed NAL
 * units, movie headers, fragments, the segment index, and the layout of an export whose length is known beforehand.
 * Does not belong here: HTTP and rights (`api`), playlists (`hls`), reading recordings (`archive`), decoding (`picture`).
 */
export * from "./box.js";
export * from "./codec-string.js";
export * from "./fragment.js";
export * from "./length-prefixed.js";
export * from "./movie-header.js";
export * from "./movie-layout.js";
export * from "./movie-unit.js";
export * from "./parameter-sets.js";
export * from "./sample-entry.js";
export * from "./segment-index-box.js";
