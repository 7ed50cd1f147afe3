import { type AudioFormat, Codec } from "../../../live/index.js";
import type { RtpPacket } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";

/** Longest frame, 2 s of G.711 at 8 kHz; a longer packet is cut into frames of this length. */
export const PCM_FRAME_BYTES_MAX = 16_000;
const NOTHING = Buffer.alloc(0);

export interface PcmDepacketizerOptions {
  readonly codec: typeof Codec.PCMU | typeof Codec.PCMA | typeof Codec.L16;
  readonly sampleRate: number;
  readonly channels: number;
  readonly sink: AudioSink;
}

/** Bytes of one sampling instant of a codec that has a fixed number for each sample; undefined for other codecs. */
export function instantBytes({
  codec,
  channels,
}: Pick<AudioFormat, "codec" | "channels">): number | undefined {
  if (codec === Codec.PCMU || codec === Codec.PCMA) return channels;
  return codec === Codec.L16 ? 2 * channels : undefined;
}

/**
 * G.711 µ-law and A-law (RFC 3551, 4.5.14), one byte a sample, and L16 (4.5.11), two bytes in network order: a packet is a frame.
 * What does not fill the channels at a packet's end is left out.
 */
export class PcmDepacketizer implements Depacketizer {
  readonly #format: AudioFormat;
  readonly #instantBytes: number;
  readonly #frameBytesMax: number;
  readonly #sink: AudioSink;

  constructor(options: PcmDepacketizerOptions) {
    const { codec, sampleRate, channels } = options;
    this.#format = { codec, sampleRate, channels, initialization: NOTHING };
    this.#instantBytes = instantBytes(this.#format) ?? channels;
    this.#frameBytesMax = PCM_FRAME_BYTES_MAX - (PCM_FRAME_BYTES_MAX % this.#instantBytes);
    this.#sink = options.sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start } = packet;
    const end = packet.payloadEnd - ((packet.payloadEnd - start) % this.#instantBytes);
    for (let at = start; at < end; at += this.#frameBytesMax) {
      const bytes = Buffer.from(buffer.subarray(at, Math.min(end, at + this.#frameBytesMax)));
      const rtpTimestamp = (packet.timestamp + (at - start) / this.#instantBytes) >>> 0;
      this.#sink.onAudio(
        { format: this.#format, rtpTimestamp, key: true, damaged: false, keyLost: false, reorderDepth: 0 },
        bytes,
      );
    }
  }

  finishSilent(): void {
    // Audio units never wait for a later packet.
  }

  flush(): void {
    // Each packet is complete.
  }

  reset(): void {
    // Each packet is complete.
  }
}
