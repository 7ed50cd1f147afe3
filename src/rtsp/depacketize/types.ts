import type { AudioFormat, Codec, VideoFormat } from "../../live/index.js";
import type { SrtpKey } from "./srtp-keys.js";

/** One media section of a session's SDP that nvrd supports. */
export interface MediaTrack {
  readonly kind: "video" | "audio";
  readonly codec: Codec;
  readonly payloadType: number;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  /** Audio channels; 1 if the SDP does not say. */
  readonly channels: number;
  /** Absolute control URL for SETUP. */
  readonly control: string;
  /** The fmtp parameters, names in lower case. */
  readonly fmtp: ReadonlyMap<string, string>;
  /** Its packets are protected, by one of these keys; absent: they are not. */
  readonly srtpKeys?: readonly SrtpKey[];
}

/**
 * An RTP packet on its way through the frame path (RFC 3550, 5.1). One object per track, reused for each packet: do not
 * keep it.
 */
export interface RtpPacket {
  /** Memory of the payload: the slab over TCP, the datagram over UDP. */
  buffer: Buffer;
  payloadStart: number;
  payloadEnd: number;
  sequence: number;
  timestamp: number;
  marker: boolean;
  /** Packets missing directly before this one. */
  lost: number;
}

/** An access unit or audio frame as a depacketizer completes it. Valid during the call that passes it: it may be reused. */
export interface DepacketizedUnit {
  readonly format: VideoFormat | AudioFormat;
  readonly rtpTimestamp: number;
  readonly key: boolean;
  readonly damaged: boolean;
  /** A key frame was lost or damaged in this unit or directly before it; never together with `key`. */
  readonly keyLost: boolean;
  /** Reorder depth in frames, from the format; 0 if it does not say (audio, MJPEG, G.711). */
  readonly reorderDepth: number;
}
