import { randomBytes } from "node:crypto";
import type { Frame } from "../../live/index.js";
import { INTERLEAVED_HEADER_BYTES, type PacketBatch } from "../packetizer-batch.js";
import { rtpTimestampOf } from "../packetizer-for-format.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import { byePacket, senderReportPacket } from "./sender-report.js";

/** RTP and RTCP channel of a track on its connection. */
export type InterleavedChannels = readonly [number, number];

/** Sender reports go out this often (RFC 3550, 6.2: 5 s is the recommended minimum). */
export const SENDER_REPORT_PERIOD_US = 5_000_000;

/** One track of one viewer: its own SSRC, sequence and timestamp offset (RFC 3550, 5.1: both random), its counters. */
export class SessionTrack {
  readonly index: number;
  readonly packetized: PacketizedTrack;
  readonly channels: InterleavedChannels;
  readonly ssrc = randomBytes(4).readUInt32BE();
  readonly #timestampOffset = randomBytes(4).readUInt32BE();
  #sequence = randomBytes(2).readUInt16BE();
  #packetCount = 0;
  #octetCount = 0;
  /** Stream time and monotonic clock of the newest frame; undefined before the first. */
  #newest: { readonly timeUs: number; readonly monotonicUs: number } | undefined;
  #reportedUs = Number.NEGATIVE_INFINITY;

  constructor(options: { index: number; packetized: PacketizedTrack; channels: InterleavedChannels }) {
    this.index = options.index;
    this.packetized = options.packetized;
    this.channels = options.channels;
  }

  /** Sequence number of the next packet, for RTP-Info. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The packets of a frame for this viewer, in new memory. */
  stamp(batch: PacketBatch, frame: Frame, monotonicUs: number): Buffer {
    const bytes = Buffer.allocUnsafe(batch.byteLength);
    this.#sequence = batch.copyTo(bytes, {
      channel: this.channels[0],
      ssrc: this.ssrc,
      sequence: this.#sequence,
      timestampOffset: this.#timestampOffset,
    });
    this.#packetCount += batch.packetCount;
    this.#octetCount += batch.payloadBytes;
    this.#newest = { timeUs: frame.decodeTimeUs + frame.presentationOffsetUs, monotonicUs };
    return bytes;
  }

  /** A sender report when one is due; undefined before the first frame and in between. */
  dueReport(monotonicUs: number, cname: string): Buffer | undefined {
    if (monotonicUs - this.#reportedUs < SENDER_REPORT_PERIOD_US) return undefined;
    const report = this.#report(monotonicUs, cname);
    if (report === undefined) return undefined;
    this.#reportedUs = monotonicUs;
    return this.#interleaved(report);
  }

  /** The last words: a report, then BYE. */
  farewell(monotonicUs: number, cname: string): Buffer {
    const report = this.#report(monotonicUs, cname) ?? Buffer.alloc(0);
    return this.#interleaved(Buffer.concat([report, byePacket(this.ssrc)]));
  }

  /** Stream time is the wall clock of the report, carried on from the newest frame by the monotonic clock. */
  #report(monotonicUs: number, cname: string): Buffer | undefined {
    if (this.#newest === undefined) return undefined;
    const timeUs = this.#newest.timeUs + (monotonicUs - this.#newest.monotonicUs);
    return senderReportPacket({
      ssrc: this.ssrc,
      timeUs,
      rtpTimestamp: rtpTimestampOf(timeUs, this.packetized.clockRate) + this.#timestampOffset,
      packetCount: this.#packetCount,
      octetCount: this.#octetCount,
      cname,
    });
  }

  #interleaved(packet: Buffer): Buffer {
    const header = Buffer.alloc(INTERLEAVED_HEADER_BYTES);
    header.writeUInt8(0x24, 0);
    header.writeUInt8(this.channels[1], 1);
    header.writeUInt16BE(packet.length, 2);
    return Buffer.concat([header, packet]);
  }
}
