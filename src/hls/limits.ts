/** The bounds of what is packaged, in one place: times, bytes, counts. */

/** EXT-X-TARGETDURATION, seconds: no segment lasts longer, rounded to whole seconds. It never changes. */
export const TARGET_DURATION_S = 5;
/** Longest segment: what still rounds to TARGET_DURATION_S (rfc8216bis, 4.4.3.1). */
export const SEGMENT_US_MAX = TARGET_DURATION_S * 1_000_000 + 490_000;
/** A key frame begins a new segment where the one before it has lasted this long. */
export const SEGMENT_US_MIN = 2_000_000;
/** A live stream's first segment ends with the first part that makes it so long, key frame or not. */
export const FIRST_SEGMENT_US_MIN = 1_000_000;
/** PART-TARGET of a stream of 13 frames a second or more. */
export const PART_TARGET_US_MIN = 500_000;
/** A stream that would need a longer PART-TARGET has no parts: its segments are all there is. */
export const PART_TARGET_US_MAX = 1_500_000;
/** Least share of PART-TARGET that a part lasts which does not end its segment (rfc8216bis, 4.4.3.7). */
export const PART_SHARE_MIN = 0.85;
/** Most bytes of one part; a part that would be longer ends its segment. */
export const PART_BYTES_MAX = 16 * 1024 * 1024;

/** How much a live playlist lists: at least three target durations (rfc8216bis, 6.2.2). */
export const LISTED_US = 3 * TARGET_DURATION_S * 1_000_000 + 1_000_000;
/** How long a segment can be fetched after it has left the playlist: by then a player has read a newer one. */
export const UNLISTED_US = 2 * TARGET_DURATION_S * 1_000_000;
/** Most bytes that the packager of one live stream holds; beyond them the oldest segments go, listed or not. */
export const PACKAGER_BYTES_MAX = 48 * 1024 * 1024;
/** Most bytes that the packagers of all live streams hold; a small machine has less (docs/design/memory.md). */
export const PACKAGING_BYTES_MAX = 512 * 1024 * 1024;

/** A playlist whose next part does not come is answered as it is: players give up an answer after 10 s. */
export const BLOCK_MS_MAX = 8000;
/** Most requests that wait for one live stream's next part. */
export const WAITERS_MAX = 1024;

/**
 * Segments that a recording is listed ahead of the newest one asked for. Three: players that begin with the third last
 * segment of what they take for live begin with the first.
 */
export const ARCHIVE_SEGMENTS_AHEAD = 3;
/** Segments of a recording that stay listed: a player may go back so far, half an hour and more. */
export const ARCHIVE_SEGMENTS_LISTED = 720;
/** Bytes of segments read ahead that one player's recording holds; what is beyond is read again when it is asked for. */
export const ARCHIVE_AHEAD_BYTES_MAX = 16 * 1024 * 1024;
/** The same of all players together; a small machine has less. */
export const ARCHIVE_PLAYING_BYTES_MAX = 512 * 1024 * 1024;
/** Faster than this a recording is shown by its key frames alone. */
export const ARCHIVE_SPEED_WHOLE_MAX = 4;
/** Units of sound and pictures that wait behind sound that is being converted; beyond them it is left out. */
export const SOUND_QUEUE_BYTES_MAX = 24 * 1024 * 1024;
/** Pictures behind sound that is being converted wait for it while the codec gives something back each so long. */
export const SOUND_WAIT_MS_MAX = 500;
/** In all they wait at most so long; then they pass it. */
export const SOUND_WAIT_ALL_MS_MAX = 5000;
/** Sound that begins later than this after the first picture has a period of its own. */
export const SOUND_START_US_MAX = 1_000_000;
/** Sound that is no longer there for this long is taken out of the stream. */
export const SOUND_GONE_US = 3_000_000;
/** Sound is laid sample after sample until it has drifted so far from its own times. */
export const SOUND_DRIFT_US_MAX = 100_000;
