import {
  type AudioFormat,
  Codec,
  OPUS_PACKET_BYTES_MAX,
  OPUS_RATE,
  opusHeader,
  opusPacketSamples,
} from "../../../live/index.js";
import type { RtpPacket } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";

/** Every decoder gives two channels when it is asked for them, whatever a packet has (RFC 7587, 3.4). */
const CHANNELS = 2;

/** Opus (RFC 7587): a packet of RTP is a packet of Opus. */
export class OpusDepacketizer implements Depacketizer {
  readonly #format: AudioFormat = {
    codec: Codec.OPUS,
    sampleRate: OPUS_RATE,
    channels: CHANNELS,
    initialization: opusHeader(CHANNELS),
  };
  readonly #sink: AudioSink;

  constructor(sink: AudioSink) {
    this.#sink = sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end, timestamp } = packet;
    // Nothing is sent where nothing is heard.
    if (start === end) return;
    const bytes = buffer.subarray(start, end);
    if (bytes.length > OPUS_PACKET_BYTES_MAX || opusPacketSamples(bytes) === 0) {
      this.#sink.onBadPacket();
      return;
    }
    const unit = { format: this.#format, rtpTimestamp: timestamp, key: true, damaged: false, keyLost: false };
    this.#sink.onAudio({ ...unit, reorderDepth: 0 }, Buffer.from(bytes));
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
