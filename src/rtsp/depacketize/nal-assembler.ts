import { invariant } from "../../base/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { DepacketizedUnit, RtpPacket } from "../rtp/types.js";
import { AccessUnit, type AccessUnitEnd, type AccessUnitOwner, type PacketRole } from "./access-unit.js";
import { findStartCode, START_CODE_BYTES } from "./annex-b.js";
import { ByteStream } from "./byte-stream.js";
import { CUT_BYTES_MIN, type UnitSink } from "./depacketizer.js";
import { CLEAN_ENTRY, type EntryPolicy, type EntryRank } from "./entry-policy.js";
import type { FrameBuilder } from "./frame-builder.js";
import { KeyLoss } from "./key-loss.js";
import type { NalSyntax } from "./nal-syntax.js";
import type { ParameterSetKind, ParameterSets } from "./parameter-sets.js";
import { END_BIT, type FragmentState, type PacketBefore, START_BIT, type StartBits } from "./unit-state.js";

/** Most bytes of a fragmented non-slice unit: parameter sets, SEI, or the beginning of a whole Annex B access unit. */
export const SIDE_UNIT_BYTES_MAX = 64 * 1024;
const SEQUENCES = 0x10000;

/** Decides from an access unit's NAL units whether it is a random access point; one object per track. */
export interface KeyDetector {
  /** A new access unit begins. */
  begin(): void;
  /** A NAL unit, or the first fragment of one. */
  see(type: number, buffer: Buffer, start: number, end: number): void;
  /** How well decoding can begin with the access unit, as far as it was seen. */
  readonly rank: EntryRank;
  /** Whether it has to see slices that begin no IDR or IRAP picture. */
  readonly needsSlices: boolean;
  /** Whether data seen belongs, or may belong, to a key picture. */
  readonly keySign: boolean;
  /** Whether a fragment of this type whose beginning was lost belongs, or may belong, to a key picture. */
  isKeyFragment(type: number): boolean;
}

export interface NalAssemblerOptions {
  readonly syntax: NalSyntax;
  readonly keys: KeyDetector;
  readonly entries: EntryPolicy;
  readonly sets: ParameterSets;
  /** Kinds of parameter sets that a key frame must include. */
  readonly requiredSets: readonly ParameterSetKind[];
  readonly builder: FrameBuilder;
  readonly sink: UnitSink;
}

/**
 * A packet that was assigned to an access unit: what `NalTrack.begin` answers, so that nothing can be done with a packet before.
 * It is the track's assembler itself, and ends with `end`.
 */
export interface NalPacket {
  /** The packet goes on with NAL units of another time, or of another picture. */
  next(packet: RtpPacket, role: PacketRole): void;
  /** Bytes of the access unit are missing or cannot be parsed. */
  damage(): void;
  /** A whole NAL unit. */
  unit(buffer: Buffer, start: number, end: number): void;
  /** Units of an aggregation packet: `[start, end)` pairs, the first `count` numbers of `spans`. */
  aggregate(buffer: Buffer, spans: Int32Array, count: number, from: number, to: number): void;
  /**
   * The first fragment of a NAL unit: its header (`header1` undefined if that is one byte), and the payload after the
   * fragmentation header.
   */
  startFragment(
    header0: number,
    header1: number | undefined,
    buffer: Buffer,
    start: number,
    end: number,
  ): void;
  /** A later fragment of a NAL unit of `type`. If its beginning was lost, it is dropped and the access unit is damaged. */
  fragment(type: number, buffer: Buffer, start: number, end: number): void;
  /** The fragment was the NAL unit's last. */
  lastFragment(): void;
  /** Its payload has a structure that is not known, and is left out: what other packets hold may be whole. */
  leaveOut(): void;
  /** The packet is used. */
  end(packet: RtpPacket): void;
}

/** A track between two packets. */
export interface NalTrack {
  /** Role of a packet whose first NAL unit begins at `start`, with a start code or without. */
  role(buffer: Buffer, start: number, end: number): PacketRole;
  /** Whether a fragment of a NAL unit of `type` begins it, which its bits say, and what came before. Asked before `begin`. */
  startsUnit(packet: RtpPacket, type: number, bits: number): boolean;
  /** Takes a packet of a stream of bytes that packets cut anywhere; undefined: it is none. */
  streamPart(packet: RtpPacket): NalPacket | undefined;
  /** Assigns the packet to an access unit, by the role of the payload's first NAL unit. */
  begin(packet: RtpPacket, role: PacketRole): NalPacket;
  /** Whether fragments of a slice may be taken in a run; says which. `mayBegin`: also where a picture begins. */
  allowsRun(run: FragmentRun, mayBegin: boolean): boolean;
  /** Takes into account the fragments of `run`. */
  noteRun(run: FragmentRun): void;
  /** Ends the unit in progress as complete. */
  flush(): void;
  /** Ends the current unit unless a NAL unit is unfinished or the marker is still expected. */
  finishSilent(): void;
  /** Drops the unit in progress. */
  reset(): void;
}

/**
 * Builds access units in Annex B from NAL units and fragments of them, for H.264 and H.265. Parameter sets are learned
 * from the stream, and put before a key frame that lacks them.
 *
 * Some cameras put start codes into RTP payloads. They are searched for in all non-slice units, and in slices once the
 * track has had one (a start code cannot occur inside a NAL unit: ITU-T H.264, 7.4.1).
 */
export class NalAssembler implements NalTrack, NalPacket, AccessUnitOwner {
  readonly #options: NalAssemblerOptions;
  readonly #unit: AccessUnit;
  readonly #keyLoss = new KeyLoss();
  /** A bit for each kind that a key frame must include, as in `#setsSeen`. */
  readonly #requiredSets: number;
  #fragment: FragmentState = "none";
  #before: PacketBefore = "nothing";
  #beforeTimestamp = 0;
  #beforeSequence = 0;
  /** The packet before had the marker. */
  #wasMarked = false;
  /** Of the NAL unit that came in fragments last. */
  #fragmentType = 0;
  #startBits: StartBits = "nothing";
  /** A fragment without a start bit went on what one with it had begun: start bits say where units begin. */
  #areStartBitsTrusted = false;
  /** Of units without bits: fragments came that had one time. */
  #areTimesTrusted = false;
  /** A fragment came that had not both bits. */
  #areBitsTrusted = false;
  /** Of the newest fragment, and of the unit's first. */
  #fragmentBytes = 0;
  #cutBytes = 0;
  #isInPacket = false;
  #side: Buffer | undefined;
  #sideLength = 0;
  #setsSeen = 0;
  /** A fragment of a key picture was dropped because its beginning was lost. */
  #keyFragmentDropped = false;
  #annexB = false;
  readonly #byteStream: ByteStream;
  /** The packet in hand began with a start code, and the type of its last whole unit. */
  #hasStartCode = false;
  /** Its last unit may go on in the next packet. */
  #mayBeCut = false;
  #lastType = 0;
  /** The unit that the sink is given, reused for each. */
  #given: { -readonly [Name in keyof DepacketizedUnit]: DepacketizedUnit[Name] } | undefined;

  constructor(options: NalAssemblerOptions) {
    this.#options = options;
    this.#byteStream = new ByteStream(options.syntax);
    this.#unit = new AccessUnit(this);
    this.#requiredSets = options.requiredSets.reduce<number>((bits, kind) => bits | (1 << kind), 0);
  }

  streamPart(packet: RtpPacket): NalPacket | undefined {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const { builder, syntax } = this.#options;
    const code = afterStartCode(buffer, start, end);
    const wasFound = this.#byteStream.isFound;
    this.#hasStartCode = code !== undefined;
    this.#mayBeCut = this.#byteStream.mayBeCut(packet, this.#hasStartCode);
    if (!this.#byteStream.takes(packet, this.#hasStartCode)) return undefined;
    if (!wasFound && this.#fragment === "none") {
      // What was taken for the end of a slice was not.
      this.#fragment = "slice";
      builder.mark();
    }
    const at = code ?? end;
    const begins = at + syntax.headerBytes <= end;
    this.begin(packet, begins ? this.role(buffer, start, end) : "continues");
    if (begins) {
      const second = syntax.headerBytes === 2 ? buffer[at + 1] : undefined;
      this.startFragment(buffer[at] ?? 0, second, buffer, at + syntax.headerBytes, end);
    } else this.fragment(0, buffer, start, end);
    return this;
  }

  begin(packet: RtpPacket, role: PacketRole): NalPacket {
    invariant(!this.#isInPacket, "packet-order");
    this.#isInPacket = true;
    this.next(packet, role);
    return this;
  }

  next(packet: RtpPacket, role: PacketRole): void {
    invariant(this.#isInPacket, "packet-order");
    // `open` first: `begin` may end a unit in the side buffer, and write it before the packet's bytes.
    this.#options.builder.open(packet.buffer, packet.payloadStart);
    this.#unit.begin(packet, role);
  }

  end(packet: RtpPacket): void {
    invariant(this.#isInPacket, "packet-order");
    this.#isInPacket = false;
    this.#wasMarked = packet.marker;
    this.#beforeTimestamp = packet.timestamp;
    this.#beforeSequence = packet.sequence;
    this.#byteStream.note(packet, this.#hasStartCode, this.#lastType);
    this.#unit.end(packet);
  }

  startsUnit(packet: RtpPacket, type: number, bits: number): boolean {
    const isNext = packet.lost === 0;
    const isOfSameTime = packet.timestamp === this.#beforeTimestamp;
    const isBoth = (bits & START_BIT) !== 0 && (bits & END_BIT) !== 0;
    this.#areBitsTrusted ||= !isBoth;
    let begins: boolean;
    if (isBoth && isNext && this.#goesOnAtBothBits(packet)) begins = false;
    else if ((bits & START_BIT) !== 0) begins = !(isNext && this.#goesOnAtStartBit(isOfSameTime));
    else begins = isNext && this.#beginsWithoutStartBit(packet, type, isOfSameTime);
    this.#fragmentBytes = packet.payloadEnd - packet.payloadStart;
    if (begins) {
      this.#fragmentType = type;
      this.#cutBytes = this.#fragmentBytes;
    }
    return begins;
  }

  /**
   * Both bits at each fragment say as little: behind one as long as the unit's first, which is as long as a packet may be, the unit
   * goes on. A unit that is sent whole in one fragment, as some cameras do, is short.
   */
  #goesOnAtBothBits(packet: RtpPacket): boolean {
    const bytes = packet.payloadEnd - packet.payloadStart;
    const isOfSameTime = packet.timestamp === this.#beforeTimestamp;
    const isEnded = this.#wasMarked && (!isOfSameTime || this.#unit.endsWithMarker);
    const mayGoOn = this.#before === "last-fragment" && !this.#areBitsTrusted && !isEnded;
    const isCut = this.#fragmentBytes >= CUT_BYTES_MIN && this.#fragmentBytes === this.#cutBytes;
    if (!mayGoOn || !isCut || bytes > this.#fragmentBytes) return false;
    this.#fragment = "slice";
    return true;
  }

  /** A start bit at each fragment says nothing. */
  #goesOnAtStartBit(isOfSameTime: boolean): boolean {
    const before = this.#before;
    const isAtAll =
      before === "first-fragment" || (before === "fragment" && this.#startBits === "all-fragments");
    const mayGoOn = isAtAll && !this.#areStartBitsTrusted && this.#fragment !== "none";
    const goesOn = mayGoOn && (isOfSameTime || !this.#wasMarked);
    if (goesOn) this.#startBits = "all-fragments";
    else if (!this.#hasStartBits()) this.#startBits = "first-fragments";
    return goesOn;
  }

  #beginsWithoutStartBit(packet: RtpPacket, type: number, isOfSameTime: boolean): boolean {
    if (!this.#hasStartBits()) {
      const begins = this.#mayBeginUnit(type, isOfSameTime);
      if (begins) this.#startBits = "nothing-at-all";
      return begins;
    }
    if (this.#before !== "whole") this.#areStartBitsTrusted = true;
    // An end bit at each fragment says as little. Where times differ, the camera must have left out nothing between.
    const isBehind = packet.sequence === (this.#beforeSequence + 1) % SEQUENCES && !this.#wasMarked;
    if (this.#before === "last-fragment" && (isOfSameTime || isBehind)) this.#fragment = "slice";
    return false;
  }

  #hasStartBits(): boolean {
    return this.#startBits === "first-fragments" || this.#startBits === "all-fragments";
  }

  role(buffer: Buffer, start: number, end: number): PacketRole {
    const { syntax } = this.#options;
    const at = afterStartCode(buffer, start, end) ?? start;
    if (at + syntax.headerBytes >= end) return "neutral";
    const type = syntax.type(buffer, at);
    if (syntax.isPicture(type)) return syntax.isFirstSlice(type, buffer, at, end) ? "starts" : "continues";
    if (syntax.followsPicture(type) && this.#unit.hasPicture) return "continues";
    return syntax.precedesPicture(type) ? "precedes" : "neutral";
  }

  get isInFragment(): boolean {
    return this.#fragment !== "none";
  }

  get mayHaveFields(): boolean {
    return this.#options.sets.mayHaveFields;
  }

  damage(): void {
    this.#unit.damage();
  }

  leaveOut(): void {
    this.#options.sink.onLoss("unknown-structure");
  }

  /** Without start bits: behind a unit that is over, or where a picture has ended. Without end bits too, markers and types decide. */
  #mayBeginUnit(type: number, isOfSameTime: boolean): boolean {
    const before = this.#before;
    if (before === "nothing") return this.#wasMarked && !isOfSameTime;
    if (before === "whole" && isOfSameTime && !this.#wasMarked && this.#startBits === "nothing")
      return !this.#unit.hasPicture;
    if (this.#fragment === "none") return true;
    if (this.#fragment === "side" && type !== this.#fragmentType) return true;
    if (isOfSameTime && !this.#wasMarked) this.#areTimesTrusted = true;
    if (!isOfSameTime) return this.#wasMarked || this.#areTimesTrusted;
    return this.#wasMarked && (type !== this.#fragmentType || this.#unit.endsWithMarker);
  }

  unit(buffer: Buffer, start: number, end: number): void {
    this.endFragment(true);
    this.#before = "whole";
    const { builder, syntax } = this.#options;
    const at = this.#skipStartCode(buffer, start, end);
    if (at + syntax.headerBytes > end) return;
    if (this.#annexB || !syntax.isPicture(syntax.type(buffer, at))) {
      if (findStartCode(buffer, at, end) < end) {
        this.#annexB = true;
        const bounced = builder.bounce(buffer, at, end);
        this.#pieces(bounced, 0, end - at, this.#mayBeCut);
        return;
      }
    }
    this.#last(buffer, at, end, this.#mayBeCut);
  }

  aggregate(buffer: Buffer, spans: Int32Array, count: number, from: number, to: number): void {
    this.endFragment(true);
    this.#before = "whole";
    const bounced = this.#options.builder.bounce(buffer, from, to);
    for (let index = 0; index < count; index += 2) {
      const at = this.#skipStartCode(bounced, (spans[index] ?? 0) - from, (spans[index + 1] ?? 0) - from);
      const end = (spans[index + 1] ?? 0) - from;
      if (at < end) this.#pieces(bounced, at, end);
    }
  }

  startFragment(
    header0: number,
    header1: number | undefined,
    buffer: Buffer,
    start: number,
    end: number,
  ): void {
    this.endFragment(true);
    this.#before = "first-fragment";
    const { builder, syntax, keys } = this.#options;
    // Behind the payload lie bytes of other packets.
    const first = start < end ? (buffer[start] ?? 0) : 0;
    const second = start + 1 < end ? (buffer[start + 1] ?? 0) : 0;
    probe[0] = header0;
    probe[1] = header1 ?? first;
    probe[2] = header1 === undefined ? second : first;
    const type = syntax.type(probe, 0);
    if (!syntax.isPicture(type)) {
      this.#startSide(header0, header1, buffer, start, end);
      return;
    }
    this.#fragment = "slice";
    builder.mark();
    builder.startCode();
    builder.byte(header0);
    if (header1 !== undefined) builder.byte(header1);
    this.#unit.addPicture(syntax.isFirstSlice(type, probe, 0, probe.length));
    keys.see(type, probe, 0, probe.length);
    builder.append(buffer, start, end);
  }

  fragment(type: number, buffer: Buffer, start: number, end: number): void {
    this.#before = "fragment";
    if (this.#fragment === "none") {
      this.#unit.unusable();
      this.#keyFragmentDropped ||= this.#options.keys.isKeyFragment(type);
    } else if (this.#fragment === "side") this.#addSide(buffer, start, end);
    else this.#options.builder.append(buffer, start, end);
  }

  lastFragment(): void {
    this.#before = this.#fragment === "slice" ? "last-fragment" : "whole";
    this.endFragment(true);
  }

  allowsRun(run: FragmentRun, mayBegin: boolean): boolean {
    const { builder, keys, syntax } = this.#options;
    if (this.#byteStream.isFound) return false;
    const goesOn = this.#fragment === "slice";
    if (!goesOn && (this.#fragment !== "none" || !mayBegin || keys.needsSlices)) return false;
    const timestamp = goesOn ? this.#unit.runTimestamp : this.#unit.endedTimestamp;
    if (timestamp === undefined || !builder.allowsRun(run)) return false;
    if (goesOn) run.continueUnit(syntax.fragments, timestamp);
    else run.beginNextUnit(syntax.fragments, timestamp);
    return true;
  }

  noteRun(run: FragmentRun): void {
    invariant(!this.#isInPacket, "packet-order");
    if (run.isBegun) {
      this.#fragment = "slice";
      this.#options.builder.mark();
      this.#unit.beginRun(run);
    }
    this.#options.builder.noteRun(run);
    this.#before = run.isBegun && run.packets === 1 ? "first-fragment" : "fragment";
    if (run.isBegun && !this.#hasStartBits()) this.#startBits = "first-fragments";
    this.#areBitsTrusted = true;
    // Later fragments of one time.
    if (this.#before === "fragment" && this.#hasStartBits()) this.#areStartBitsTrusted = true;
    else if (this.#before === "fragment") this.#areTimesTrusted = true;
    if (run.isEnd) this.lastFragment();
    this.#wasMarked = run.isMarked;
    this.#beforeTimestamp = run.timestamp;
    this.#beforeSequence = run.sequence;
    this.#unit.noteRun(run);
  }

  endFragment(complete: boolean): void {
    const fragment = this.#fragment;
    this.#fragment = "none";
    if (fragment === "slice" && !complete) {
      this.#options.builder.rollback();
      this.#unit.damage();
    } else if (fragment === "side") {
      if (complete) this.#flushSide();
      this.#sideLength = 0;
    }
  }

  endUnit(end: AccessUnitEnd): void {
    const { builder, entries, keys, sets, sink } = this.#options;
    const missing = (this.#setsSeen & this.#requiredSets) !== this.#requiredSets;
    const format = sets.format;
    const dropped = builder.failure !== undefined;
    const isWhole = !end.damaged && !dropped && !end.isRest;
    const isClean = isWhole && keys.rank === CLEAN_ENTRY;
    const keySign = keys.keySign || this.#setsSeen !== 0 || this.#keyFragmentDropped;
    const costsKey = !end.isRest && this.#keyLoss.costsKeyFrame(end, { key: isClean, keySign, dropped });
    if (format === undefined) {
      builder.discard();
      sink.onLoss("no-parameter-sets");
    } else {
      const key = isWhole && entries.takes(keys.rank);
      if (key && missing) builder.prepend(format.initialization);
      this.#given ??= {
        format,
        rtpTimestamp: Number.NaN,
        key: false,
        isUnclean: false,
        damaged: false,
        keyLost: false,
        reorderDepth: 0,
      };
      const unit = this.#given;
      unit.format = format;
      unit.rtpTimestamp = end.rtpTimestamp;
      unit.key = key;
      unit.isUnclean = key && !isClean;
      unit.damaged = end.damaged || dropped || (end.afterLoss && !key);
      unit.keyLost = costsKey && !key && entries.isClean;
      unit.reorderDepth = sets.reorderDepth;
      sink.onUnit(unit);
    }
    this.#setsSeen = 0;
    this.#keyFragmentDropped = false;
    keys.begin();
  }

  flush(): void {
    this.#unit.finish();
  }

  finishSilent(): void {
    // Nothing behind a marker: a unit that has no end bit is over too.
    if (this.#fragment === "none" || this.#wasMarked) this.#unit.finishSilent();
  }

  reset(): void {
    this.#isInPacket = false;
    this.#byteStream.reset();
    this.#fragment = "none";
    this.#before = "nothing";
    this.#wasMarked = false;
    this.#startBits = "nothing";
    this.#areStartBitsTrusted = false;
    this.#areTimesTrusted = false;
    this.#areBitsTrusted = false;
    this.#sideLength = 0;
    this.#setsSeen = 0;
    this.#keyFragmentDropped = false;
    this.#options.keys.begin();
    this.#options.builder.discard();
    this.#unit.reset();
  }

  /** Position after a start code at the beginning of the payload. */
  #skipStartCode(buffer: Buffer, start: number, end: number): number {
    const at = afterStartCode(buffer, start, end);
    if (at !== undefined) this.#annexB = true;
    return at ?? start;
  }

  /**
   * Writes the NAL units of `buffer[start .. end)`, separated by start codes. The memory must be the bounce or side
   * buffer.
   */
  #pieces(buffer: Buffer, start: number, end: number, mayBeCut = false): void {
    let at = start;
    while (at < end) {
      const code = findStartCode(buffer, at, end);
      let last = code;
      if (code < end) while (last > at && buffer[last - 1] === 0) last -= 1;
      if (last > at) this.#last(buffer, at, last, mayBeCut && code === end);
      at = code + START_CODE_BYTES;
    }
  }

  /** Writes a NAL unit, or keeps one that must be read whole and may be cut off until it is known that it goes on no more. */
  #last(buffer: Buffer, start: number, end: number, mayBeCut: boolean): void {
    const type = this.#options.syntax.type(buffer, start);
    if (mayBeCut && !this.#options.syntax.isPicture(type)) {
      this.#fragmentType = type;
      this.#lastType = type;
      this.#startSide(buffer[start] ?? 0, undefined, buffer, start + 1, end);
    } else this.#write(buffer, start, end);
  }

  /** Writes one whole NAL unit and records its type. */
  #write(buffer: Buffer, start: number, end: number): void {
    const { builder, syntax, keys } = this.#options;
    if (start + syntax.headerBytes > end) return;
    const type = syntax.type(buffer, start);
    this.#lastType = type;
    if (syntax.isPicture(type)) this.#unit.addPicture(syntax.isFirstSlice(type, buffer, start, end));
    else this.#learn(type, buffer, start, end);
    keys.see(type, buffer, start, end);
    builder.startCode();
    builder.append(buffer, start, end);
  }

  #learn(type: number, buffer: Buffer, start: number, end: number): void {
    const { syntax, sets } = this.#options;
    const kind = syntax.parameterSetKind(type);
    if (kind === undefined) return;
    this.#setsSeen |= 1 << kind;
    sets.learn(kind, buffer, start, end);
  }

  /** A fragmented non-slice unit is assembled in the side buffer, because it must be parsed as a whole. */
  #startSide(header0: number, header1: number | undefined, buffer: Buffer, start: number, end: number): void {
    this.#side ??= Buffer.allocUnsafeSlow(SIDE_UNIT_BYTES_MAX);
    this.#side[0] = header0;
    this.#sideLength = 1;
    if (header1 !== undefined) {
      this.#side[1] = header1;
      this.#sideLength = 2;
    }
    this.#fragment = "side";
    this.#addSide(buffer, start, end);
  }

  #addSide(buffer: Buffer, start: number, end: number): void {
    const side = this.#side;
    if (side === undefined || this.#sideLength + end - start > SIDE_UNIT_BYTES_MAX) {
      this.#fragment = "none";
      this.#sideLength = 0;
      this.#unit.damage();
      return;
    }
    const from = Math.max(0, this.#sideLength - START_CODE_BYTES);
    buffer.copy(side, this.#sideLength, start, end);
    this.#sideLength += end - start;
    this.#findSliceInSide(side, from);
  }

  /**
   * If the side buffer has a slice after a start code: writes the units before it, and continues with the slice in the
   * frame.
   */
  #findSliceInSide(side: Buffer, from: number): void {
    const { builder, syntax, keys } = this.#options;
    const end = this.#sideLength;
    for (let code = findStartCode(side, from, end); code < end; code = findStartCode(side, code + 1, end)) {
      const at = code + START_CODE_BYTES;
      if (at + syntax.headerBytes >= this.#sideLength) return;
      const type = syntax.type(side, at);
      if (!syntax.isPicture(type)) continue;
      this.#annexB = true;
      let last = code;
      while (last > 0 && side[last - 1] === 0) last -= 1;
      this.#pieces(side, 0, last);
      builder.mark();
      builder.startCode();
      this.#unit.addPicture(syntax.isFirstSlice(type, side, at, this.#sideLength));
      keys.see(type, side, at, this.#sideLength);
      builder.append(side, at, this.#sideLength);
      this.#sideLength = 0;
      this.#fragment = "slice";
      return;
    }
  }

  #flushSide(): void {
    if (this.#side !== undefined) this.#pieces(this.#side, 0, this.#sideLength);
  }
}

/** Undefined where no start code is. */
function afterStartCode(buffer: Buffer, start: number, end: number): number | undefined {
  let at = start;
  while (at < end && buffer[at] === 0) at += 1;
  return at < end && at - start >= 2 && buffer[at] === 1 ? at + 1 : undefined;
}

/** The first bytes of a fragmented unit in unfragmented form. */
const probe = Buffer.alloc(3);
