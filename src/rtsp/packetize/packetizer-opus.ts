import { type PacketBatch, RTP_PAYLOAD_BYTES_MAX } from "./packetizer-batch.js";

/** Packets of Opus to RTP (RFC 7587, 4.2): one each, whole whatever its length, as there are no fragments. */
export class OpusPacketizer {
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    if (unit.length === 0 || unit.length > RTP_PAYLOAD_BYTES_MAX) return false;
    batch.begin(timestamp);
    batch.append(unit, 0, unit.length);
    batch.finish();
    return true;
  }
}
