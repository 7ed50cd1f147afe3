import type { Clock } from "../../base/index.js";
import type { FragmentRun } from "./fragment-run.js";
import type { RtpPacket } from "./types.js";

/** A gap in the sequence larger than this is a restart of the source (RFC 3550, A.1: MAX_DROPOUT). */
const DROPOUT_MAX = 3000;
/** A packet at most this far behind the newest is late or a duplicate (RFC 3550, A.1: MAX_MISORDER). */
const MISORDER_MAX = 100;
/**
 * Packets in sequence that another SSRC must send without interruption before it is accepted (RFC 3550, A.1:
 * probation).
 */
export const PROBATION_PACKETS = 4;

const RTP_VERSION = 2;
const HEADER_BYTES = 12;
const SEQUENCES = 0x10000;
const LOST_MAX = 0x7fffff;

/** The numbers of a reception report block (RFC 3550, 6.4.1), and further counts for the log. */
export interface RtpStatistics {
  /** SSRC packets are accepted from; undefined before the first. */
  readonly ssrc: number | undefined;
  /** Highest sequence number with the count of its wraps in the upper bits. */
  readonly extendedHighestSequence: number;
  /** Packets expected minus packets received of the current SSRC; duplicates reduce it (RFC 3550, A.3). */
  readonly cumulativeLost: number;
  /** Interarrival jitter in RTP clock units (RFC 3550, A.8), measured at each new timestamp. */
  readonly jitter: number;
  /** Packets accepted, and the bytes of their payloads. */
  readonly packets: number;
  readonly payloadBytes: number;
  /** Packets missing, over all SSRCs: the cause of damaged frames. */
  readonly lost: number;
  /** Packets dropped, by reason. */
  readonly duplicates: number;
  readonly malformed: number;
  readonly wrongPayloadType: number;
  readonly wrongSsrc: number;
}

/** The numbers of one reception report block (RFC 3550, 6.4.1), ready to be written. */
export interface ReceptionReport {
  readonly ssrc: number;
  /** Fraction lost since the previous report, in 256ths, 0 to 255. */
  readonly fractionLost: number;
  /** Signed, clamped to 24 bits. */
  readonly cumulativeLost: number;
  readonly extendedHighestSequence: number;
  readonly jitter: number;
  /** Middle 32 bits of the newest sender report's NTP time; 0 when there was none. */
  readonly lastSenderReport: number;
  /** Time since that report in units of 1/65536 s; 0 when there was none. */
  readonly delaySinceLastSenderReport: number;
}

export interface RtpReceiverOptions {
  readonly payloadType: number;
  /** The SSRC in the response to SETUP, if any. */
  readonly ssrc?: number | undefined;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly clock: Clock;
  /** Receives each accepted packet, in sequence. The object is reused for the next one. */
  onPacket(packet: RtpPacket): void;
  /** Another SSRC was adopted: later packets come from another source. */
  onSourceChange(): void;
}

/**
 * RTP headers of one track (RFC 3550, 5.1 and appendix A): checks them, accepts one SSRC, counts missing packets and
 * drops late and duplicate ones. Packets of another SSRC are taken for leftovers of an earlier session, until only they
 * arrive.
 */
export class RtpReceiver {
  readonly #options: RtpReceiverOptions;
  readonly #packet: RtpPacket;
  #ssrc: number | undefined;
  #started = false;
  #highest = 0;
  #cycles = 0;
  #base = 0;
  #received = 0;
  #badSequence = -1;
  #pendingLost = 0;
  #candidateSsrc = 0;
  #candidateNext = -1;
  #candidatePackets = 0;
  #packets = 0;
  #payloadBytes = 0;
  #lost = 0;
  #duplicates = 0;
  #malformed = 0;
  #wrongPayloadType = 0;
  #wrongSsrc = 0;
  #jitter = 0;
  #transit: number | undefined;
  #jitterTimestamp = -1;
  #arrivedUs = 0;
  #previousTimestamp = -1;
  #previousArrivedUs = 0;
  #expectedPrior = 0;
  #receivedPrior = 0;

  constructor(options: RtpReceiverOptions) {
    this.#options = options;
    this.#ssrc = options.ssrc;
    const nothing = Buffer.alloc(0);
    this.#packet = {
      buffer: nothing,
      payloadStart: 0,
      payloadEnd: 0,
      extensionStart: -1,
      sequence: 0,
      timestamp: 0,
      marker: false,
      lost: 0,
    };
  }

  get statistics(): RtpStatistics {
    return {
      ssrc: this.#ssrc,
      extendedHighestSequence: this.#extendedHighest(),
      cumulativeLost: this.#started ? this.#expected() - this.#received : 0,
      jitter: Math.floor(this.#jitter),
      packets: this.#packets,
      payloadBytes: this.#payloadBytes,
      lost: this.#lost,
      duplicates: this.#duplicates,
      malformed: this.#malformed,
      wrongPayloadType: this.#wrongPayloadType,
      wrongSsrc: this.#wrongSsrc,
    };
  }

  /** Packets accepted so far. */
  get packets(): number {
    return this.#packets;
  }

  /** Monotonic time at which the newest timestamp's first packet was read. */
  get newestArrivedUs(): number {
    return this.#arrivedUs;
  }

  /** Likewise for the timestamp before the newest; undefined if `timestamp` is another one. */
  arrivedBefore(timestamp: number): number | undefined {
    return timestamp === this.#previousTimestamp ? this.#previousArrivedUs : undefined;
  }

  /** Numbers for a report block, without those of the sender report; begins a new interval (RFC 3550, A.3). */
  receptionReport(): Omit<ReceptionReport, "lastSenderReport" | "delaySinceLastSenderReport"> | undefined {
    if (!this.#started || this.#ssrc === undefined) return undefined;
    const expected = this.#expected();
    const expectedInterval = expected - this.#expectedPrior;
    const lostInterval = expectedInterval - (this.#received - this.#receivedPrior);
    this.#expectedPrior = expected;
    this.#receivedPrior = this.#received;
    const fraction =
      expectedInterval > 0 && lostInterval > 0 ? Math.floor((lostInterval * 256) / expectedInterval) : 0;
    return {
      ssrc: this.#ssrc,
      fractionLost: Math.min(fraction, 255),
      cumulativeLost: Math.min(Math.max(expected - this.#received, -LOST_MAX - 1), LOST_MAX),
      extendedHighestSequence: this.#extendedHighest(),
      jitter: Math.min(Math.floor(this.#jitter), 0xffffffff),
    };
  }

  /** Takes the RTP packet `buffer[start .. end)`. */
  receive(buffer: Buffer, start: number, end: number): void {
    const packet = this.#packet;
    if (!this.#parse(packet, buffer, start, end)) {
      this.#malformed += 1;
      return;
    }
    if (((buffer[start + 1] ?? 0) & 0x7f) !== this.#options.payloadType) {
      this.#wrongPayloadType += 1;
      return;
    }
    const ssrc = buffer.readUInt32BE(start + 8);
    if (this.#ssrc === undefined) this.#ssrc = ssrc;
    if (ssrc !== this.#ssrc && !this.#adopts(ssrc, packet.sequence)) {
      this.#wrongSsrc += 1;
      return;
    }
    this.#candidatePackets = 0;
    if (!this.#advance(packet)) return;
    this.#packets += 1;
    this.#payloadBytes += packet.payloadEnd - packet.payloadStart;
    if (packet.timestamp !== this.#jitterTimestamp) this.#measureJitter(packet.timestamp);
    this.#options.onPacket(packet);
  }

  /** Whether packets in sequence with the newest one, of its timestamp or the next, are nothing unusual; says which those are. */
  allowsRun(run: FragmentRun): boolean {
    if (!this.#started || this.#ssrc === undefined || this.#pendingLost > 0) return false;
    if (run.timestamp !== this.#jitterTimestamp) return false;
    run.ofSource(this.#options.payloadType, this.#ssrc, (this.#highest + 1) % SEQUENCES);
    return true;
  }

  /** Takes into account the packets of `run`, as `receive` of each would. */
  tookRun(run: FragmentRun): void {
    const { packets } = run;
    if (run.isBegun) this.#measureJitter(run.timestamp);
    const highest = this.#highest + packets;
    if (highest >= SEQUENCES) this.#cycles += 1;
    this.#highest = highest % SEQUENCES;
    this.#received += packets;
    this.#badSequence = -1;
    this.#candidatePackets = 0;
    this.#packets += packets;
    this.#payloadBytes += run.payloadBytes;
  }

  /** RFC 3550, 5.1 and 5.3.1. False if a length in the header points outside the packet. */
  #parse(packet: RtpPacket, buffer: Buffer, start: number, end: number): boolean {
    if (end - start < HEADER_BYTES) return false;
    const first = buffer[start] ?? 0;
    if (first >> 6 !== RTP_VERSION) return false;
    let payloadStart = start + HEADER_BYTES + (first & 0x0f) * 4;
    packet.extensionStart = -1;
    if ((first & 0x10) !== 0) {
      if (payloadStart + 4 > end) return false;
      packet.extensionStart = payloadStart;
      payloadStart += 4 + buffer.readUInt16BE(payloadStart + 2) * 4;
    }
    let payloadEnd = end;
    if ((first & 0x20) !== 0) payloadEnd -= Math.max(1, buffer[end - 1] ?? 1);
    if (payloadStart > payloadEnd) return false;
    packet.buffer = buffer;
    packet.payloadStart = payloadStart;
    packet.payloadEnd = payloadEnd;
    packet.sequence = buffer.readUInt16BE(start + 2);
    packet.timestamp = buffer.readUInt32BE(start + 4);
    packet.marker = ((buffer[start + 1] ?? 0) & 0x80) !== 0;
    return true;
  }

  /** Whether another SSRC has passed its probation. The one announced by SETUP needs none. */
  #adopts(ssrc: number, sequence: number): boolean {
    const inSequence = ssrc === this.#candidateSsrc && sequence === this.#candidateNext;
    this.#candidatePackets = this.#candidatePackets > 0 && inSequence ? this.#candidatePackets + 1 : 1;
    this.#candidateSsrc = ssrc;
    this.#candidateNext = (sequence + 1) % SEQUENCES;
    if (ssrc !== this.#options.ssrc && this.#candidatePackets < PROBATION_PACKETS) return false;
    const hadSource = this.#started;
    this.#ssrc = ssrc;
    this.#started = false;
    if (hadSource) this.#options.onSourceChange();
    return true;
  }

  /** Places the packet in the sequence (RFC 3550, A.1). False if it is late, a duplicate or far out of sequence. */
  #advance(packet: RtpPacket): boolean {
    const { sequence } = packet;
    if (!this.#started) {
      this.#startSequence(sequence);
      packet.lost = this.#takePending(0);
      return true;
    }
    const ahead = (sequence - this.#highest + SEQUENCES) % SEQUENCES;
    if (ahead > 0 && ahead < DROPOUT_MAX) {
      if (sequence < this.#highest) this.#cycles += 1;
      this.#highest = sequence;
      this.#received += 1;
      this.#badSequence = -1;
      packet.lost = this.#takePending(ahead - 1);
      return true;
    }
    if (ahead === 0 || ahead > SEQUENCES - MISORDER_MAX) {
      this.#duplicates += 1;
      return false;
    }
    if (sequence !== this.#badSequence) {
      this.#badSequence = (sequence + 1) % SEQUENCES;
      this.#pendingLost += 1;
      return false;
    }
    this.#startSequence(sequence);
    packet.lost = this.#takePending(0);
    return true;
  }

  #startSequence(sequence: number): void {
    this.#started = true;
    this.#base = sequence;
    this.#highest = sequence;
    this.#cycles = 0;
    this.#received = 1;
    this.#badSequence = -1;
    this.#expectedPrior = 0;
    this.#receivedPrior = 0;
    this.#transit = undefined;
    this.#jitter = 0;
  }

  /** Packets missing before this one, including those dropped around a restart of the sequence. */
  #takePending(lost: number): number {
    const total = lost + this.#pendingLost;
    this.#pendingLost = 0;
    this.#lost += total;
    return total;
  }

  #extendedHighest(): number {
    return (this.#cycles % SEQUENCES) * SEQUENCES + this.#highest;
  }

  #expected(): number {
    return this.#cycles * SEQUENCES + this.#highest - this.#base + 1;
  }

  /** RFC 3550, A.8; once per timestamp, which all packets of one picture share. */
  #measureJitter(timestamp: number): void {
    this.#previousTimestamp = this.#jitterTimestamp;
    this.#previousArrivedUs = this.#arrivedUs;
    this.#jitterTimestamp = timestamp;
    this.#arrivedUs = this.#options.clock.monotonicUs();
    const arrival = (this.#arrivedUs * this.#options.clockRate) / 1_000_000;
    const transit = (Math.floor(arrival) - timestamp) | 0;
    if (this.#transit !== undefined)
      this.#jitter += (Math.abs((transit - this.#transit) | 0) - this.#jitter) / 16;
    this.#transit = transit;
  }
}
