import type { PacketBatch } from "./packetizer-batch.js";

/** G.711 samples to RTP (RFC 3551, 4.5.14): no payload header, timestamps count samples, no marker. */
export class G711Packetizer {
  readonly #channels: number;

  /** `channels`: bytes of one sampling instant, at least 1. */
  constructor(channels: number) {
    this.#channels = Math.max(1, channels);
  }

  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    const payloadBytes = batch.payloadBytesMax - (batch.payloadBytesMax % this.#channels);
    for (let at = 0; at < unit.length; at += payloadBytes) {
      batch.begin(timestamp + at / this.#channels);
      batch.append(unit, at, Math.min(at + payloadBytes, unit.length));
      batch.finish();
    }
    return batch.packetCount > 0;
  }
}
