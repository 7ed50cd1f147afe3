import type { StreamTime, TrackKind } from "../../live/index.js";

/** Gives the frames of one track of one session their times: those of their arrival, or those that a replay tells. */
export interface TrackTimes {
  /**
   * The time of a frame, undefined to leave it out. `mediaUs`: its decode time by its RTP timestamp, in microseconds since the
   * track's first; `presentationUs`: likewise when it is shown. `arrivedUs`: monotonic; undefined: now.
   */
  stamp(
    mediaUs: number,
    arrivedUs: number | undefined,
    rtpTimestamp: number,
    presentationUs: number,
  ): StreamTime | undefined;
  /** The camera's NTP time, Unix microseconds, at a media time. */
  senderReport(ntpUs: number, mediaUs: number): void;
  /** The track's source is another one. */
  restart(): void;
}

/** The times of a stream's tracks; `StreamClock` is the one of live streams. */
export interface StreamTimes {
  openTrack(kind: TrackKind): TrackTimes;
  closeTrack(track: TrackTimes): void;
}
