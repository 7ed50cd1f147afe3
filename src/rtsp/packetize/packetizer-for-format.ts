import { US_PER_SECOND } from "../../base/index.js";
import { Codec, type MediaFormat } from "../../live/index.js";
import { AacPacketizer } from "./packetizer-aac.js";
import type { PacketBatch } from "./packetizer-batch.js";
import { H264Packetizer } from "./packetizer-h264.js";
import { H265Packetizer } from "./packetizer-h265.js";
import { MjpegPacketizer } from "./packetizer-mjpeg.js";
import { Mpeg4Packetizer } from "./packetizer-mpeg4.js";
import { OpusPacketizer } from "./packetizer-opus.js";
import { PcmPacketizer } from "./packetizer-pcm.js";

/**
 * Makes RTP packets of access units, the reverse of a depacketizer. Sequence numbers and SSRC come with the receiver's
 * stamp.
 */
export interface Packetizer {
  /**
   * Adds the packets of one access unit (a frame's bytes, contiguous) to `batch`. False if the payload format cannot
   * carry it; then clear `batch`. Never throws on hostile bytes.
   */
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean;
}

export const VIDEO_CLOCK_RATE = 90_000;

const FIRST_DYNAMIC_VIDEO_TYPE = 96;
const FIRST_DYNAMIC_AUDIO_TYPE = 97;
const G711_SAMPLE_RATE = 8000;
const TIMESTAMP_MODULUS = 2 ** 32;

/** Creates the packetizer of a format. */
export function createPacketizer(format: MediaFormat): Packetizer {
  switch (format.codec) {
    case Codec.H264:
      return new H264Packetizer();
    case Codec.H265:
      return new H265Packetizer();
    case Codec.MPEG4:
      return new Mpeg4Packetizer();
    case Codec.MJPEG:
      return new MjpegPacketizer();
    case Codec.AAC:
      return new AacPacketizer();
    case Codec.PCMU:
    case Codec.PCMA:
      return new PcmPacketizer("channels" in format ? format.channels : 1);
    case Codec.L16:
      return new PcmPacketizer("channels" in format ? 2 * format.channels : 2);
    case Codec.OPUS:
      return new OpusPacketizer();
  }
}

/** RTP clock rate in Hz: 90000 for video, the sample rate for audio. */
export function clockRateOf(format: MediaFormat): number {
  return "sampleRate" in format ? format.sampleRate : VIDEO_CLOCK_RATE;
}

/** The static payload type if there is one (RFC 3551, 6), else a dynamic one: 96 for video, 97 for audio. */
export function payloadTypeOf(format: MediaFormat): number {
  if (!("sampleRate" in format)) return format.codec === Codec.MJPEG ? 26 : FIRST_DYNAMIC_VIDEO_TYPE;
  const isStatic = format.sampleRate === G711_SAMPLE_RATE && format.channels === 1;
  if (format.codec === Codec.PCMU && isStatic) return 0;
  if (format.codec === Codec.PCMA && isStatic) return 8;
  return FIRST_DYNAMIC_AUDIO_TYPE;
}

/** Stream time (Unix microseconds) in RTP clock ticks, modulo 2^32; exact to the tick. */
export function rtpTimestampOf(timeUs: number, clockRate: number): number {
  const seconds = Math.floor(timeUs / US_PER_SECOND);
  const remainderUs = timeUs - seconds * US_PER_SECOND;
  const ticks = seconds * clockRate + Math.round((remainderUs * clockRate) / US_PER_SECOND);
  return ticks % TIMESTAMP_MODULUS;
}
