import { type AudioFormat, Codec, pcmToG711 } from "../../../live/index.js";
import type { RtpPacket, SoundPayload } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";
import { G726Decoder } from "./g726-decoder.js";
import { PCM_FRAME_BYTES_MAX } from "./pcm-depacketizer.js";

const NOTHING = Buffer.alloc(0);

export interface G726DepacketizerOptions {
  readonly payload: SoundPayload & { readonly kind: "g726" };
  readonly sampleRate: number;
  readonly sink: AudioSink;
}

/** G.726 (RFC 3551, 4.5.4), decoded and recorded as µ-law: no container and no player takes it as it is. */
export class G726Depacketizer implements Depacketizer {
  readonly #payload: G726DepacketizerOptions["payload"];
  readonly #format: AudioFormat;
  readonly #sink: AudioSink;
  #decoder: G726Decoder;

  constructor(options: G726DepacketizerOptions) {
    this.#payload = options.payload;
    this.#format = {
      codec: Codec.PCMU,
      sampleRate: options.sampleRate,
      channels: 1,
      initialization: NOTHING,
    };
    this.#sink = options.sink;
    this.#decoder = new G726Decoder(options.payload.bits);
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const samples = Math.floor((8 * (end - start)) / this.#payload.bits);
    const pcm = Buffer.allocUnsafe(2 * samples);
    for (let index = 0; index < samples; index += 1)
      pcm.writeInt16LE(this.#decoder.decode(this.#code(buffer, start, index)), 2 * index);
    const bytes = pcmToG711(pcm, "mu");
    for (let at = 0; at < samples; at += PCM_FRAME_BYTES_MAX) {
      const rtpTimestamp = (packet.timestamp + at) >>> 0;
      const unit = { format: this.#format, rtpTimestamp, key: true, damaged: false, keyLost: false };
      const piece = Buffer.from(bytes.subarray(at, at + PCM_FRAME_BYTES_MAX));
      this.#sink.onAudio({ ...unit, reorderDepth: 0 }, piece);
    }
  }

  finishSilent(): void {
    // Audio units never wait for a later packet.
  }

  flush(): void {
    // Each packet is complete.
  }

  reset(): void {
    this.#decoder = new G726Decoder(this.#payload.bits);
  }

  /** Code `index` of the payload; it may lie across two bytes. */
  #code(buffer: Buffer, start: number, index: number): number {
    const { bits, order } = this.#payload;
    const position = index * bits;
    const at = start + (position >> 3);
    const shift = position & 7;
    const mask = (1 << bits) - 1;
    const [first = 0, second = 0] = [buffer[at], shift + bits > 8 ? buffer[at + 1] : 0];
    if (order === "first-low") return ((first | (second << 8)) >> shift) & mask;
    return (((first << 8) | second) >> (16 - shift - bits)) & mask;
  }
}
