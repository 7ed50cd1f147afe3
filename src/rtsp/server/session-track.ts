import { randomBytes } from "node:crypto";
import { errorText } from "../../base/index.js";
import type { PacketBatch, PacketStamp } from "../packetize/packetizer-batch.js";
import { rtpTimestampOf } from "../packetize/packetizer-for-format.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import { byePacket, type SentFrame, senderReportPacket } from "./sender-report.js";
import type { TrackDelivery } from "./track-delivery.js";
import type { FanOutViewer } from "./track-fan-out.js";

/** Period of sender reports (RFC 3550, 6.2: 5 s is the recommended minimum). */
export const SENDER_REPORT_PERIOD_US = 5_000_000;

/** One track of one viewer: its SSRC, sequence number and timestamp offset (random: RFC 3550, 5.1), its counters. */
export class SessionTrack implements FanOutViewer {
  readonly index: number;
  readonly packetized: PacketizedTrack;
  readonly delivery: TrackDelivery;
  readonly channel: number;
  readonly ssrc = randomBytes(4).readUInt32BE();
  readonly timestampOffset = randomBytes(4).readUInt32BE();
  /** Ends its viewer's stream. */
  readonly #onFailed: (reason: string) => void;
  #sequence = randomBytes(2).readUInt16BE();
  #firstSequence = 0;
  #packetCount = 0;
  #octetCount = 0;
  /** Undefined before the first frame. */
  #newest: SentFrame | undefined;
  #reportedUs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly index: number;
    readonly packetized: PacketizedTrack;
    readonly delivery: TrackDelivery;
    readonly onFailed: (reason: string) => void;
  }) {
    this.#onFailed = options.onFailed;
    this.index = options.index;
    this.packetized = options.packetized;
    this.delivery = options.delivery;
    this.channel = options.delivery.channel;
  }

  /** Sequence number of the next packet, for RTP-Info. */
  get sequence(): number {
    return this.#sequence;
  }

  get sendableFd(): number {
    return this.delivery.sendableFd;
  }

  get firstSequence(): number {
    return this.#firstSequence;
  }

  /** The RTP timestamp of a media time. */
  timestampOf(mediaUs: number): number {
    return (rtpTimestampOf(mediaUs, this.packetized.clockRate) + this.timestampOffset) % 2 ** 32;
  }

  /**
   * Sends the packets of a frame from the batch's memory, which passes to the delivery if that does not send them at
   * once.
   */
  send(batch: PacketBatch, frame: SentFrame, extension?: Buffer): void {
    this.#take(batch, frame);
    if (extension !== undefined) {
      const bytes = Buffer.allocUnsafe(batch.byteLength + extension.length);
      batch.copyTo(bytes, { ...this.#stamp(), extension });
      this.delivery.sendRtp(bytes);
      return;
    }
    batch.stampInPlace(this.#stamp());
    this.delivery.sendRtp(batch.bytes);
    if (this.delivery.holdsPackets) batch.detach();
  }

  /** Sends the packets of the track's newest frame: with those of its other viewers, where the connection takes them so. */
  sendNewest(batch: PacketBatch, frame: SentFrame): void {
    if (this.packetized.fanOut.add(this)) this.#take(batch, frame);
    else this.send(batch, frame);
  }

  sendRest(taken: number): void {
    const { batch } = this.packetized;
    const bytes = Buffer.allocUnsafe(batch.byteLength);
    batch.copyTo(bytes, this.#stamp());
    this.delivery.sendRtp(bytes.subarray(taken));
  }

  fail(error: unknown): void {
    this.#onFailed(errorText(error));
  }

  /** Counts a frame's packets. */
  #take(batch: PacketBatch, frame: SentFrame): void {
    this.#packetCount += batch.packetCount;
    this.#octetCount += batch.payloadBytes;
    this.#newest = frame;
    this.#firstSequence = this.#sequence;
    this.#sequence = (this.#sequence + batch.packetCount) & 0xffff;
  }

  #stamp(): PacketStamp {
    return {
      channel: this.channel,
      ssrc: this.ssrc,
      sequence: this.#firstSequence,
      timestampOffset: this.timestampOffset,
    };
  }

  /** Sends the next report with the next frame, whose times do not continue the previous ones. */
  reportSoon(): void {
    this.#reportedUs = Number.NEGATIVE_INFINITY;
  }

  /** Sends a sender report if one is due; none before the first frame. */
  sendDueReport(monotonicUs: number, cname: string): void {
    if (monotonicUs - this.#reportedUs < SENDER_REPORT_PERIOD_US) return;
    const report = this.#report(monotonicUs, cname);
    if (report === undefined) return;
    this.#reportedUs = monotonicUs;
    this.delivery.sendRtcp(report);
  }

  /** Sends a report, then BYE. */
  sendGoodbye(monotonicUs: number, cname: string): void {
    const report = this.#report(monotonicUs, cname) ?? Buffer.alloc(0);
    this.delivery.sendRtcp(Buffer.concat([report, byePacket(this.ssrc)]));
  }

  #report(monotonicUs: number, cname: string): Buffer | undefined {
    if (this.#newest === undefined) return undefined;
    const passedUs = this.#newest.continues ? monotonicUs - this.#newest.monotonicUs : 0;
    return senderReportPacket({
      ssrc: this.ssrc,
      timeUs: this.#newest.wallUs + passedUs,
      rtpTimestamp: this.timestampOf(this.#newest.mediaUs + passedUs),
      packetCount: this.#packetCount,
      octetCount: this.#octetCount,
      cname,
    });
  }
}
