import { BitReader, Codec, parseH264Sps, rawPayload } from "../../live/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { RtpPacket } from "../rtp/types.js";
import { forEachSpropUnit } from "./annex-b.js";
import type { Depacketizer, UnitSink } from "./depacketizer.js";
import type { EntryPolicy } from "./entry-policy.js";
import type { FrameBuilder } from "./frame-builder.js";
import { H264KeyDetector } from "./h264-key-detector.js";
import { NalAssembler, type NalPacket, type NalTrack } from "./nal-assembler.js";
import type { NalSyntax } from "./nal-syntax.js";
import { type ParameterSetKind, ParameterSets, PPS, SPS } from "./parameter-sets.js";
import { DON_BYTES, UnitNumber } from "./unit-number.js";

/** Payload structures (RFC 6184, table 1). */
const STAP_A = 24;
const STAP_B = 25;
const MTAP16 = 26;
const MTAP24 = 27;
const FU_A = 28;
const FU_B = 29;
const TIMESTAMPS = 2 ** 32;

/** NAL unit types (ITU-T H.264, table 7-1). */
const SLICE = 1;
const PARTITION_A = 2;
const IDR_SLICE = 5;
const SEI = 6;
const SPS_TYPE = 7;
const PPS_TYPE = 8;
const DELIMITER = 9;
const AUXILIARY_SLICE = 19;
/** Of multi-view pictures with depth. */
const EXTENSION_SLICE_LAST = 21;

/** Most units taken from one aggregation packet. */
export const AGGREGATED_UNITS_MAX = 1024;

const SYNTAX: NalSyntax = {
  headerBytes: 1,
  fragments: { structureMask: 0x1f, structure: FU_A, headerBytes: 2, beginTypes: [SLICE, SLICE] },
  type: (buffer, at) => (buffer[at] ?? 0) & 0x1f,
  isPicture: (type) => type >= SLICE && type <= IDR_SLICE,
  /** first_mb_in_slice is ue(v): zero is a single set bit (ITU-T H.264, 7.3.3). */
  isFirstSlice: (type, buffer, at, end) =>
    (type <= PARTITION_A || type === IDR_SLICE) && at + 1 < end && ((buffer[at + 1] ?? 0) & 0x80) !== 0,
  precedesPicture: (type) => type >= SEI && type <= DELIMITER,
  followsPicture: (type) => type >= AUXILIARY_SLICE && type <= EXTENSION_SLICE_LAST,
  parameterSetKind: (type) => (type === SPS_TYPE ? SPS : type === PPS_TYPE ? PPS : undefined),
};

function h264SetId(kind: ParameterSetKind, nal: Buffer): number {
  if (kind === SPS) return parseH264Sps(nal)?.id ?? 0;
  return new BitReader(rawPayload(nal.subarray(0, 16), 1)).unsignedGolomb();
}

export interface NalDepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  readonly builder: FrameBuilder;
  readonly sink: UnitSink;
  readonly entries: EntryPolicy;
}

/**
 * H.264 over RTP (RFC 6184): single NAL units, aggregates and fragments of all packetization modes. Units are taken in the order in
 * which they come: decoding order numbers are not looked at, as cameras send in decoding order.
 */
export class H264Depacketizer implements Depacketizer {
  readonly #track: NalTrack;
  readonly #spans = new Int32Array(2 * AGGREGATED_UNITS_MAX);
  readonly #number = new UnitNumber();

  constructor(options: NalDepacketizerOptions) {
    const required = [SPS, PPS] as const;
    const sets = new ParameterSets({ codec: Codec.H264, required, parseSps: parseH264Sps, setId: h264SetId });
    forEachSpropUnit(options.fmtp.get("sprop-parameter-sets"), (nal) => {
      const kind = SYNTAX.parameterSetKind(SYNTAX.type(nal, 0));
      if (kind !== undefined) sets.learn(kind, nal, 0, nal.length);
    });
    const { builder, sink, entries } = options;
    const keys = new H264KeyDetector(entries);
    const requiredSets = required;
    this.#track = new NalAssembler({ syntax: SYNTAX, keys, entries, sets, requiredSets, builder, sink });
  }

  receive(packet: RtpPacket): void {
    this.#used(packet).end(packet);
  }

  #used(packet: RtpPacket): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const part = this.#track.streamPart(packet);
    if (part !== undefined) return part;
    const structure = start < end ? (buffer[start] ?? 0) & 0x1f : 0;
    switch (structure) {
      case FU_A:
        return this.#fragment(packet, false);
      case FU_B:
        return this.#fragment(packet, true);
      case STAP_A:
        return this.#aggregate(packet, 0);
      case STAP_B:
        return this.#aggregate(packet, DON_BYTES);
      case MTAP16:
        return this.#times(packet, 2);
      case MTAP24:
        return this.#times(packet, 3);
    }
    if (structure < STAP_A) return this.#single(packet);
    const used = this.#track.begin(packet, "neutral");
    used.leaveOut();
    return used;
  }

  allowsRun(run: FragmentRun): boolean {
    return this.#track.allowsRun(run, true);
  }

  noteRun(run: FragmentRun): void {
    this.#track.noteRun(run);
  }

  flush(): void {
    this.#track.flush();
  }

  finishSilent(): void {
    this.#track.finishSilent();
  }

  reset(): void {
    this.#track.reset();
  }

  /** RFC 6184, 5.6. */
  #single(packet: RtpPacket): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const used = this.#track.begin(packet, this.#track.role(buffer, start, end));
    if (start < end) used.unit(buffer, start, end);
    return used;
  }

  /** RFC 6184, 5.8. Only the first fragment's type counts. */
  #fragment(packet: RtpPacket, mayBeNumbered: boolean): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const fuHeader = start + 1 < end ? (buffer[start + 1] ?? 0) : 0;
    const type = fuHeader & 0x1f;
    const isStart = this.#track.startsUnit(packet, type, fuHeader);
    let from = start + 2;
    if (mayBeNumbered)
      from += isStart ? this.#number.begin(type, buffer, from, end) : this.#number.next(buffer, from, end);
    const role = isStart ? fragmentRole(fuHeader, buffer, from, end) : "continues";
    const used = this.#track.begin(packet, role);
    if (from > end) return used;
    const header = ((buffer[start] ?? 0) & 0xe0) | type;
    if (isStart) used.startFragment(header, undefined, buffer, from, end);
    else used.fragment(type, buffer, from, end);
    if ((fuHeader & 0x40) !== 0) used.lastFragment();
    return used;
  }

  /** RFC 6184, 5.7.1: units of one time, the number of the first before them. */
  #aggregate(packet: RtpPacket, numberBytes: number): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    let count = 0;
    let at = start + 1 + numberBytes;
    let isCut = false;
    while (at + 2 < end && count < this.#spans.length) {
      const size = buffer.readUInt16BE(at);
      at += 2;
      isCut = size > end - at;
      if (isCut) break;
      this.#spans[count] = at;
      this.#spans[count + 1] = at + size;
      if (size > 0) count += 2;
      at += size;
    }
    const first = count > 0 ? (this.#spans[0] ?? at) : at;
    const used = this.#track.begin(packet, this.#track.role(buffer, first, end));
    if (isCut) used.damage();
    used.aggregate(buffer, this.#spans, count, start, end);
    return used;
  }

  /** RFC 6184, 5.7.2: units of several times, each behind its size, its number and its distance in time. */
  #times(packet: RtpPacket, timeBytes: 2 | 3): NalPacket {
    const { buffer, payloadStart, payloadEnd: end, timestamp } = packet;
    const headBytes = 2 + 1 + timeBytes;
    let at = payloadStart + 1 + DON_BYTES;
    let units = 0;
    let used: NalPacket | undefined;
    while (at + headBytes < end && units < AGGREGATED_UNITS_MAX) {
      const size = buffer.readUInt16BE(at);
      packet.timestamp = (timestamp + buffer.readUIntBE(at + 3, timeBytes)) % TIMESTAMPS;
      at += headBytes;
      if (size > end - at) break;
      packet.payloadStart = at;
      const role = this.#track.role(buffer, at, at + size);
      if (used === undefined) used = this.#track.begin(packet, role);
      else used.next(packet, role);
      used.unit(buffer, at, at + size);
      packet.lost = 0;
      at += size;
      units += 1;
    }
    used ??= this.#track.begin(packet, "neutral");
    if (at < end) used.damage();
    return used;
  }
}

/** The role of a first fragment whose part of the unit begins at `from`, behind the header that it has no more. */
function fragmentRole(fuHeader: number, buffer: Buffer, from: number, end: number) {
  const type = fuHeader & 0x1f;
  if (!SYNTAX.isPicture(type)) return SYNTAX.precedesPicture(type) ? "precedes" : "neutral";
  return SYNTAX.isFirstSlice(type, buffer, from - 1, end) ? "starts" : "continues";
}
