import { type Clock, type Log, NvrdError } from "../base/index.js";
import type { Frame, StreamClock } from "../live/index.js";
import type { FrameBuilder } from "./frame-builder.js";
import type { ReceptionReport, RtpStatistics } from "./rtp-receiver.js";
import type { MediaTrack } from "./types.js";

export interface TrackReceiverOptions {
  readonly track: MediaTrack;
  /** The SSRC that SETUP's answer announced, if it did. */
  readonly ssrc?: number | undefined;
  /** Video: the builder of this track alone. Audio does not use it. */
  readonly builder: FrameBuilder;
  /** The stream's clock; outlives the session. */
  readonly streamClock: StreamClock;
  readonly clock: Clock;
  /** Takes each frame together with its one lease, in decode order, during `receive` or `flush`. */
  publish(frame: Frame): void;
  readonly log: Log;
}

/** What became of a track's packets, since its creation. */
export interface TrackStatistics extends RtpStatistics {
  /** Frames handed to `publish`. */
  readonly frames: number;
  /** Of those, frames marked damaged. */
  readonly damagedFrames: number;
  /** Access units dropped: before the first whole key frame, or not buildable. */
  readonly droppedUnits: number;
}

/** One track of a session, from RTP packets to frames. */
export interface TrackReceiver {
  readonly track: MediaTrack;
  readonly statistics: TrackStatistics;
  /** Takes one RTP packet `buffer[start .. end)`, RTP header first. Never throws for what the packet holds. */
  receive(buffer: Buffer, start: number, end: number): void;
  /** The times of an RTCP sender report: NTP time in Unix microseconds, and the RTP timestamp it stands for. */
  senderReport(ntpUs: number, rtpTimestamp: number): void;
  /** The numbers of the next reception report; undefined before the first packet. Each call begins a new interval. */
  receptionReport(): ReceptionReport | undefined;
  /** Publishes the access unit in progress as complete: the source ended in order (TEARDOWN, BYE). */
  flush(): void;
  /** Drops the access unit in progress. Does not close the builder. */
  close(): void;
}

/** The receiver of one track. Throws NvrdError NOT_SUPPORTED when the track's parameters ask for what nvrd cannot take. */
export function createTrackReceiver(options: TrackReceiverOptions): TrackReceiver {
  throw new NvrdError("NOT_SUPPORTED", `no depacketizer for payload type ${options.track.payloadType}`);
}
