import type { AudioFormat, Codec, VideoFormat } from "../../live/index.js";
import type { SrtpKey } from "./srtp-keys.js";

/** How sound is carried that is not recorded as it comes. */
export type SoundPayload =
  /** AAC in AudioMuxElements (RFC 6416, 6). */
  | { readonly kind: "latm" }
  /** G.726 with so many bits a sample, decoded; the first code of a byte in its low or high bits (RFC 3551, 4.5.4). */
  | { readonly kind: "g726"; readonly bits: 2 | 3 | 4 | 5; readonly order: "first-low" | "first-high" };

/** In pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** One media section of a session's SDP that nvrd supports. */
export interface MediaTrack {
  readonly kind: "video" | "audio";
  /** The codec that it is recorded in. */
  readonly codec: Codec;
  readonly payloadType: number;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  /** Audio channels; 1 if the SDP does not say. */
  readonly channels: number;
  /** Absolute control URL for SETUP. */
  readonly control: string;
  /** All of what that URL may be, `control` first, each by the reading of the same index (ControlReadings). */
  readonly controls?: readonly string[];
  /** Other payload types of the same media that nvrd supports: the camera may send any of them. */
  readonly alternatives?: readonly MediaTrack[];
  /** Payload types that the description names for other media. */
  readonly foreignTypes?: ReadonlySet<number>;
  /** Undefined: as the codec itself. */
  readonly payload?: SoundPayload | undefined;
  /** Size of the pictures, if the description names it. */
  readonly size?: PictureSize | undefined;
  /** The fmtp parameters, names in lower case. */
  readonly fmtp: ReadonlyMap<string, string>;
  /** How the camera takes requests for a key frame by RTCP; undefined: it announces none. */
  readonly keyRequest?: "pli" | "fir" | undefined;
  /** Between two pictures, as the camera announces it. */
  readonly pictureGapUs?: number | undefined;
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
  /** Where its header extension begins (RFC 3550, 5.3.1); -1 without one. All of it is before the payload. */
  extensionStart: number;
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
  /** With `key`: decoding may begin here, and what is shown is not right at first. Absent: false. */
  readonly isUnclean?: boolean;
  readonly damaged: boolean;
  /** A key frame was lost or damaged in this unit or directly before it; never together with `key`. */
  readonly keyLost: boolean;
  /** Reorder depth in frames, from the format; 0 if it does not say (audio, MJPEG, G.711). */
  readonly reorderDepth: number;
}
