/**
 * player: what is played, live and recorded, to whoever watches: paced playback, live feeds, the one maker of fragmented MP4,
 * and what each kind of viewer is sent: parts of `/video`, transcoded parts of `/mobile`, messages of the live socket, HLS, RTSP.
 *
 * Belongs here: pace and order of a playback, gaps, the stream that fits a viewer, slow viewers, packaging once for all who watch.
 * Does not belong here: HTTP, queries, logins (`route`), endpoints (`compat`, `owner`), files (`archive`), codecs (`picture`).
 *
 * Parts: `parts/`: multipart bodies and who takes them; `mp4/`: boxes, sample entries, fragments, the layout of an export (ISO/IEC
 * 14496-12); `viewing/`: which recording is meant, and who may watch it; `video/`:
 * frames as parts, their pace and sound; `hls/`: HTTP Live Streaming; `feed/`: init segments and fragments of one picture;
 * `playback/`: recordings over the live socket; `socket/`: what a client of the live socket is sent, at its pace; `mobile/`:
 * transcoded parts; `rtsp/`: sources of the RTSP server.
 */

export type { FeedStart } from "./feed/live-feed.js";
export { FEEDS_BYTES_MAX, LiveFeeds } from "./feed/live-feeds.js";
export type { RelayedFeed } from "./feed/relayed-feed.js";
export { RelayedFrames } from "./feed/relayed-frames.js";
export type { FeedSoundKind } from "./feed/sound-track.js";
export { ArchiveSource } from "./hls/archive-source.js";
export { ARCHIVE_PLAYING_BYTES_MAX, PACKAGING_BYTES_MAX } from "./hls/limits.js";
export { LivePackagers } from "./hls/live-packagers.js";
export { MEDIA_PLAYLIST_NAME, parseMediaFile } from "./hls/playlist.js";
export type { HlsSource, ReloadRequest } from "./hls/source.js";
export { LiveMobile } from "./mobile/live-mobile.js";
export { type AskedLevel, chooseLevel } from "./mobile/mobile-level.js";
export { MobilePlayback } from "./mobile/mobile-playback.js";
export { oneLiveFrame } from "./mobile/one-live-frame.js";
export { SoundPlaces } from "./mp4/fragment-tracks.js";
export { lengthPrefixed } from "./mp4/length-prefixed.js";
export {
  type MovieTrack,
  VIDEO_TIMESCALE,
  type WholeMovie,
  wholeMovieHeader,
} from "./mp4/movie-header.js";
export { MOVIE_UNITS_MAX, MovieLayout } from "./mp4/movie-layout.js";
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
} from "./mp4/movie-unit.js";
export { sampleEntry } from "./mp4/sample-entry.js";
export { SampleTables } from "./mp4/sample-tables.js";
export type { IndexReference } from "./mp4/segment-index-box.js";
export { ticksOf } from "./mp4/segment-index-box.js";
export { FIRST_BOUNDARY, partHead } from "./parts/multipart.js";
export type { Playback, Playbacks } from "./playback/playbacks.js";
export { RecordedPlaybacks } from "./playback/recorded-playbacks.js";
export { RtspLive } from "./rtsp/rtsp-live.js";
export { RtspRecording } from "./rtsp/rtsp-recording.js";
export type { RtspViewer } from "./rtsp/rtsp-viewer.js";
export { ClientFeed, type ClientFeedOptions, type FeedUser } from "./socket/client-feed.js";
export { FeedTurns } from "./socket/feed-turns.js";
export { CLIENTS_WAITING_BYTES_MAX, SocketPace } from "./socket/socket-pace.js";
export { chooseStream, type StreamCandidate, type StreamChoice } from "./socket/stream-choice.js";
export { ArchiveVideo } from "./video/archive-video.js";
export { formatPart } from "./video/frame-parts.js";
export { LiveSounds } from "./video/live-sound.js";
export { LiveVideo } from "./video/live-video.js";
export { Waker } from "./video/playback-pace.js";
export type { SoundCodec } from "./video/sound-part.js";
export {
  INDEX_IS_OPENING,
  nearestRecordedUs,
  nothingRecordedOf,
  RECORDED_HINT,
  requireIndex,
  requireKnown,
} from "./viewing/known-recordings.js";
export {
  type ChannelPlace,
  formerCamera,
  isStillThere,
  receivableKey,
  recordedCamera,
  visibleCameras,
  wholeArchiveKey,
} from "./viewing/recorded-channel.js";
export { refusedViewing, type Viewing } from "./viewing/refused-viewing.js";
export { presentRotations, rotationOf } from "./viewing/rotation.js";
