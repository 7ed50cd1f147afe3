import type { PacketBatch } from "./packetizer-batch.js";

/** Most NAL units of one access unit; more are not plausible (an H.264 level 6.2 picture has at most 600 slices). */
export const NAL_UNITS_MAX = 4096;

const START_CODE = Buffer.from([0, 0, 1]);

/** The NAL units of an Annex B access unit, as positions, in arrays that are reused for each unit. */
export class NalUnitList {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #countMax: number;

  constructor(countMax = NAL_UNITS_MAX) {
    this.#countMax = countMax;
  }

  get count(): number {
    return this.#starts.length;
  }

  start(index: number): number {
    return this.#starts[index] ?? 0;
  }

  end(index: number): number {
    return this.#ends[index] ?? 0;
  }

  byteLength(index: number): number {
    return this.end(index) - this.start(index);
  }

  /**
   * Finds the NAL units of `unit` (H.264 and H.265, Annex B): start codes have three or four bytes; zero bytes after a
   * NAL unit, bytes before the first start code and empty NAL units are skipped. Returns their number, or -1 if there
   * are more than the list can hold.
   */
  scan(unit: Buffer): number {
    this.#starts.length = 0;
    this.#ends.length = 0;
    let code = unit.indexOf(START_CODE);
    while (code !== -1) {
      const start = code + START_CODE.length;
      code = unit.indexOf(START_CODE, start);
      let end = code === -1 ? unit.length : code;
      while (end > start && unit[end - 1] === 0) end--;
      if (end === start) continue;
      if (this.#starts.length === this.#countMax) return -1;
      this.#starts.push(start);
      this.#ends.push(end);
    }
    return this.#starts.length;
  }
}

/**
 * The NAL units of Annex B bytes as views, at most `countMax` of them; for parameter sets and files, not for the
 * frame path.
 */
export function nalUnitsOf(bytes: Uint8Array, countMax = NAL_UNITS_MAX): Buffer[] {
  const unit = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const list = new NalUnitList(countMax);
  list.scan(unit);
  return Array.from({ length: list.count }, (_, index) => unit.subarray(list.start(index), list.end(index)));
}

/** The differences between H.264 (RFC 6184) and H.265 (RFC 7798) payloads. */
export interface NalPayloadFormat {
  /** 1 for H.264, 2 for H.265. */
  readonly headerBytes: number;
  /** False for types that denote a packet structure in a single NAL unit packet: such a NAL unit cannot be sent. */
  isSendable(unit: Buffer, start: number): boolean;
  /** Whether the NAL unit may share an aggregation packet: all but coded slices. */
  isSmall(unit: Buffer, start: number): boolean;
  /** Writes the header of an aggregation packet for NAL units `from` to `to` (exclusive). */
  aggregationHeader(unit: Buffer, nals: NalUnitList, from: number, to: number, batch: PacketBatch): void;
  /** Bytes of payload header and FU header. */
  readonly fragmentHeaderBytes: number;
  fragmentHeader(unit: Buffer, start: number, first: boolean, last: boolean, batch: PacketBatch): void;
}

const AGGREGATED_SIZE_BYTES = 2;

/**
 * Makes the packets of one access unit: adjacent parameter sets and SEI in one aggregation packet, a NAL unit that fits
 * in a single packet, a larger one in fragments. Start codes are not sent.
 */
export class NalPacketizer {
  readonly #format: NalPayloadFormat;
  readonly #nals = new NalUnitList();

  constructor(format: NalPayloadFormat) {
    this.#format = format;
  }

  /** False if `unit` has no NAL unit that can be sent. */
  packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean {
    const nals = this.#nals;
    const count = nals.scan(unit);
    for (let index = 0; index < count; ) {
      const next = this.#aggregationEnd(unit, index, batch.payloadBytesMax);
      if (next > index + 1) this.#aggregate(unit, index, next, timestamp, batch);
      else if (this.#canSend(unit, index)) this.#send(unit, index, timestamp, batch);
      index = next;
    }
    batch.markLast();
    return batch.packetCount > 0;
  }

  #canSend(unit: Buffer, index: number): boolean {
    const { headerBytes } = this.#format;
    return (
      this.#nals.byteLength(index) >= headerBytes && this.#format.isSendable(unit, this.#nals.start(index))
    );
  }

  /** Index after the NAL units that share a packet with the one at `from`; `from + 1` if it is alone. */
  #aggregationEnd(unit: Buffer, from: number, payloadBytesMax: number): number {
    const nals = this.#nals;
    let byteLength = this.#format.headerBytes;
    let index = from;
    while (
      index < nals.count &&
      this.#canSend(unit, index) &&
      this.#format.isSmall(unit, nals.start(index))
    ) {
      byteLength += AGGREGATED_SIZE_BYTES + nals.byteLength(index);
      if (byteLength > payloadBytesMax) break;
      index++;
    }
    return Math.max(index, from + 1);
  }

  #aggregate(unit: Buffer, from: number, to: number, timestamp: number, batch: PacketBatch): void {
    batch.begin(timestamp);
    this.#format.aggregationHeader(unit, this.#nals, from, to, batch);
    for (let index = from; index < to; index++) {
      const byteLength = this.#nals.byteLength(index);
      batch.byte(byteLength >> 8);
      batch.byte(byteLength & 0xff);
      batch.append(unit, this.#nals.start(index), this.#nals.end(index));
    }
    batch.finish();
  }

  #send(unit: Buffer, index: number, timestamp: number, batch: PacketBatch): void {
    const start = this.#nals.start(index);
    const end = this.#nals.end(index);
    if (end - start <= batch.payloadBytesMax) {
      batch.begin(timestamp);
      batch.append(unit, start, end);
      batch.finish();
      return;
    }
    const fragmentBytes = batch.payloadBytesMax - this.#format.fragmentHeaderBytes;
    const body = start + this.#format.headerBytes;
    for (let at = body; at < end; at += fragmentBytes) {
      batch.begin(timestamp);
      this.#format.fragmentHeader(unit, start, at === body, at + fragmentBytes >= end, batch);
      batch.append(unit, at, Math.min(at + fragmentBytes, end));
      batch.finish();
    }
  }
}
