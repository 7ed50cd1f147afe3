/** The limits of packaging: times, bytes, counts. */

/** EXT-X-TARGETDURATION, seconds: no segment lasts longer, rounded to whole seconds. It never changes. */
export const TARGET_DURATION_S = 5;
/** Longest segment that still rounds to TARGET_DURATION_S (rfc8216bis, 4.4.3.1). */
export const SEGMENT_US_MAX = TARGET_DURATION_S * 1_000_000 + 490_000;
/** A key frame begins a new segment if the previous one is at least this long. */
export const SEGMENT_US_MIN = 2_000_000;
/** A live stream's first segment ends as soon as it is this long, also without a key frame. */
export const FIRST_SEGMENT_US_MIN = 1_000_000;
/** PART-TARGET of a stream of 13 frames a second or more. */
export const PART_TARGET_US_MIN = 500_000;
/** A stream that would need a longer PART-TARGET has segments only, no parts. */
export const PART_TARGET_US_MAX = 1_500_000;
/** Least duration, as a share of PART-TARGET, of a part that does not end its segment (rfc8216bis, 4.4.3.7). */
export const PART_SHARE_MIN = 0.85;
/** Most bytes of one part; a part that would be larger ends its segment. */
export const PART_BYTES_MAX = 16 * 1024 * 1024;

/** Duration of a live playlist: at least three target durations (rfc8216bis, 6.2.2). */
export const LISTED_US = 3 * TARGET_DURATION_S * 1_000_000 + 1_000_000;
/** How long a segment can be fetched after it has left the playlist: by then a player has read a newer one. */
export const UNLISTED_US = 2 * TARGET_DURATION_S * 1_000_000;
/** Most bytes held by the packager of one live stream; beyond that the oldest segments are dropped, listed or not. */
export const PACKAGER_BYTES_MAX = 48 * 1024 * 1024;
/** Most bytes held by the packagers of all live streams; less on a small machine (docs/design/memory.md). */
export const PACKAGING_BYTES_MAX = 512 * 1024 * 1024;

/** After this time a blocked reload is answered without its part: players give up after 10 s. */
export const BLOCK_MS_MAX = 8000;
/** Most requests that wait for one live stream's next part. */
export const WAITERS_MAX = 1024;

/**
 * Segments of a recording listed ahead of the newest one requested. Three, so that players that treat the playlist as
 * live, and begin with the third last segment, begin with the first.
 */
export const ARCHIVE_SEGMENTS_AHEAD = 3;
/** Segments of a recording that stay listed: a player can go back this far, half an hour or more. */
export const ARCHIVE_SEGMENTS_LISTED = 720;
/** Most bytes read ahead for one player; segments beyond that are read again when requested. */
export const ARCHIVE_AHEAD_BYTES_MAX = 16 * 1024 * 1024;
/** Likewise for all players together; less on a small machine. */
export const ARCHIVE_PLAYING_BYTES_MAX = 512 * 1024 * 1024;
/** Above this speed, only key frames of a recording are shown. */
export const ARCHIVE_SPEED_WHOLE_MAX = 4;
/** Most bytes of units queued behind sound that is being converted; beyond that the sound is dropped. */
export const SOUND_QUEUE_BYTES_MAX = 24 * 1024 * 1024;
/** Pictures wait for sound that is being converted while the codec returns something at least this often. */
export const SOUND_WAIT_MS_MAX = 500;
/** Longest wait in total; then pictures pass the sound. */
export const SOUND_WAIT_ALL_MS_MAX = 5000;
/** Sound that begins later than this after the first picture starts a new period. */
export const SOUND_START_US_MAX = 1_000_000;
/** After this long without sound, the stream continues without a sound track. */
export const SOUND_GONE_US = 3_000_000;
