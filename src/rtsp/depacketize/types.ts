import type { AudioFormat, Codec, VideoFormat } from "../../live/index.js";

/** One media section of a session's SDP that nvrd can take. */
export interface MediaTrack {
  readonly kind: "video" | "audio";
  readonly codec: Codec;
  readonly payloadType: number;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  /** Audio channels; 1 when the SDP is silent. */
  readonly channels: number;
  /** Absolute control URL for SETUP. */
  readonly control: string;
  /** The fmtp parameters, names in lower case. */
  readonly fmtp: ReadonlyMap<string, string>;
}

/**
 * An RTP packet on its way through the frame path (RFC 3550, 5.1). One object a track, filled again for each
 * packet: never kept.
 */
export interface RtpPacket {
  /** Memory the payload lies in: the slab itself over TCP, a datagram over UDP. */
  buffer: Buffer;
  payloadStart: number;
  payloadEnd: number;
  sequence: number;
  timestamp: number;
  marker: boolean;
  /** Packets missing directly before this one. */
  lost: number;
}

/** An access unit or audio frame as a depacketizer completes it. */
export interface DepacketizedUnit {
  readonly format: VideoFormat | AudioFormat;
  readonly rtpTimestamp: number;
  readonly key: boolean;
  readonly damaged: boolean;
  /** A key frame was lost, or damaged, with this unit or directly before it; never with `key`. */
  readonly keyLost: boolean;
  /** Frames that the format says pictures are reordered by; 0 when it does not say (audio, MJPEG, G.711). */
  readonly reorderDepth: number;
}
