import type { FragmentSound } from "../mp4/fragment-tracks.js";

/** The sound track of a feed. The same object for all units of one track. */
export interface FeedSoundTrack extends FragmentSound {
  /** The `codecs` parameter (RFC 6381). */
  readonly codec: string;
}
