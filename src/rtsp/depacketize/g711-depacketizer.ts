import type { AudioFormat, Codec } from "../../live/index.js";
import type { AudioSink, Depacketizer } from "./depacketizer.js";
import type { RtpPacket } from "./types.js";

/** Longest frame: 2 s at 8 kHz; a longer packet is cut into frames of this length. */
export const G711_FRAME_BYTES_MAX = 16_000;

export interface G711DepacketizerOptions {
  readonly codec: typeof Codec.PCMU | typeof Codec.PCMA;
  readonly sampleRate: number;
  readonly channels: number;
  readonly sink: AudioSink;
}

/** G.711 µ-law and A-law (RFC 3551, 4.5.14): a packet is a frame, with one byte per sample. */
export class G711Depacketizer implements Depacketizer {
  readonly #format: AudioFormat;
  readonly #sink: AudioSink;

  constructor(options: G711DepacketizerOptions) {
    const { codec, sampleRate, channels } = options;
    this.#format = { codec, sampleRate, channels, initialization: Buffer.alloc(0) };
    this.#sink = options.sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    for (let at = start; at < end; at += G711_FRAME_BYTES_MAX) {
      const bytes = Buffer.from(buffer.subarray(at, Math.min(end, at + G711_FRAME_BYTES_MAX)));
      const samples = Math.floor((at - start) / this.#format.channels);
      const rtpTimestamp = (packet.timestamp + samples) >>> 0;
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
