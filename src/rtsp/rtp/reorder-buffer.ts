import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";
import { PassedPackets } from "./passed-packets.js";

/** Most packets held back for a missing one. */
export const REORDER_PACKETS_MAX = 128;
/** Most bytes held back. */
export const REORDER_BYTES_MAX = 1024 * 1024;
/** Longest wait for a missing packet, and for the answer whether the source is another one. */
export const REORDER_DELAY_MS_MAX = 100;

/** How long a track's first packet waits for one that it has overtaken. */
export const FIRST_WAIT_MS = 20;

/** A sequence number further away than this is a restart, not a late packet (RFC 3550, A.1: MAX_DROPOUT). */
const DROPOUT_MAX = 3000;
/**
 * A packet of another SSRC whose number is at most this far ahead continues the sequence: it is the same source. So much before the
 * first packet's number is that of one which should have come first.
 */
const CONTINUES_MAX = 16;
/** Two sources whose times lie so near by chance, one between two of the other: one of a million. */
const ONE_CLOCK_TICKS_MAX = 2 ** 19;
const RTP_HEADER_BYTES = 12;
const PAYLOAD_TYPE = 0x7f;

export interface ReorderBufferOptions {
  readonly clock: Clock;
  /** The SSRC in the response to SETUP, if any. */
  readonly ssrc?: number | undefined;
  /** The payload types that are announced for the track; default: all. */
  readonly payloadTypes?: ReadonlySet<number> | undefined;
  /** Receives packets in sequence; after a missing one, when the wait for it is over. */
  deliver(buffer: Buffer, start: number, end: number): void;
}

interface HeldPacket {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  readonly arrivedUs: number;
}

/**
 * Puts the RTP packets of one track back into sequence (UDP). A packet in sequence passes at once; one after a gap
 * waits, limited in packets, bytes and time. Late and duplicate packets are dropped. The buffers of held packets must
 * not change: each datagram has its own.
 *
 * A sequence that begins anew is believed at once. Packets of another SSRC are put aside until it is clear whether the
 * source is another one, and are then delivered, all of them; if the source goes on, they are of a dead session, and are
 * dropped, unless their times show that the track is sent from both in turn. A source whose payload type is announced is followed at once where the one before it has none of these, such as
 * repeated packets (RFC 4588).
 */
export class ReorderBuffer {
  readonly #clock: Clock;
  readonly #deliver: ReorderBufferOptions["deliver"];
  readonly #payloadTypes: ReadonlySet<number> | undefined;
  readonly #held = new Map<number, HeldPacket>();
  readonly #passed = new PassedPackets();
  #heldBytes = 0;
  #next = 0;
  /** The first packet of a sequence, until the second of its source says which of them is the first. */
  #first: HeldPacket | undefined;
  /** Of the source that is followed, or of the first packet. */
  #ssrc: number | undefined;
  /** The source that is followed sends a payload type that is announced. */
  #isOfTrack = false;
  /** The session's own source: announced, or the first, of an announced payload type if there is one. Its packets are never strays. */
  #ownSsrc: number | undefined;
  #isOwnOfTrack: boolean;
  #aside: HeldPacket[] = [];
  #asideSsrc = 0;
  #asideBytes = 0;
  /** When the source that is followed last sent something. */
  #arrivedUs = 0;
  #late = 0;
  #stray = 0;
  #timer: ClockTimer | undefined;

  constructor(options: ReorderBufferOptions) {
    this.#clock = options.clock;
    this.#ownSsrc = options.ssrc;
    this.#isOwnOfTrack = options.ssrc !== undefined;
    this.#payloadTypes = options.payloadTypes;
    this.#deliver = (buffer, start, end) => options.deliver(buffer, start, end);
  }

  /** Packets held back now. */
  get heldPackets(): number {
    return this.#held.size + this.#aside.length + (this.#first === undefined ? 0 : 1);
  }

  /** Packets dropped as late or duplicate. */
  get latePackets(): number {
    return this.#late;
  }

  /** Packets dropped because another source went on meanwhile. */
  get strayPackets(): number {
    return this.#stray;
  }

  /** Takes one datagram `buffer[start .. end)`. A datagram that is not RTP is passed on, for the receiver to count. */
  push(buffer: Buffer, start: number, end: number): void {
    if (end - start < RTP_HEADER_BYTES) {
      this.#deliver(buffer, start, end);
      return;
    }
    const ssrc = buffer.readUInt32BE(start + 8);
    const sequence = buffer.readUInt16BE(start + 2);
    const arrivedUs = this.#clock.monotonicUs();
    const isAnnounced = ssrc === this.#ssrc ? this.#isOfTrack : this.#isAnnounced(buffer, start);
    if (this.#ssrc === undefined || (isAnnounced && !this.#isOfTrack)) {
      this.#await({ buffer, start, end, arrivedUs });
      return;
    }
    if (ssrc !== this.#ssrc && !this.#goesOn(sequence, isAnnounced)) {
      if (this.#passed.has(sequence, buffer, start, end)) this.#late += 1;
      else this.#putAside(ssrc, buffer, start, end);
      return;
    }
    if (this.#aside.length > 0 && this.#isOfOneClock(buffer, start)) {
      this.#adopt();
      this.push(buffer, start, end);
      return;
    }
    if (this.#first !== undefined) this.#begin(ssrc, sequence);
    this.#ssrc = ssrc;
    this.#arrivedUs = arrivedUs;
    this.#place(sequence, buffer, start, end);
  }

  /**
   * Whether what was put aside is of the track, which sends from several sources in turn: its time lies between that of the packet
   * before and this one's, and it is no copy.
   */
  #isOfOneClock(buffer: Buffer, start: number): boolean {
    const [aside] = this.#aside;
    if (aside === undefined || this.#first !== undefined) return false;
    const asideTicks = aside.buffer.readUInt32BE(aside.start + 4);
    const beforeTicks = this.#passed.newestTimestamp;
    const stepTicks = (buffer.readUInt32BE(start + 4) - beforeTicks) | 0;
    const asideStepTicks = (asideTicks - beforeTicks) | 0;
    const isBetween = asideStepTicks >= 0 && asideStepTicks <= stepTicks && stepTicks < ONE_CLOCK_TICKS_MAX;
    return isBetween && !this.#passed.hasContents(aside.buffer, aside.start, aside.end);
  }

  /** Delivers everything held, in sequence. */
  flush(): void {
    this.#beginAlone();
    this.#releaseHeld();
    if (this.#aside.length > 0) this.#adopt();
    this.#releaseHeld();
  }

  /** Drops what is held and stops the timer. */
  close(): void {
    this.#first = undefined;
    this.#held.clear();
    this.#heldBytes = 0;
    this.#forgetAside();
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #isAnnounced(buffer: Buffer, start: number): boolean {
    return this.#payloadTypes?.has((buffer[start + 1] ?? 0) & PAYLOAD_TYPE) !== false;
  }

  /** Takes the first packet of all, or of the first source that is the track's: one that was not, and waited to be the first, is a stray. */
  #await(first: HeldPacket): void {
    this.#releaseHeld();
    if (this.#first !== undefined) this.#stray += 1;
    this.#first = first;
    const { buffer, start } = first;
    this.#turnTo(buffer.readUInt32BE(start + 8), this.#isAnnounced(buffer, start));
    this.#watch();
  }

  /** Whether the source that is followed goes on with a packet of another SSRC. */
  #goesOn(sequence: number, isAnnounced: boolean): boolean {
    if (isAnnounced !== this.#isOfTrack) return false;
    const next =
      this.#first === undefined ? this.#next : this.#first.buffer.readUInt16BE(this.#first.start + 2) + 1;
    if (((sequence - next) & 0xffff) < CONTINUES_MAX) return true;
    // One packet of another source, such as a copy, says nothing of the first one's sequence.
    if (this.#aside.length > 0) this.#beginAlone();
    return false;
  }

  /** The sequence begins with the first packet, or with the second if that should have come first: both are placed. */
  #begin(ssrc: number, sequence: number): void {
    const first = this.#first;
    if (first === undefined) return;
    this.#first = undefined;
    const { buffer, start, end, arrivedUs } = first;
    const firstSsrc = buffer.readUInt32BE(start + 8);
    const firstSequence = buffer.readUInt16BE(start + 2);
    const beforeFirst = (firstSequence - sequence) & 0xffff;
    const isOvertaken = ssrc === firstSsrc && beforeFirst > 0 && beforeFirst <= CONTINUES_MAX;
    this.#follow(firstSsrc, isOvertaken ? sequence : firstSequence, this.#isAnnounced(buffer, start));
    this.#arrivedUs = arrivedUs;
    this.#place(firstSequence, buffer, start, end);
  }

  /** No second packet has come. */
  #beginAlone(): void {
    const first = this.#first;
    if (first !== undefined)
      this.#begin(first.buffer.readUInt32BE(first.start + 8), first.buffer.readUInt16BE(first.start + 2));
  }

  #follow(ssrc: number, sequence: number, isAnnounced: boolean): void {
    this.#turnTo(ssrc, isAnnounced);
    this.#restart(sequence);
  }

  #turnTo(ssrc: number, isAnnounced: boolean): void {
    if (this.#ownSsrc === undefined || (isAnnounced && !this.#isOwnOfTrack)) {
      this.#ownSsrc = ssrc;
      this.#isOwnOfTrack = isAnnounced;
    }
    this.#ssrc = ssrc;
    this.#isOfTrack = isAnnounced;
  }

  /** Keeps a packet of another SSRC until it is clear which source goes on. */
  #putAside(ssrc: number, buffer: Buffer, start: number, end: number): void {
    if (this.#aside.length > 0 && ssrc !== this.#asideSsrc) {
      // Two others in turn: the source changes all the time.
      this.#adopt();
      this.push(buffer, start, end);
      return;
    }
    this.#asideSsrc = ssrc;
    this.#aside.push({ buffer, start, end, arrivedUs: this.#clock.monotonicUs() });
    this.#asideBytes += end - start;
    const isFull = this.#aside.length >= REORDER_PACKETS_MAX || this.#asideBytes >= REORDER_BYTES_MAX;
    if (ssrc === this.#ownSsrc || isFull) this.#adopt();
    else this.#watch();
  }

  /** The source is the one put aside: what came of it is delivered. */
  #adopt(): void {
    this.#beginAlone();
    const packets = this.#aside;
    const [first] = packets;
    this.#forgetAside();
    if (first === undefined) return;
    const { buffer: bytes, start: at } = first;
    this.#follow(bytes.readUInt32BE(at + 8), bytes.readUInt16BE(at + 2), this.#isAnnounced(bytes, at));
    for (const { buffer, start, end, arrivedUs } of packets) {
      this.#arrivedUs = arrivedUs;
      this.#place(buffer.readUInt16BE(start + 2), buffer, start, end);
    }
  }

  #forgetAside(): void {
    this.#aside = [];
    this.#asideBytes = 0;
  }

  #place(sequence: number, buffer: Buffer, start: number, end: number): void {
    if (this.#first !== undefined) this.#begin(buffer.readUInt32BE(start + 8), sequence);
    const ahead = ((sequence - this.#next + 0x8000) & 0xffff) - 0x8000;
    if (ahead > 0 && ahead <= DROPOUT_MAX) {
      const held = this.#held.get(sequence);
      if (held === undefined) {
        this.#hold(sequence, buffer, start, end);
        return;
      }
      if (isSame(held, buffer, start, end)) {
        this.#late += 1;
        return;
      }
    }
    if (ahead < 0 && ahead >= -DROPOUT_MAX && this.#passed.isOf(sequence, buffer, start, end)) {
      this.#late += 1;
      return;
    }
    // A number that stands still is none that others could have overtaken.
    if (ahead === -1) this.#restart(sequence);
    else if (ahead !== 0) {
      this.#beginAnew({ buffer, start, end, arrivedUs: this.#arrivedUs });
      return;
    }
    this.#pass(sequence, buffer, start, end);
    this.#release();
  }

  /** The sequence begins anew: with this packet, unless the next one should have come before it. */
  #beginAnew(first: HeldPacket): void {
    this.#restart(first.buffer.readUInt16BE(first.start + 2));
    this.#first = first;
    this.#watch();
  }

  #restart(sequence: number): void {
    this.#releaseHeld();
    this.#passed.forget();
    this.#next = sequence;
  }

  #pass(sequence: number, buffer: Buffer, start: number, end: number): void {
    this.#next = (sequence + 1) & 0xffff;
    this.#passed.passed(sequence, buffer, start, end);
    this.#deliver(buffer, start, end);
  }

  #hold(sequence: number, buffer: Buffer, start: number, end: number): void {
    this.#held.set(sequence, { buffer, start, end, arrivedUs: this.#clock.monotonicUs() });
    this.#heldBytes += end - start;
    while (this.#held.size > REORDER_PACKETS_MAX || this.#heldBytes > REORDER_BYTES_MAX) this.#skipGap();
    this.#watch();
  }

  #releaseHeld(): void {
    while (this.#held.size > 0) this.#skipGap();
  }

  /** Delivers what has come into sequence. */
  #release(): void {
    for (;;) {
      const packet = this.#held.get(this.#next);
      if (packet === undefined) break;
      this.#held.delete(this.#next);
      this.#heldBytes -= packet.end - packet.start;
      this.#pass(this.#next, packet.buffer, packet.start, packet.end);
    }
    this.#watch();
  }

  /** Gives up the missing packets and continues with the nearest held one. */
  #skipGap(): void {
    let nearest = 0x10000;
    for (const sequence of this.#held.keys()) nearest = Math.min(nearest, (sequence - this.#next) & 0xffff);
    this.#passed.gaveUp(this.#next, nearest);
    this.#next = (this.#next + nearest) & 0xffff;
    this.#release();
  }

  /** One timer while packets are held, for the oldest: in each of the two it is the first. */
  #watch(): void {
    if (this.heldPackets === 0) {
      this.#timer?.clear();
      this.#timer = undefined;
    } else this.#timer ??= this.#clock.setTimeout(() => this.#expire(), this.#waitMs());
  }

  /** Until the oldest packet has waited for as long as any may. */
  #waitMs(): number {
    if (this.#first !== undefined) return FIRST_WAIT_MS;
    let oldestUs = this.#aside[0]?.arrivedUs ?? Number.POSITIVE_INFINITY;
    for (const { arrivedUs } of this.#held.values()) {
      oldestUs = Math.min(oldestUs, arrivedUs);
      break;
    }
    const waitedMs = (this.#clock.monotonicUs() - oldestUs) / US_PER_MS;
    return Math.max(0, Math.ceil(REORDER_DELAY_MS_MAX - waitedMs));
  }

  /** All gaps are given up before a packet that has waited long enough. The timer is set anew when all is judged. */
  #expire(): void {
    this.#beginAlone();
    const dueUs = this.#clock.monotonicUs() - REORDER_DELAY_MS_MAX * US_PER_MS;
    while (this.#isHeldSince(dueUs)) this.#skipGap();
    const [aside] = this.#aside;
    if (aside !== undefined && aside.arrivedUs <= dueUs) this.#judgeAside();
    this.#timer = undefined;
    this.#watch();
  }

  #isHeldSince(dueUs: number): boolean {
    for (const { arrivedUs } of this.#held.values()) return arrivedUs <= dueUs;
    return false;
  }

  /** A source that has sent within the newer half of the wait goes on: the other's packets are strays. */
  #judgeAside(): void {
    const newerUs = this.#clock.monotonicUs() - (REORDER_DELAY_MS_MAX * US_PER_MS) / 2;
    if (this.#arrivedUs < newerUs) {
      this.#adopt();
      return;
    }
    this.#stray += this.#aside.length;
    this.#forgetAside();
  }
}

function isSame(held: HeldPacket, buffer: Buffer, start: number, end: number): boolean {
  return held.buffer.compare(buffer, start, end, held.start, held.end) === 0;
}
