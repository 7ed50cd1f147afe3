import type { ArchiveAccess, RecordedAccess } from "../../archive/index.js";
import type { StreamType } from "../../base/index.js";
import type { AudioFormat, VideoFormat } from "../../live/index.js";

/** What a playback uses of the archive. */
export type PlaybackArchive = Pick<
  ArchiveAccess,
  "read" | "fragments" | "hasArchiveAt" | "nearestFrameUs" | "indexFault"
> &
  RecordedAccess;

/** A stretch without a recording, Unix microseconds. */
export interface RecordingGap {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Shorter stretches without a recording are passed without a word: a player shows the last picture a little longer. */
export const GAP_US_MIN = 1_000_000;

interface UnitTimes {
  /** Unix microseconds. */
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  /** Up to the next picture; assumed where that is not known. */
  readonly durationUs: number;
  /** It does not continue the unit before it. */
  readonly discontinuity: boolean;
  /** The gap of the recordings that lies between it and the unit before it. */
  readonly gap?: RecordingGap | undefined;
  /** Valid until the reading's next `next()` or `close()`. */
  readonly bytes: Uint8Array;
}

export interface PictureUnit extends UnitTimes {
  readonly kind: "picture";
  readonly format: VideoFormat;
  readonly key: boolean;
  readonly streamType: StreamType;
  readonly isTranscoded?: boolean;
  /** Of a key frame: decoding begins there, and what is shown is not right at first. */
  readonly isUnclean?: boolean;
  /** Of a key frame: the sound that comes with it, as far as it is known. */
  readonly sound?: AudioFormat | undefined;
}

export interface SoundUnit extends UnitTimes {
  readonly kind: "sound";
  readonly format: AudioFormat;
}

/** What a playback sends as one fragment. */
export type PlaybackUnit = PictureUnit | SoundUnit;

/** Reads one channel's recording for a playback, in the order in which it is shown. */
export interface PlaybackReading {
  /**
   * The next units, at least one; none at the end, and after `close()`. One call at a time. Rejects with NvrdError when the
   * archive cannot be read.
   */
  next(): Promise<readonly PlaybackUnit[]>;
  close(): void;
}
