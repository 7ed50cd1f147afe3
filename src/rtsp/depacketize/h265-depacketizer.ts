import { BitReader, Codec, makeH265Vps, parseH265Sps, rawPayload } from "../../live/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { RtpPacket } from "../rtp/types.js";
import { forEachSpropUnit } from "./annex-b.js";
import type { Depacketizer } from "./depacketizer.js";
import { AGGREGATED_UNITS_MAX, type NalDepacketizerOptions } from "./h264-depacketizer.js";
import { H265KeyDetector } from "./h265-key-detector.js";
import { NalAssembler, type NalPacket, type NalTrack } from "./nal-assembler.js";
import type { NalSyntax } from "./nal-syntax.js";
import { type ParameterSetKind, ParameterSets, PPS, SPS, VPS } from "./parameter-sets.js";
import { SliceBits } from "./slice-bits.js";

/** Payload structures (RFC 7798, 4.4). */
const AGGREGATION = 48;
const FRAGMENTATION = 49;
const PACI = 50;

/** NAL unit types (ITU-T H.265, table 7-1). */
const PICTURE_LAST = 31;
const IRAP_FIRST = 16;
const VPS_TYPE = 32;
const SPS_TYPE = 33;
const PPS_TYPE = 34;
const PREFIX_SEI = 39;

/** The last of random access points, slices of type I, and picture parameter sets (ITU-T H.265, tables 7-1 and 7-7, 7.4.3.3.1). */
const IRAP_LAST = 21;
const INTRA = 2;
const PICTURE_SETS_MAX = 64;

const SYNTAX: NalSyntax = {
  headerBytes: 2,
  fragments: {
    structureMask: 0x7e,
    structure: FRAGMENTATION << 1,
    headerBytes: 3,
    beginTypes: [0, IRAP_FIRST - 1],
  },
  type: (buffer, at) => ((buffer[at] ?? 0) >> 1) & 0x3f,
  isPicture: (type) => type <= PICTURE_LAST,
  /** first_slice_segment_in_pic_flag (ITU-T H.265, 7.3.6.1). A picture of a further layer goes with that of the base layer. */
  isFirstSlice: (_type, buffer, at, end) =>
    at + 2 < end && ((buffer[at + 2] ?? 0) & 0x80) !== 0 && isOfBaseLayer(buffer, at),
  precedesPicture: (type) => (type >= VPS_TYPE && type <= PPS_TYPE + 1) || type === PREFIX_SEI,
  followsPicture: () => false,
  parameterSetKind: (type) => {
    if (type === VPS_TYPE) return VPS;
    if (type === SPS_TYPE) return SPS;
    return type === PPS_TYPE ? PPS : undefined;
  },
};

/** nuh_layer_id 0 (ITU-T H.265, 7.3.1.2). */
function isOfBaseLayer(buffer: Buffer, at: number): boolean {
  return ((buffer[at] ?? 0) & 1) === 0 && (buffer[at + 1] ?? 0) >> 3 === 0;
}

function h265SetId(kind: ParameterSetKind, nal: Buffer): number {
  if (kind === VPS) return (nal[2] ?? 0) >> 4;
  if (kind === SPS) return parseH265Sps(nal)?.id ?? 0;
  return new BitReader(rawPayload(nal.subarray(0, 16), 2)).unsignedGolomb();
}

/** H.265 over RTP (RFC 7798): single NAL units, aggregation packets, fragmentation units, with and without DONL. */
export class H265Depacketizer implements Depacketizer {
  readonly #track: NalTrack;
  readonly #spans = new Int32Array(2 * AGGREGATED_UNITS_MAX);
  /** Bytes of a DONL field: present if units may be sent out of decoding order (RFC 7798, 4.4.1); as announced, until seen. */
  #donlBytes: 0 | 2;
  readonly #bits = new SliceBits();

  constructor(options: NalDepacketizerOptions) {
    const required = [VPS, SPS, PPS] as const;
    const sets = new ParameterSets({
      codec: Codec.H265,
      required,
      parseSps: parseH265Sps,
      setId: h265SetId,
      makeVps: makeH265Vps,
    });
    for (const name of ["sprop-vps", "sprop-sps", "sprop-pps"]) {
      forEachSpropUnit(options.fmtp.get(name), (nal) => {
        const kind = SYNTAX.parameterSetKind(SYNTAX.type(nal, 0));
        if (kind !== undefined) sets.learn(kind, nal, 0, nal.length);
      });
    }
    this.#donlBytes = Number(options.fmtp.get("sprop-max-don-diff") ?? 0) > 0 ? 2 : 0;
    const { builder, sink, entries } = options;
    const keys = new H265KeyDetector(entries, sets);
    const requiredSets = required;
    this.#track = new NalAssembler({ syntax: SYNTAX, keys, entries, sets, requiredSets, builder, sink });
  }

  receive(packet: RtpPacket): void {
    this.#used(packet).end(packet);
  }

  #used(packet: RtpPacket): NalPacket {
    const part = this.#track.streamPart(packet);
    if (part !== undefined) return part;
    if (SYNTAX.type(packet.buffer, packet.payloadStart) === PACI) unwrapPaci(packet);
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const structure = start < end ? SYNTAX.type(buffer, start) : 0;
    if (structure === FRAGMENTATION) return this.#fragment(packet);
    if (structure === AGGREGATION) return this.#aggregate(packet);
    if (structure < AGGREGATION) return this.#single(packet);
    const used = this.#track.begin(packet, "neutral");
    used.leaveOut();
    return used;
  }

  allowsRun(run: FragmentRun): boolean {
    return this.#track.allowsRun(run, this.#donlBytes === 0);
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

  /** RFC 7798, 4.4.1. With DONL, the unit's header is moved next to the rest of the unit. */
  #single(packet: RtpPacket): NalPacket {
    const { buffer, payloadStart, payloadEnd: end } = packet;
    if (SYNTAX.type(buffer, payloadStart) === VPS_TYPE)
      this.#donlBytes = donlOfVps(buffer, payloadStart, end) ?? this.#donlBytes;
    else this.#seeSlice(SYNTAX.type(buffer, payloadStart), buffer, payloadStart + 2, end);
    const start = payloadStart + this.#donlBytes;
    if (this.#donlBytes > 0 && start + 2 <= end) buffer.copyWithin(start, payloadStart, payloadStart + 2);
    const used = this.#track.begin(packet, this.#track.role(buffer, start, end));
    if (start < end) used.unit(buffer, start, end);
    return used;
  }

  /** RFC 7798, 4.4.3. Only the first fragment's type counts. */
  #fragment(packet: RtpPacket): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const fuHeader = start + 2 < end ? (buffer[start + 2] ?? 0) : 0;
    const isStart = this.#track.startsUnit(packet, fuHeader & 0x3f, fuHeader);
    if (isStart) this.#seeSlice(fuHeader & 0x3f, buffer, start + 3, end);
    const from = start + 3 + (isStart ? this.#donlBytes : 0);
    const used = this.#track.begin(packet, isStart ? fragmentRole(buffer, start, from, end) : "continues");
    if (from > end) return used;
    const header0 = ((buffer[start] ?? 0) & 0x81) | ((fuHeader & 0x3f) << 1);
    if (isStart) used.startFragment(header0, buffer[start + 1] ?? 0, buffer, from, end);
    else used.fragment(fuHeader & 0x3f, buffer, from, end);
    if ((fuHeader & 0x40) !== 0) used.lastFragment();
    return used;
  }

  /**
   * The first slice of a random access point shows that there is no number before it, though one was announced. It does not show the
   * opposite: two bytes further nearly any bytes may look like a slice's.
   */
  #seeSlice(type: number, buffer: Buffer, at: number, end: number): void {
    if (this.#donlBytes === 0 || type < IRAP_FIRST || type > IRAP_LAST) return;
    const isBare = this.#isIntraSlice(buffer, at, end);
    if (isBare && !this.#isIntraSlice(buffer, at + 2, end)) this.#donlBytes = 0;
  }

  /** The first slice of a picture, of type I (ITU-T H.265, 7.3.6.1): no_output_of_prior_pics_flag may be either. */
  #isIntraSlice(buffer: Buffer, at: number, end: number): boolean {
    const bits = this.#bits;
    bits.begin(buffer, at, end);
    const isFirst = bits.bit() === 1;
    const noOutputOfPriorPicsBits = 1;
    bits.skip(noOutputOfPriorPicsBits);
    const isOfSet = bits.golomb() < PICTURE_SETS_MAX;
    return isFirst && isOfSet && bits.golomb() === INTRA && !bits.isOver;
  }

  /** RFC 7798, 4.4.2. The first unit has a two-byte DONL before its size, each later one a one-byte DOND. */
  #aggregate(packet: RtpPacket): NalPacket {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const other = this.#donlBytes === 0 ? 2 : 0;
    // What is announced is wrong where the aggregate divides evenly only the other way.
    if (!dividesEvenly(buffer, start, end, this.#donlBytes) && dividesEvenly(buffer, start, end, other))
      this.#donlBytes = other;
    let count = 0;
    let at = start + 2 + this.#donlBytes;
    let isCut = false;
    while (at + 2 < end && count < this.#spans.length) {
      const size = buffer.readUInt16BE(at);
      at += 2;
      isCut = size > end - at;
      if (isCut) break;
      this.#spans[count] = at;
      this.#spans[count + 1] = at + size;
      if (size > 0) count += 2;
      at += size + (this.#donlBytes > 0 ? 1 : 0);
    }
    const first = count > 0 ? (this.#spans[0] ?? at) : at;
    const used = this.#track.begin(packet, this.#track.role(buffer, first, end));
    if (isCut) used.damage();
    used.aggregate(buffer, this.#spans, count, start, end);
    return used;
  }
}

/** The role of a fragment at `start` whose part of the unit begins at `from`. */
function fragmentRole(buffer: Buffer, start: number, from: number, end: number) {
  const type = (buffer[start + 2] ?? 0) & 0x3f;
  if (!SYNTAX.isPicture(type)) return SYNTAX.precedesPicture(type) ? "precedes" : "neutral";
  const first = from < end && ((buffer[from] ?? 0) & 0x80) !== 0 && isOfBaseLayer(buffer, start);
  return first ? "starts" : "continues";
}

/** Whether an aggregation packet consists of whole units, with or without DONL and DOND. */
function dividesEvenly(buffer: Buffer, start: number, end: number, donlBytes: 0 | 2): boolean {
  let at = start + 2 + donlBytes;
  for (let units = 0; at < end && units < AGGREGATED_UNITS_MAX; units += 1) {
    if (units > 0 && donlBytes > 0) at += 1;
    if (at + 4 > end) return false;
    const size = buffer.readUInt16BE(at);
    const isUnit = size >= 2 && ((buffer[at + 2] ?? 0) & 0x80) === 0 && ((buffer[at + 3] ?? 0) & 7) !== 0;
    if (!isUnit || SYNTAX.type(buffer, at + 2) >= AGGREGATION) return false;
    at += 2 + size;
  }
  return at === end;
}

/** A VPS has 16 set bits at its fourth byte (ITU-T H.265, 7.3.2.1), or two bytes later behind a DONL; undefined: at neither. */
function donlOfVps(buffer: Buffer, start: number, end: number): 0 | 2 | undefined {
  const isSet = (at: number): boolean => at + 1 < end && buffer[at] === 0xff && buffer[at + 1] === 0xff;
  if (isSet(start + 4)) return 0;
  return isSet(start + 6) ? 2 : undefined;
}

/**
 * Removes the extension header of a PACI packet (RFC 7798, 4.4.4): what it carries is a payload of another structure without its
 * header, whose fields stand in the extension. The header is written before it.
 */
function unwrapPaci(packet: RtpPacket): void {
  const { buffer, payloadStart: start, payloadEnd: end } = packet;
  if (start + 4 > end) return;
  const fields = buffer.readUInt16BE(start + 2);
  const carried = start + 4 + ((fields >> 4) & 0x1f);
  if (carried > end) return;
  const layerBit = (buffer[start] ?? 0) & 1;
  const layerAndTemporalId = buffer[start + 1] ?? 0;
  // The forbidden bit and the type are the first seven bits of the extension.
  buffer[carried - 2] = ((fields >> 8) & 0xfe) | layerBit;
  buffer[carried - 1] = layerAndTemporalId;
  packet.payloadStart = carried - 2;
}
