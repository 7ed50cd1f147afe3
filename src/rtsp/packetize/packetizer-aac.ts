import type { PacketBatch } from "./packetizer-batch.js";

/** The largest size that the 13 bits of an AU header name (RFC 3640, 3.3.6). */
export const AAC_UNIT_BYTES_MAX = 0x1fff;

const AU_HEADERS_LENGTH_BITS = 16;
const AU_HEADER_SECTION_BYTES = 4;

/**
 * Raw AAC access units to RTP (RFC 3640, mode AAC-hbr, sizelength 13, indexlength 3): one access unit a packet; a
 * larger one in fragments, each with the size of the whole (3.2.3), the marker on the last.
 */
export class AacPacketizer {
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    if (unit.length === 0 || unit.length > AAC_UNIT_BYTES_MAX) return false;
    const fragmentBytes = batch.payloadBytesMax - AU_HEADER_SECTION_BYTES;
    for (let at = 0; at < unit.length; at += fragmentBytes) {
      batch.begin(timestamp);
      batch.byte(0);
      batch.byte(AU_HEADERS_LENGTH_BITS);
      batch.byte(unit.length >> 5);
      batch.byte((unit.length << 3) & 0xff);
      batch.append(unit, at, Math.min(at + fragmentBytes, unit.length));
      batch.finish();
    }
    batch.markLast();
    return true;
  }
}
