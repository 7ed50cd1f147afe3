import type { RtpPacket } from "./types.js";

/** What a reception report block says of a track (RFC 3550, 6.4.1), and what the log says beyond it. */
export interface RtpStatistics {
  /** SSRC packets are accepted from; undefined before the first. */
  readonly ssrc: number | undefined;
  /** Highest sequence number with the count of its wraps in the upper bits. */
  readonly extendedHighestSequence: number;
  /** Packets expected less packets received; duplicates make it smaller, negative even (RFC 3550, A.3). */
  readonly cumulativeLost: number;
  /** Interarrival jitter in RTP clock units (RFC 3550, A.8). */
  readonly jitter: number;
  /** Packets accepted, and the bytes of their payloads. */
  readonly packets: number;
  readonly payloadBytes: number;
  /** Packets dropped, by reason. */
  readonly duplicates: number;
  readonly malformed: number;
  readonly wrongPayloadType: number;
  readonly wrongSsrc: number;
}

/** The numbers of one reception report block (RFC 3550, 6.4.1), ready to be written. */
export interface ReceptionReport {
  readonly ssrc: number;
  /** Fraction lost since the previous report, in 256ths, 0 to 255. */
  readonly fractionLost: number;
  /** Signed, clamped to 24 bits. */
  readonly cumulativeLost: number;
  readonly extendedHighestSequence: number;
  readonly jitter: number;
  /** Middle 32 bits of the newest sender report's NTP time; 0 when there was none. */
  readonly lastSenderReport: number;
  /** Time since that report in units of 1/65536 s; 0 when there was none. */
  readonly delaySinceLastSenderReport: number;
}

export interface RtpReceiverOptions {
  readonly payloadType: number;
  /** The SSRC that SETUP's answer announced, if it did. */
  readonly ssrc?: number | undefined;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
}

export type { RtpPacket };
