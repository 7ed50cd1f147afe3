import type { PacketBatch } from "./packetizer-batch.js";

/**
 * MPEG-4 Part 2 access units to RTP (RFC 6416, 5): the elementary stream, divided at the payload limit. A unit has one
 * VOP with the headers before it, so headers are at the start of a payload, as 5.2 requires.
 */
export class Mpeg4Packetizer {
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    for (let at = 0; at < unit.length; at += batch.payloadBytesMax) {
      batch.begin(timestamp);
      batch.append(unit, at, Math.min(at + batch.payloadBytesMax, unit.length));
      batch.finish();
    }
    batch.markLast();
    return batch.packetCount > 0;
  }
}
