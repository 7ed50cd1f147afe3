/**
 * feed: video for the live socket: an init segment, then one fragment per picture (ISO/IEC 14496-12), each with a header.
 *
 * Belongs here: the header of a binary message, init segments and fragments of one picture, the sound that goes with them, the
 * live streams that are sent like this, built once for all who watch.
 * Does not belong here: MP4 boxes (`mp4`), the socket, its messages and slow clients (`api`), reading recordings (`archive`).
 */
export {
  FEED_FLAGS_AT,
  FEED_HEADER_BYTES,
  FeedFlag,
  type FeedHeader,
  FeedKind,
  feedMessage,
} from "./feed-message.js";
export {
  type FeedInit,
  FeedPeriod,
  type FeedPicture,
  type FeedSound,
} from "./feed-period.js";
export {
  FLAC_SAMPLES_MAX,
  FLAC_SAMPLES_MIN,
  type FlacBlock,
  flacFrame,
  flacStreamInfo,
} from "./flac-frame.js";
export {
  FEED_GOP_BYTES_MAX,
  type FeedMessage,
  type FeedStart,
  type FeedViewer,
  LiveFeed,
} from "./live-feed.js";
export { FEEDS_BYTES_MAX, type FeedSeat, LiveFeeds } from "./live-feeds.js";
export { PictureDistance } from "./picture-distance.js";
export { type SoundMaker, type SoundPiece, soundMaker } from "./sound-maker.js";
export type { FeedSoundTrack } from "./sound-track.js";
