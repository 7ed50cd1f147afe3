import { US_PER_SECOND } from "../../base/index.js";

/** Seconds from 1900 (NTP) to 1970 (Unix). */
export const NTP_UNIX_OFFSET_SECONDS = 2_208_988_800;
const RTCP_SENDER_REPORT = 200;
const RTCP_SOURCE_DESCRIPTION = 202;
const RTCP_BYE = 203;
const SENDER_REPORT_BYTES = 28;
const CNAME_ITEM = 1;
const CNAME_BYTES_MAX = 255;

/** The times of a sent frame. */
export interface SentFrame {
  /** Media time of its RTP timestamp, Unix microseconds. */
  readonly mediaUs: number;
  /** Wall clock of the frame, Unix microseconds. */
  readonly wallUs: number;
  readonly monotonicUs: number;
  /** Whether both times advance with the clock until the next frame (live). */
  readonly continues: boolean;
}

export interface SenderReport {
  readonly ssrc: number;
  /** Wall clock in Unix microseconds at `rtpTimestamp`. */
  readonly timeUs: number;
  readonly rtpTimestamp: number;
  readonly packetCount: number;
  readonly octetCount: number;
  readonly cname: string;
}

/** Microseconds below a second as the fraction of an NTP time, in 2^32 parts. */
export function ntpFraction(us: number): number {
  return Math.floor((us / US_PER_SECOND) * 2 ** 32);
}

/** A compound RTCP packet: sender report and source description (RFC 3550, 6.4.1 and 6.5). */
export function senderReportPacket(report: SenderReport): Buffer {
  const cname = Buffer.from(report.cname).subarray(0, CNAME_BYTES_MAX);
  // Chunk: SSRC, item type, length, text, then one to four zero bytes up to a multiple of four.
  const chunkBytes = Math.floor((4 + 2 + cname.length) / 4 + 1) * 4;
  const packet = Buffer.alloc(SENDER_REPORT_BYTES + 4 + chunkBytes);
  const seconds = Math.floor(report.timeUs / US_PER_SECOND);
  const fraction = ntpFraction(report.timeUs - seconds * US_PER_SECOND);
  writeHeader(packet, 0, { count: 0, type: RTCP_SENDER_REPORT, byteLength: SENDER_REPORT_BYTES });
  packet.writeUInt32BE(report.ssrc >>> 0, 4);
  packet.writeUInt32BE((seconds + NTP_UNIX_OFFSET_SECONDS) % 2 ** 32, 8);
  packet.writeUInt32BE(fraction, 12);
  packet.writeUInt32BE(report.rtpTimestamp >>> 0, 16);
  packet.writeUInt32BE(report.packetCount % 2 ** 32, 20);
  packet.writeUInt32BE(report.octetCount % 2 ** 32, 24);
  const at = SENDER_REPORT_BYTES;
  writeHeader(packet, at, { count: 1, type: RTCP_SOURCE_DESCRIPTION, byteLength: 4 + chunkBytes });
  packet.writeUInt32BE(report.ssrc >>> 0, at + 4);
  packet.writeUInt8(CNAME_ITEM, at + 8);
  packet.writeUInt8(cname.length, at + 9);
  cname.copy(packet, at + 10);
  return packet;
}

/** The sender leaves (RFC 3550, 6.6). A compound packet starts with a report, so callers send it after one. */
export function byePacket(ssrc: number): Buffer {
  const packet = Buffer.alloc(8);
  writeHeader(packet, 0, { count: 1, type: RTCP_BYE, byteLength: packet.length });
  packet.writeUInt32BE(ssrc >>> 0, 4);
  return packet;
}

function writeHeader(
  packet: Buffer,
  at: number,
  header: { count: number; type: number; byteLength: number },
): void {
  packet.writeUInt8(0x80 | header.count, at);
  packet.writeUInt8(header.type, at + 1);
  packet.writeUInt16BE(header.byteLength / 4 - 1, at + 2);
}
