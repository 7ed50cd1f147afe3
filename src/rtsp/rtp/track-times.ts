import type { StampDoubt, StreamTime, TrackKind } from "../../live/index.js";

/** Gives the frames of one track of one session their times: those of their arrival, or those that a replay carries. */
export interface TrackTimes {
  /**
   * Media time of the next frame. `rawUs`: by its RTP timestamp, in microseconds since the track's first. `reorderDepth`:
   * how many pictures the stream says it sends before one that is shown before them.
   */
  media(rawUs: number, arrivedUs: number | undefined, reorderDepth: number): number;
  /** Likewise of a frame that came in the same packet as the one before. */
  mediaFollowing(rawUs: number): number;
  /**
   * The time of a frame, undefined to leave it out. `mediaUs`: its decode time in media time; `presentationUs`: likewise when it is shown. `arrivedUs`: monotonic; undefined: now.
   */
  stamp(
    mediaUs: number,
    arrivedUs: number | undefined,
    rtpTimestamp: number,
    presentationUs: number,
  ): StreamTime | undefined;
  /** Of the frame that was stamped last; absent where times are not judged by arrival. */
  readonly stampDoubt?: StampDoubt | undefined;
  /** The camera's NTP time, Unix microseconds, at a time of its media clock. */
  senderReport(ntpUs: number, rawUs: number): void;
}

/** The times of a stream's tracks; `StreamClock` is the one of live streams. */
export interface StreamTimes {
  openTrack(kind: TrackKind): TrackTimes;
  closeTrack(track: TrackTimes): void;
}
