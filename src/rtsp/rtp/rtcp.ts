import { US_PER_SECOND } from "../../base/index.js";
import type { ReceptionReport } from "./rtp-receiver.js";

/**
 * RTCP (RFC 3550, section 6): sender reports and BYE in, receiver reports with SDES CNAME and BYE out.
 */

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
/** Payload-specific feedback (RFC 4585, 6.3), and its formats. */
const PAYLOAD_FEEDBACK = 206;
const PICTURE_LOSS = 1;
const FULL_INTRA_REQUEST = 4;
const VERSION_BITS = 0x80;
const SDES_CNAME = 1;
/** Seconds from 1900 (NTP) to 1970 (Unix). */
const NTP_UNIX_OFFSET_S = 2_208_988_800;
const TWO_32 = 2 ** 32;
/** Most packets read from one compound packet. */
const COMPOUND_PACKETS_MAX = 32;

export interface RtcpSink {
  /** 6.4.1. `ntpUs`: the sender's wall clock as Unix microseconds. */
  onSenderReport(report: {
    readonly ssrc: number;
    readonly ntpUs: number;
    readonly rtpTimestamp: number;
  }): void;
  /** 6.6: the source leaves. */
  onGoodbye(ssrc: number): void;
}

/** Reads a compound packet in `buffer[start, end)`; stops at the first packet that is not RTCP. False if there was none. */
export function readRtcp(buffer: Buffer, start: number, end: number, sink: RtcpSink): boolean {
  let at = start;
  let packets = 0;
  while (end - at >= 4 && packets < COMPOUND_PACKETS_MAX) {
    const first = buffer[at] ?? 0;
    const type = buffer[at + 1] ?? 0;
    const next = at + 4 * (buffer.readUInt16BE(at + 2) + 1);
    if ((first & 0xc0) !== VERSION_BITS || next > end) break;
    const count = first & 0x1f;
    if (type === SENDER_REPORT && next - at >= 28) readSenderReport(buffer, at, sink);
    if (type === GOODBYE) {
      for (let index = 0; index < count && at + 8 + 4 * index <= next; index += 1) {
        sink.onGoodbye(buffer.readUInt32BE(at + 4 + 4 * index));
      }
    }
    at = next;
    packets += 1;
  }
  return packets > 0;
}

function readSenderReport(buffer: Buffer, at: number, sink: RtcpSink): void {
  const seconds = buffer.readUInt32BE(at + 8);
  const fraction = buffer.readUInt32BE(at + 12);
  // Cameras without a clock send zero, which means no time (6.4.1).
  if (seconds === 0 && fraction === 0) return;
  // NTP era 1 starts in 2036; seconds that would be before 1968 belong to it.
  const eraSeconds = seconds < 0x80000000 ? seconds + TWO_32 : seconds;
  sink.onSenderReport({
    ssrc: buffer.readUInt32BE(at + 4),
    ntpUs: (eraSeconds - NTP_UNIX_OFFSET_S) * US_PER_SECOND + Math.floor((fraction * US_PER_SECOND) / TWO_32),
    rtpTimestamp: buffer.readUInt32BE(at + 16),
  });
}

/** Receiver report and SDES CNAME, and BYE when the receiver leaves (6.4.2, 6.5, 6.6). `cname`: at most 63 ASCII characters. */
export function writeReceiverReport(fields: {
  readonly ssrc: number;
  readonly block: ReceptionReport | undefined;
  readonly cname: string;
  readonly leaving: boolean;
}): Buffer {
  const cname = Buffer.from(fields.cname.slice(0, 63), "latin1");
  const reportBytes = fields.block === undefined ? 8 : 32;
  // Items end with at least one null byte, padded to 32 bits (6.5).
  const descriptionBytes = 8 + 4 * Math.floor((2 + cname.length) / 4 + 1);
  const packet = Buffer.alloc(reportBytes + descriptionBytes + (fields.leaving ? 8 : 0));
  writeHeader(packet, 0, fields.block === undefined ? 0 : 1, RECEIVER_REPORT, reportBytes);
  packet.writeUInt32BE(fields.ssrc, 4);
  if (fields.block !== undefined) writeBlock(packet, 8, fields.block);
  writeHeader(packet, reportBytes, 1, SOURCE_DESCRIPTION, descriptionBytes);
  packet.writeUInt32BE(fields.ssrc, reportBytes + 4);
  packet[reportBytes + 8] = SDES_CNAME;
  packet[reportBytes + 9] = cname.length;
  cname.copy(packet, reportBytes + 10);
  if (fields.leaving) {
    const at = reportBytes + descriptionBytes;
    writeHeader(packet, at, 1, GOODBYE, 8);
    packet.writeUInt32BE(fields.ssrc, at + 4);
  }
  return packet;
}

/**
 * A request for a key frame of `mediaSsrc`, to be sent behind a report: Picture Loss Indication (RFC 4585, 6.3.1), or Full Intra
 * Request with its number (RFC 5104, 4.3.1).
 */
export function writeKeyRequest(fields: {
  readonly kind: "pli" | "fir";
  readonly ssrc: number;
  readonly mediaSsrc: number;
  readonly number: number;
}): Buffer {
  const isFir = fields.kind === "fir";
  const packet = Buffer.alloc(isFir ? 20 : 12);
  writeHeader(packet, 0, isFir ? FULL_INTRA_REQUEST : PICTURE_LOSS, PAYLOAD_FEEDBACK, packet.length);
  packet.writeUInt32BE(fields.ssrc, 4);
  packet.writeUInt32BE(isFir ? 0 : fields.mediaSsrc >>> 0, 8);
  if (isFir) {
    packet.writeUInt32BE(fields.mediaSsrc >>> 0, 12);
    packet[16] = fields.number & 0xff;
  }
  return packet;
}

function writeHeader(packet: Buffer, at: number, count: number, type: number, byteLength: number): void {
  packet[at] = VERSION_BITS | count;
  packet[at + 1] = type;
  packet.writeUInt16BE(byteLength / 4 - 1, at + 2);
}

function writeBlock(packet: Buffer, at: number, block: ReceptionReport): void {
  const lost = Math.max(-0x800000, Math.min(0x7fffff, block.cumulativeLost));
  packet.writeUInt32BE(block.ssrc >>> 0, at);
  packet[at + 4] = block.fractionLost & 0xff;
  packet.writeIntBE(lost, at + 5, 3);
  packet.writeUInt32BE(block.extendedHighestSequence >>> 0, at + 8);
  packet.writeUInt32BE(Math.floor(block.jitter) >>> 0, at + 12);
  packet.writeUInt32BE(block.lastSenderReport >>> 0, at + 16);
  packet.writeUInt32BE(block.delaySinceLastSenderReport >>> 0, at + 20);
}
