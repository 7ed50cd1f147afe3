import type { PacketBatch } from "./packetizer-batch.js";

/** Samples of G.711 or L16 to RTP (RFC 3551, 4.5.14 and 4.5.11): no payload header, timestamps count samples, no marker. */
export class PcmPacketizer {
  readonly #instantBytes: number;

  /** `instantBytes`: bytes of one sampling instant, all channels, at least 1. */
  constructor(instantBytes: number) {
    this.#instantBytes = Math.max(1, instantBytes);
  }

  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    const payloadBytes = batch.payloadBytesMax - (batch.payloadBytesMax % this.#instantBytes);
    for (let at = 0; at < unit.length; at += payloadBytes) {
      batch.begin(timestamp + at / this.#instantBytes);
      batch.append(unit, at, Math.min(at + payloadBytes, unit.length));
      batch.finish();
    }
    return batch.packetCount > 0;
  }
}
