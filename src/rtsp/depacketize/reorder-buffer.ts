import type { Clock, ClockTimer } from "../../base/index.js";

/** Most packets held back for a missing one. */
export const REORDER_PACKETS_MAX = 128;
/** Most bytes held back. */
export const REORDER_BYTES_MAX = 1024 * 1024;
/** Longest wait for a missing packet. */
export const REORDER_DELAY_MS_MAX = 100;

/** After this many packets in a row of another SSRC, the buffer follows that one. */
const FOREIGN_PACKETS_MIN = 3;
/** A sequence number further away than this is a restart, not a late packet (RFC 3550, A.1: MAX_DROPOUT). */
const DROPOUT_MAX = 3000;
const RTP_HEADER_BYTES = 12;

export interface ReorderBufferOptions {
  readonly clock: Clock;
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
 */
export class ReorderBuffer {
  readonly #clock: Clock;
  readonly #deliver: ReorderBufferOptions["deliver"];
  readonly #held = new Map<number, HeldPacket>();
  #heldBytes = 0;
  #next = -1;
  #ssrc = 0;
  #foreign = 0;
  #late = 0;
  #timer: ClockTimer | undefined;

  constructor(options: ReorderBufferOptions) {
    this.#clock = options.clock;
    this.#deliver = (buffer, start, end) => options.deliver(buffer, start, end);
  }

  /** Packets held back now. */
  get heldPackets(): number {
    return this.#held.size;
  }

  /** Packets dropped as late or duplicate. */
  get latePackets(): number {
    return this.#late;
  }

  /** Takes one datagram `buffer[start .. end)`. A datagram that is not RTP is passed on, for the receiver to count. */
  push(buffer: Buffer, start: number, end: number): void {
    if (end - start < RTP_HEADER_BYTES || this.#isForeign(buffer, start)) this.#deliver(buffer, start, end);
    else this.#place(buffer.readUInt16BE(start + 2), buffer, start, end);
  }

  /** Delivers everything held, in sequence. */
  flush(): void {
    while (this.#held.size > 0) this.#skipGap();
  }

  /** Drops what is held and stops the timer. */
  close(): void {
    this.#held.clear();
    this.#heldBytes = 0;
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** Whether the packet has another SSRC than the current one. Such packets pass through, until only they arrive. */
  #isForeign(buffer: Buffer, start: number): boolean {
    const ssrc = buffer.readUInt32BE(start + 8);
    const first = this.#next < 0;
    if (!first && ssrc !== this.#ssrc) {
      this.#foreign += 1;
      if (this.#foreign < FOREIGN_PACKETS_MIN) return true;
    }
    if (first || ssrc !== this.#ssrc) this.#restart(buffer.readUInt16BE(start + 2));
    this.#ssrc = ssrc;
    this.#foreign = 0;
    return false;
  }

  #place(sequence: number, buffer: Buffer, start: number, end: number): void {
    let ahead = ((sequence - this.#next + 0x8000) & 0xffff) - 0x8000;
    if (Math.abs(ahead) > DROPOUT_MAX) {
      this.#restart(sequence);
      ahead = 0;
    }
    if (ahead > 0 && !this.#held.has(sequence)) this.#hold(sequence, buffer, start, end);
    else if (ahead !== 0) this.#late += 1;
    else {
      this.#next = (sequence + 1) & 0xffff;
      this.#deliver(buffer, start, end);
      this.#release();
    }
  }

  #restart(sequence: number): void {
    this.flush();
    this.#next = sequence;
  }

  #hold(sequence: number, buffer: Buffer, start: number, end: number): void {
    this.#held.set(sequence, { buffer, start, end, arrivedUs: this.#clock.monotonicUs() });
    this.#heldBytes += end - start;
    while (this.#held.size > REORDER_PACKETS_MAX || this.#heldBytes > REORDER_BYTES_MAX) this.#skipGap();
    this.#watch();
  }

  /** Delivers what has come into sequence. */
  #release(): void {
    for (;;) {
      const packet = this.#held.get(this.#next);
      if (packet === undefined) break;
      this.#held.delete(this.#next);
      this.#heldBytes -= packet.end - packet.start;
      this.#next = (this.#next + 1) & 0xffff;
      this.#deliver(packet.buffer, packet.start, packet.end);
    }
    this.#watch();
  }

  /** Gives up the missing packets and continues with the nearest held one. */
  #skipGap(): void {
    let nearest = 0x10000;
    for (const sequence of this.#held.keys()) nearest = Math.min(nearest, (sequence - this.#next) & 0xffff);
    this.#next = (this.#next + nearest) & 0xffff;
    this.#release();
  }

  /** One timer while packets are held; the oldest arrival is the first in the map. */
  #watch(): void {
    if (this.#held.size === 0) {
      this.#timer?.clear();
      this.#timer = undefined;
    } else this.#timer ??= this.#clock.setTimeout(() => this.#expire(), REORDER_DELAY_MS_MAX);
  }

  #expire(): void {
    this.#timer = undefined;
    const dueUs = this.#clock.monotonicUs() - REORDER_DELAY_MS_MAX * 1000;
    for (const packet of this.#held.values()) {
      if (packet.arrivedUs > dueUs) break;
      this.#skipGap();
      break;
    }
    this.#watch();
  }
}
