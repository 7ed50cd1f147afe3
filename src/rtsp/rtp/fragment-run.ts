import { loadNativeAddon } from "../../base/index.js";

type TakeFragments = (memory: Uint8Array, run: Uint32Array) => void;

const { takeFragments } = loadNativeAddon().functions;
const take = typeof takeFragments === "function" ? (takeFragments as TakeFragments) : undefined;

/** Places of `FragmentRun`'s numbers, as `native/packet/fragment_run.h` has them. */
const POSITION = 0;
const READ_END = 1;
const CHANNEL = 2;
const PAYLOAD_TYPE = 3;
const SSRC = 4;
const TIMESTAMP = 5;
const SEQUENCE = 6;
const STRUCTURE_MASK = 7;
const STRUCTURE = 8;
const HEADER_BYTES = 9;
const WRITE = 10;
const UNIT_BYTES_MAX = 11;
const PACKETS_MAX = 12;
const BEGINS = 13;
const TYPE_FIRST = 14;
const TYPE_LAST = 15;
const PACKETS = 16;
const PAYLOAD_BYTES = 17;
const LAST = 18;
const FIELDS = 19;
/** Most packets of a run: each has its print behind the numbers. */
const RUN_PACKETS_MAX = 64;

/** Bits of LAST. */
const LAST_ENDS = 1;
const LAST_IS_MARKED = 2;
const HAS_BEGUN = 4;

/** How a codec's fragments begin: the first byte under the mask is the structure, the fragmentation header is the last byte. */
export interface FragmentSyntax {
  readonly structureMask: number;
  readonly structure: number;
  /** Bytes before the unit's own: 2 of H.264, 3 of H.265. */
  readonly headerBytes: 2 | 3;
  /** First and last of the NAL unit types with which a picture may begin within a run: slices that are never of a key frame. */
  readonly beginTypes: readonly [number, number];
}

/**
 * Later fragments of the slice in progress that lie whole and in sequence behind each other, taken by one call of the addon; or, where
 * a picture has ended with its marker, all fragments of the next one's first slice. Each
 * part of the frame path says what the next packet must look like to be nothing unusual, and afterwards takes into account what was
 * taken. Whatever is unusual stays where it is, for the way of single packets, which defines what is right.
 */
export class FragmentRun {
  /** False without the addon: then there are no runs. */
  static readonly isPossible = take !== undefined;
  readonly #fields = new Uint32Array(FIELDS + RUN_PACKETS_MAX);
  #memory: Uint8Array = new Uint8Array(0);

  /** The interleaved stream's bytes `memory[position .. end)`, of which at most `packetsMax` packets are taken, all of `channel`. */
  begin(memory: Uint8Array, position: number, end: number, channel: number, packetsMax: number): void {
    const fields = this.#fields;
    this.#memory = memory;
    fields[POSITION] = position;
    fields[READ_END] = end;
    fields[CHANNEL] = channel;
    fields[PACKETS_MAX] = packetsMax;
    fields[PACKETS] = 0;
  }

  get memory(): Uint8Array {
    return this.#memory;
  }

  /** Where the next byte of the unit goes, and how many more it may have. */
  writesTo(write: number, unitBytesMax: number): void {
    this.#fields[WRITE] = write;
    this.#fields[UNIT_BYTES_MAX] = unitBytesMax;
  }

  /** The unit in progress goes on. */
  continueUnit(syntax: FragmentSyntax, timestamp: number): void {
    this.#of(syntax, timestamp);
    this.#fields[BEGINS] = 0;
  }

  /** The unit of `timestamp` has ended, and the next begins. */
  beginNextUnit(syntax: FragmentSyntax, timestamp: number): void {
    const fields = this.#fields;
    this.#of(syntax, timestamp);
    fields[BEGINS] = 1;
    fields[TYPE_FIRST] = syntax.beginTypes[0];
    fields[TYPE_LAST] = syntax.beginTypes[1];
  }

  #of(syntax: FragmentSyntax, timestamp: number): void {
    const fields = this.#fields;
    fields[STRUCTURE_MASK] = syntax.structureMask;
    fields[STRUCTURE] = syntax.structure;
    fields[HEADER_BYTES] = syntax.headerBytes;
    fields[TIMESTAMP] = timestamp;
  }

  /** Of the unit; before `take`, of the one that ended where another may begin. */
  get timestamp(): number {
    return this.#fields[TIMESTAMP] ?? 0;
  }

  ofSource(payloadType: number, ssrc: number, sequence: number): void {
    const fields = this.#fields;
    fields[PAYLOAD_TYPE] = payloadType;
    fields[SSRC] = ssrc;
    fields[SEQUENCE] = sequence;
  }

  /** Of the last packet taken. */
  get sequence(): number {
    return ((this.#fields[SEQUENCE] ?? 0) - 1) & 0xffff;
  }

  /** Answers how many packets were taken. */
  take(): number {
    take?.(this.#memory, this.#fields);
    return this.packets;
  }

  get packets(): number {
    return this.#fields[PACKETS] ?? 0;
  }

  /** Puts what `packetPrint` makes of each packet taken into `prints`, from `at` on and around its end: its length is a power of two. */
  copyPrints(prints: Uint32Array, at: number): void {
    const fields = this.#fields;
    const mask = prints.length - 1;
    const { packets } = this;
    for (let index = 0; index < packets; index += 1)
      prints[(at + index) & mask] = fields[FIELDS + index] ?? 0;
  }

  /** First byte that was not taken. */
  get position(): number {
    return this.#fields[POSITION] ?? 0;
  }

  /** Bytes of the packets' RTP payloads. */
  get payloadBytes(): number {
    return this.#fields[PAYLOAD_BYTES] ?? 0;
  }

  /** Position after the last byte of the unit. */
  get written(): number {
    return this.#fields[WRITE] ?? 0;
  }

  /** Whether the first packet taken began a picture. */
  get isBegun(): boolean {
    return ((this.#fields[LAST] ?? 0) & HAS_BEGUN) !== 0;
  }

  /** Whether the last packet taken has the unit's last fragment. */
  get isEnd(): boolean {
    return ((this.#fields[LAST] ?? 0) & LAST_ENDS) !== 0;
  }

  /** Whether the last packet taken has RTP's marker. */
  get isMarked(): boolean {
    return ((this.#fields[LAST] ?? 0) & LAST_IS_MARKED) !== 0;
  }
}
