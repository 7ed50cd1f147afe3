/**
 * hls: live streams and recordings as HTTP Live Streaming: fragmented MP4 in segments and parts, and their playlists
 * (RFC 8216 and its second edition, draft-pantos-hls-rfc8216bis, which has the low-latency parts).
 *
 * Belongs here: the boundaries of segments and parts, playlists, the window of files that can be fetched, conversion of
 * sound to AAC, packaging once for all viewers of a stream, reading a recording ahead of its player.
 * Does not belong here: MP4 boxes (`mp4`), names, rights and HTTP (`api`), codecs (`picture`), files (`archive`).
 */
export { ArchiveSource } from "./archive-source.js";
export {
  ARCHIVE_PLAYING_BYTES_MAX,
  PACKAGER_BYTES_MAX,
  PACKAGING_BYTES_MAX,
  PART_SHARE_MIN,
  TARGET_DURATION_S,
} from "./limits.js";
export { LivePackagers } from "./live-packagers.js";
export { isPlayable, videoSample } from "./media-unit.js";
export { MEDIA_PLAYLIST_NAME, parseMediaFile } from "./playlist.js";
export type { SoundCodec } from "./sound-feed.js";
export type { HlsSource, ReloadRequest } from "./source.js";
export { type RotationOf, TranscodedFormat } from "./transcoded-format.js";
export { TranscodedStream } from "./transcoded-stream.js";
