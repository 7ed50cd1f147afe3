import type { FragmentSound } from "../mp4/fragment-tracks.js";

/** What a viewer must know of sound to take it. */
export interface FeedSoundKind {
  /** The `codecs` parameter (RFC 6381). */
  readonly codec: string;
}

/** The sound track of a feed. The same object for all units of one track. */
export interface FeedSoundTrack extends FragmentSound, FeedSoundKind {}
