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
const FU_A = 28;

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

/** H.264 over RTP (RFC 6184), packetization modes 0 and 1: single NAL units, STAP-A, FU-A. */
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
    if (structure === FU_A) this.#receiveFragment(packet);
    else if (structure === STAP_A) this.#receiveAggregate(packet);
    else if (structure < STAP_A) {
      assembler.begin(packet, assembler.role(buffer, start, end));
      if (start < end) assembler.unit(buffer, start, end);
    } else {
      assembler.begin(packet, "neutral");
      assembler.unknownStructure();
    }
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

  /** RFC 6184, 5.8. Only the first fragment's type counts; the reserved bit is ignored. */
  #receiveFragment(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const assembler = this.#assembler;
    const fuHeader = start + 1 < end ? (buffer[start + 1] ?? 0) : 0;
    const isStart = (fuHeader & 0x80) !== 0;
    assembler.begin(packet, isStart ? fragmentRole(fuHeader, buffer, start, end) : "continues");
    if (start + 2 > end) return;
    const header = ((buffer[start] ?? 0) & 0xe0) | (fuHeader & 0x1f);
    if (isStart) assembler.startFragment(header, undefined, buffer, start + 2, end);
    else assembler.fragment(fuHeader & 0x1f, buffer, start + 2, end);
    if ((fuHeader & 0x40) !== 0) assembler.endFragment(true);
  }

  /** RFC 6184, 5.7.1. */
  #receiveAggregate(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const assembler = this.#assembler;
    assembler.begin(packet, assembler.role(buffer, start + 3, end));
    let count = 0;
    let at = start + 1;
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
}

function fragmentRole(fuHeader: number, buffer: Buffer, start: number, end: number) {
  const type = fuHeader & 0x1f;
  if (!SYNTAX.isPicture(type)) return SYNTAX.precedesPicture(type) ? "precedes" : "neutral";
  return SYNTAX.isFirstSlice(type, buffer, start + 1, end) ? "starts" : "continues";
}
