import { BitReader, Codec, parseH264Sps, rawPayload } from "../../live/index.js";
import { forEachSpropUnit } from "./annex-b.js";
import type { Depacketizer, UnitSink } from "./depacketizer.js";
import type { EntryPolicy } from "./entry-policy.js";
import type { FragmentRun } from "./fragment-run.js";
import type { FrameBuilder } from "./frame-builder.js";
import { H264KeyDetector } from "./h264-key-detector.js";
import { NalAssembler, type NalSyntax } from "./nal-assembler.js";
import { type ParameterSetKind, ParameterSets, PPS, SPS } from "./parameter-sets.js";
import type { RtpPacket } from "./types.js";

/** Payload structures (RFC 6184, table 1). */
const STAP_A = 24;
const STAP_B = 25;
const MTAP16 = 26;
const MTAP24 = 27;
const FU_A = 28;
const FU_B = 29;
/** Bytes of a decoding order number (RFC 6184, 5.5). */
const DON_BYTES = 2;
const TIMESTAMPS = 2 ** 32;

/** NAL unit types (ITU-T H.264, table 7-1). */
const SLICE = 1;
const PARTITION_A = 2;
const IDR_SLICE = 5;
const SEI = 6;
const SPS_TYPE = 7;
const PPS_TYPE = 8;
const DELIMITER = 9;

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
  readonly #assembler: NalAssembler;
  readonly #spans = new Int32Array(2 * AGGREGATED_UNITS_MAX);

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
    this.#assembler = new NalAssembler({ syntax: SYNTAX, keys, entries, sets, requiredSets, builder, sink });
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const assembler = this.#assembler;
    const structure = start < end ? (buffer[start] ?? 0) & 0x1f : 0;
    if (structure === FU_A || structure === FU_B)
      this.#receiveFragment(packet, structure === FU_B ? DON_BYTES : 0);
    else if (structure === STAP_A || structure === STAP_B)
      this.#receiveAggregate(packet, structure === STAP_B ? DON_BYTES : 0);
    else if (structure === MTAP16 || structure === MTAP24)
      this.#receiveTimes(packet, structure === MTAP16 ? 2 : 3);
    else if (structure < STAP_A) {
      assembler.begin(packet, assembler.role(buffer, start, end));
      if (start < end) assembler.unit(buffer, start, end);
    } else assembler.unknownStructure(packet);
    assembler.end(packet);
  }

  allowsRun(run: FragmentRun): boolean {
    return this.#assembler.allowsRun(run, true);
  }

  tookRun(run: FragmentRun): void {
    this.#assembler.tookRun(run);
  }

  flush(): void {
    this.#assembler.flush();
  }

  finishSilent(): void {
    this.#assembler.finishSilent();
  }

  reset(): void {
    this.#assembler.reset();
  }

  /** RFC 6184, 5.8. Only the first fragment's type counts. A fragment has `numberBytes` of its unit's number before its bytes. */
  #receiveFragment(packet: RtpPacket, numberBytes: number): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const assembler = this.#assembler;
    const fuHeader = start + 1 < end ? (buffer[start + 1] ?? 0) : 0;
    const isStart = (fuHeader & 0x80) !== 0;
    const from = start + 2 + numberBytes;
    assembler.begin(packet, isStart ? fragmentRole(fuHeader, buffer, from, end) : "continues");
    if (from > end) return;
    const header = ((buffer[start] ?? 0) & 0xe0) | (fuHeader & 0x1f);
    if (isStart) assembler.startFragment(header, undefined, buffer, from, end);
    else assembler.fragment(fuHeader & 0x1f, buffer, from, end);
    if ((fuHeader & 0x40) !== 0) assembler.endFragment(true);
  }

  /** RFC 6184, 5.7.1: units of one time, the number of the first before them. */
  #receiveAggregate(packet: RtpPacket, numberBytes: number): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const assembler = this.#assembler;
    assembler.begin(packet, assembler.role(buffer, start + 3 + numberBytes, end));
    let count = 0;
    let at = start + 1 + numberBytes;
    while (at + 2 < end && count < this.#spans.length) {
      const size = buffer.readUInt16BE(at);
      at += 2;
      if (size > end - at) {
        assembler.damage();
        break;
      }
      this.#spans[count] = at;
      this.#spans[count + 1] = at + size;
      if (size > 0) count += 2;
      at += size;
    }
    assembler.aggregate(buffer, this.#spans, count, start, end);
  }

  /** RFC 6184, 5.7.2: units of several times, each behind its size, its number and its distance in time. */
  #receiveTimes(packet: RtpPacket, timeBytes: 2 | 3): void {
    const { buffer, payloadStart, payloadEnd: end, timestamp } = packet;
    const assembler = this.#assembler;
    const headBytes = 2 + 1 + timeBytes;
    let at = payloadStart + 1 + DON_BYTES;
    let units = 0;
    while (at + headBytes < end && units < AGGREGATED_UNITS_MAX) {
      const size = buffer.readUInt16BE(at);
      packet.timestamp = (timestamp + buffer.readUIntBE(at + 3, timeBytes)) % TIMESTAMPS;
      at += headBytes;
      if (size > end - at) break;
      packet.payloadStart = at;
      assembler.begin(packet, assembler.role(buffer, at, at + size));
      assembler.unit(buffer, at, at + size);
      packet.lost = 0;
      at += size;
      units += 1;
    }
    if (units === 0) assembler.begin(packet, "neutral");
    if (at < end) assembler.damage();
  }
}

/** The role of a first fragment whose part of the unit begins at `from`, behind the header that it has no more. */
function fragmentRole(fuHeader: number, buffer: Buffer, from: number, end: number) {
  const type = fuHeader & 0x1f;
  if (!SYNTAX.isPicture(type)) return SYNTAX.precedesPicture(type) ? "precedes" : "neutral";
  return SYNTAX.isFirstSlice(type, buffer, from - 1, end) ? "starts" : "continues";
}
