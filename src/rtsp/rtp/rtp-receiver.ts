import type { Clock } from "../../base/index.js";
import type { FragmentRun } from "./fragment-run.js";
import { HeaderBits } from "./header-bits.js";
import { RepeatedPackets } from "./repeated-packets.js";
import type { RtpPacket } from "./types.js";
import { WithheldPackets } from "./withheld-packets.js";

/** A gap in the sequence larger than this is a restart of the source (RFC 3550, A.1: MAX_DROPOUT). */
const DROPOUT_MAX = 3000;
/** After this long without the payload type that the track had so far, another one is taken for it. */
export const PAYLOAD_TYPE_SILENCE_US = 1_000_000;
/** With fewer sources than this a track has one, and packets of others are none of its own. */
const SOURCES_MIN = 2;
/** Payload types that RTCP has in their place (RFC 5761, 4). */
const RTCP_TYPE_FIRST = 64;
const RTCP_TYPE_LAST = 95;

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
  /** Numbers left out where nothing can be lost: the camera left packets out, or counts in its own way. */
  readonly skipped: number;
  /** How often the source was another one, or its numbers began anew. */
  readonly restarts: number;
  /** Packets dropped, by reason. */
  readonly malformed: number;
  readonly wrongPayloadType: number;
  /** Packets left out where nothing can be lost, because they were earlier ones once more. */
  readonly repeated: number;
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
  /** Of all tracks of the session: another track's is never this one's. */
  readonly payloadTypes?: ReadonlySet<number> | undefined;
  /** The SSRC in the response to SETUP, if any: sender reports may come before the first packet. */
  readonly ssrc?: number | undefined;
  /** The transport loses nothing and keeps the order: what the numbers leave out is not missing. */
  readonly keepsOrder: boolean;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly clock: Clock;
  /** See `HeaderBits`; false where it is absent. */
  readonly zerosBegin?: boolean | undefined;
  /** Receives each accepted packet with bytes or a marker, in sequence. The object is reused for the next one. */
  onPacket(packet: RtpPacket): void;
}

/**
 * RTP headers of one track (RFC 3550, 5.1 and appendix A): checks them, and counts missing packets. SSRC and sequence are
 * hints: a packet of another source or with any number is accepted as it comes, and is the next one. Over UDP a
 * `ReorderBuffer` has put packets into sequence before, and has left out late, repeated and stray ones.
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
  #payloadType: number;
  readonly #withheld = new WithheldPackets();
  readonly #bits: HeaderBits;
  /** The first packets, as long as it is in doubt where their payloads begin. */
  readonly #doubted: { readonly bytes: Buffer; readonly arrivedUs: number }[] = [];
  /** Packets accepted when others began to come instead, and when that was. */
  #silentPackets = 0;
  #silentSinceUs = 0;
  #packets = 0;
  /** How often packets began to come from another source. */
  #sources = 0;
  #payloadBytes = 0;
  #lost = 0;
  /** Packets missing before one without bytes. */
  #lostBefore = 0;
  #skipped = 0;
  #restarts = 0;
  #malformed = 0;
  #wrongPayloadType = 0;
  /** Over UDP they are left out before. */
  readonly #repeats: RepeatedPackets | undefined;
  #jitter = 0;
  #transit: number | undefined;
  #jitterTimestamp = -1;
  #arrivedUs = 0;
  /** While a packet is handled that was withheld: when it came. */
  #heldSinceUs: number | undefined;
  #previousTimestamp = -1;
  #previousArrivedUs = 0;
  #expectedPrior = 0;
  #receivedPrior = 0;

  constructor(options: RtpReceiverOptions) {
    this.#options = options;
    this.#ssrc = options.ssrc;
    this.#payloadType = options.payloadType;
    this.#bits = new HeaderBits(options.zerosBegin === true);
    this.#repeats = options.keepsOrder ? new RepeatedPackets() : undefined;
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
      skipped: this.#skipped,
      restarts: this.#restarts,
      malformed: this.#malformed,
      wrongPayloadType: this.wrongPayloadType,
      repeated: this.#repeats?.repeated ?? 0,
    };
  }

  /** Packets accepted so far. */
  get packets(): number {
    return this.#packets;
  }

  /** As in `statistics`. */
  get lost(): number {
    return this.#lost;
  }

  /** As in `statistics`. */
  get malformed(): number {
    return this.#malformed;
  }

  /** As in `statistics`. What is withheld may be the track's. */
  get wrongPayloadType(): number {
    return this.#wrongPayloadType - this.#withheld.count;
  }

  /** Monotonic time at which the newest timestamp's first packet was read. */
  get newestArrivedUs(): number {
    return this.#arrivedUs;
  }

  /** Likewise for the timestamp before the newest; undefined if `timestamp` is another one. */
  arrivedBefore(timestamp: number): number | undefined {
    return timestamp === this.#previousTimestamp ? this.#previousArrivedUs : undefined;
  }

  /** When the packet that is handled now came, if that was not now. */
  get heldSinceUs(): number | undefined {
    return this.#heldSinceUs;
  }

  /** Numbers for a report block, with those of the camera's newest sender report; begins a new interval (RFC 3550, A.3). */
  receptionReport(
    sent: Pick<ReceptionReport, "lastSenderReport" | "delaySinceLastSenderReport">,
  ): ReceptionReport | undefined {
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
      lastSenderReport: sent.lastSenderReport,
      delaySinceLastSenderReport: sent.delaySinceLastSenderReport,
    };
  }

  /** Takes the RTP packet `buffer[start .. end)`. */
  receive(buffer: Buffer, start: number, end: number): void {
    if (!this.#bits.knowsSources(buffer, start, end)) {
      const bytes = Buffer.from(buffer.subarray(start, end));
      this.#doubted.push({ bytes, arrivedUs: this.#options.clock.monotonicUs() });
      return;
    }
    if (this.#doubted.length > 0) this.#receiveDoubted();
    this.#receive(buffer, start, end);
  }

  /** What was in doubt is received with the time at which it came. */
  #receiveDoubted(): void {
    for (const { bytes, arrivedUs } of this.#doubted.splice(0)) {
      this.#heldSinceUs = arrivedUs;
      this.#receive(bytes, 0, bytes.length);
    }
    this.#heldSinceUs = undefined;
  }

  #receive(buffer: Buffer, start: number, end: number): void {
    const packet = this.#packet;
    if (!this.#parse(packet, buffer, start, end)) {
      this.#malformed += 1;
      return;
    }
    const payloadType = (buffer[start + 1] ?? 0) & 0x7f;
    const ssrc = buffer.readUInt32BE(start + 8);
    if (payloadType !== this.#payloadType) {
      if (this.#withheld.isOfOther(payloadType)) this.#dropWithheld();
      if (!this.#takesPayloadType(payloadType) && !this.#isTrackItself(payloadType, ssrc, start, end)) {
        this.#wrongPayloadType += 1;
        return;
      }
      this.#payloadType = payloadType;
      this.#withheld.take((withheld, from, to, arrivedUs) => {
        this.#wrongPayloadType -= 1;
        this.#heldSinceUs = arrivedUs;
        if (this.#parse(packet, withheld, from, to))
          this.#take(packet, withheld.readUInt32BE(from + 8), from, to);
      });
      this.#heldSinceUs = undefined;
      this.#parse(packet, buffer, start, end);
    } else if (this.#withheld.count > 0) this.#dropWithheld();
    this.#take(packet, ssrc, start, end);
  }

  #take(packet: RtpPacket, ssrc: number, start: number, end: number): void {
    if (this.#repeats !== undefined && this.#isRepeated(this.#repeats, packet, ssrc, start, end)) return;
    if (this.#started && ssrc === this.#ssrc) packet.lost = this.#advance(packet.sequence);
    else {
      if (this.#started) this.#restarts += 1;
      if (ssrc !== this.#ssrc) this.#sources += 1;
      this.#ssrc = ssrc;
      this.#startSequence(packet.sequence);
      packet.lost = 0;
    }
    this.#packets += 1;
    const payloadBytes = packet.payloadEnd - packet.payloadStart;
    packet.lost += this.#lostBefore;
    this.#lostBefore = 0;
    if (payloadBytes === 0 && !packet.marker) {
      // It says nothing of pictures, and what is missing before it is missing before the next.
      this.#lostBefore = packet.lost;
      return;
    }
    this.#payloadBytes += payloadBytes;
    if (packet.timestamp !== this.#jitterTimestamp) this.#measureJitter(packet.timestamp);
    this.#options.onPacket(packet);
  }

  /** Whether packets in sequence with the newest one, of its timestamp or the next, are nothing unusual; says which those are. */
  allowsRun(run: FragmentRun): boolean {
    if (!this.#started || this.#ssrc === undefined || this.#repeats?.isWatching === true) return false;
    if (run.timestamp !== this.#jitterTimestamp || this.#withheld.count > 0) return false;
    run.ofSource(this.#payloadType, this.#ssrc, (this.#highest + 1) % SEQUENCES);
    return true;
  }

  /** Takes into account the packets of `run`, as `receive` of each would. */
  noteRun(run: FragmentRun): void {
    const { packets } = run;
    if (run.isBegun) this.#measureJitter(run.timestamp);
    this.#repeats?.noteRun(this.#highest + 1, run);
    const highest = this.#highest + packets;
    if (highest >= SEQUENCES) this.#cycles += 1;
    this.#highest = highest % SEQUENCES;
    this.#received += packets;
    this.#packets += packets;
    this.#payloadBytes += run.payloadBytes;
  }

  /** Whether a packet was taken before; remembers it if it was not. */
  #isRepeated(
    repeats: RepeatedPackets,
    packet: RtpPacket,
    ssrc: number,
    start: number,
    end: number,
  ): boolean {
    const { buffer, sequence } = packet;
    const isOfSource = this.#started && ssrc === this.#ssrc;
    const newest = isOfSource ? this.#highest : undefined;
    if (repeats.isRepeated(sequence, newest, buffer, start, end)) return true;
    repeats.took(sequence, isOfSource && sequence === (this.#highest + 1) % SEQUENCES, buffer, start, end);
    return false;
  }

  /** RFC 3550, 5.1. False if the header does not fit into the packet. */
  #parse(packet: RtpPacket, buffer: Buffer, start: number, end: number): boolean {
    if (end - start < HEADER_BYTES) return false;
    const first = buffer[start] ?? 0;
    if (first >> 6 !== RTP_VERSION) return false;
    let payloadStart = this.#bits.sourcesEnd(buffer, start + HEADER_BYTES, first & 0x0f, end);
    packet.extensionStart = -1;
    if (payloadStart > end) return false;
    if ((first & 0x10) !== 0) {
      const extensionStart = payloadStart;
      payloadStart = this.#bits.extensionEnd(buffer, extensionStart, end);
      if (payloadStart > extensionStart) packet.extensionStart = extensionStart;
    }
    const payloadEnd = (first & 0x20) === 0 ? end : this.#bits.paddingStart(buffer, payloadStart, end);
    packet.buffer = buffer;
    packet.payloadStart = payloadStart;
    packet.payloadEnd = payloadEnd;
    packet.sequence = buffer.readUInt16BE(start + 2);
    packet.timestamp = buffer.readUInt32BE(start + 4);
    packet.marker = ((buffer[start + 1] ?? 0) & 0x80) !== 0;
    return true;
  }

  /**
   * Whether packets of another payload type are the track's: the SDP names a wrong one, or it has changed. What comes beside
   * the track's own is retransmission or error correction.
   */
  #takesPayloadType(payloadType: number): boolean {
    if (!this.#mayBeTrack(payloadType)) return false;
    const isOwn = payloadType === this.#options.payloadType;
    if (!isOwn && this.#packets > 0 && !this.#isSilent()) return false;
    return true;
  }

  /** Keeps a packet that may be the track's; true if so many have come, with nothing of its own between, that they are the track. */
  #isTrackItself(payloadType: number, ssrc: number, start: number, end: number): boolean {
    // Where each second packet has another source, sources say nothing.
    const areSourcesTrusted = this.#sources <= SOURCES_MIN || 2 * this.#sources <= this.#packets;
    const isOfSource = ssrc === this.#ssrc || !areSourcesTrusted;
    if (!this.#started || !isOfSource || !this.#mayBeTrack(payloadType)) return false;
    const nowUs = this.#options.clock.monotonicUs();
    return !this.#withheld.add(this.#packet.buffer, { start, end, highest: this.#highest, nowUs });
  }

  #mayBeTrack(payloadType: number): boolean {
    const isRtcp = payloadType >= RTCP_TYPE_FIRST && payloadType <= RTCP_TYPE_LAST;
    return (
      !isRtcp &&
      (payloadType === this.#options.payloadType || this.#options.payloadTypes?.has(payloadType) !== true)
    );
  }

  /** The track goes on: what came between was something else, with numbers of its sequence. */
  #dropWithheld(): void {
    this.#withheld.drop((sequence) => this.#advance(sequence));
    this.#repeats?.forget();
  }

  /** From now on the track's packets are of this payload type. */
  turnTo(payloadType: number): void {
    this.#payloadType = payloadType;
  }

  /** Whether nothing was accepted for PAYLOAD_TYPE_SILENCE_US, while packets of other types came. */
  #isSilent(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    if (this.#packets !== this.#silentPackets) {
      this.#silentPackets = this.#packets;
      this.#silentSinceUs = nowUs;
    }
    return nowUs - this.#silentSinceUs >= PAYLOAD_TYPE_SILENCE_US;
  }

  /** Places the packet in the sequence (RFC 3550, A.1), and answers how many are missing before it. */
  #advance(sequence: number): number {
    const ahead = (sequence - this.#highest + SEQUENCES) % SEQUENCES;
    if (ahead === 0 || ahead >= DROPOUT_MAX) {
      this.#restarts += 1;
      this.#startSequence(sequence);
      return 0;
    }
    if (sequence < this.#highest) this.#cycles += 1;
    this.#highest = sequence;
    this.#received += 1;
    if (this.#options.keepsOrder) {
      this.#skipped += ahead - 1;
      return 0;
    }
    this.#lost += ahead - 1;
    return ahead - 1;
  }

  #startSequence(sequence: number): void {
    this.#started = true;
    this.#base = sequence;
    this.#highest = sequence;
    this.#cycles = 0;
    this.#received = 1;
    this.#expectedPrior = 0;
    this.#receivedPrior = 0;
    this.#transit = undefined;
    this.#jitter = 0;
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
    this.#arrivedUs = this.#heldSinceUs ?? this.#options.clock.monotonicUs();
    const arrival = (this.#arrivedUs * this.#options.clockRate) / 1_000_000;
    const transit = (Math.floor(arrival) - timestamp) | 0;
    if (this.#transit !== undefined)
      this.#jitter += (Math.abs((transit - this.#transit) | 0) - this.#jitter) / 16;
    this.#transit = transit;
  }
}
