import { timingSafeEqual } from "node:crypto";
import type { SrtpKey } from "./srtp-keys.js";
import { counterCrypt, counterTag, galoisOpen, galoisSeal, type PacketPlace } from "./srtp-suite.js";

/** Fixed header of RTP, and what of a packet of RTCP is never encrypted: header and SSRC. */
const RTP_HEADER_BYTES = 12;
const RTCP_CLEAR_BYTES = 8;
/** Flag of encryption and index behind a packet of RTCP (RFC 3711, 3.4). */
const RTCP_INDEX_BYTES = 4;
const ENCRYPTED_FLAG = 0x80000000;
const RTCP_INDEX_MASK = 0x7fffffff;
const SEQUENCES = 0x10000;
const HALF = SEQUENCES / 2;
const ROLL_OVERS = 0x100000000;
/** Sources that are distinguished at once; with more, the one that was heard longest ago begins anew. */
export const SRTP_SOURCES_MAX = 64;
/** Roll-over counters that are tried with one packet of a source that is not known yet, up to which, and in all: six weeks of a camera's packets. */
const SOUGHT_A_PACKET = 8;
const SOUGHT_END = 16_384;
const TRIES_MAX = 32_768;
/** Packets before the newest of which it is known whether they came (RFC 3711, 3.3.2 asks for 64). */
export const REPLAY_WINDOW_PACKETS = 256;

/** Packets that were not taken. */
export interface SrtpCounts {
  /** The tag is not right: another key, or another sender. */
  forged: number;
  /** They came before, or so long after others that this is not known. */
  repeated: number;
  /** Too short for what they must hold. */
  malformed: number;
}

/** One SSRC, of RTP or of RTCP. */
interface Source {
  readonly window: ReplayWindow;
  rollOver: number;
  /** Highest sequence so far; undefined before the first packet. */
  sequence: number | undefined;
}

/**
 * The protected packets of one track (SRTP and SRTCP; RFC 3711, 7714): opened in the memory in which they came, sealed in new memory.
 * Of several keys the one is taken whose tag is right.
 */
export class SrtpSession {
  readonly counts: SrtpCounts = { forged: 0, repeated: 0, malformed: 0 };
  readonly #keys: readonly SrtpKey[];
  readonly #rejectsRepeated: boolean;
  readonly #sources = { rtp: new Map<number, Source>(), rtcp: new Map<number, Source>() };
  #current: SrtpKey;
  /** The source whose roll-over counter is sought, the next one to be tried, and how many more are. */
  #soughtSource = 0;
  #sought = 1;
  #triesLeft = TRIES_MAX;
  #sentIndex = 0;
  readonly #sentSources = new Map<number, Source>();

  /**
   * `keys`: one at least. `rejectsRepeated`: over UDP, where anybody can send a packet again; within a connection that is protected
   * itself, a number alone is no reason to drop anything.
   */
  constructor(keys: readonly SrtpKey[], { rejectsRepeated }: { readonly rejectsRepeated: boolean }) {
    const [first] = keys;
    if (first === undefined) throw new RangeError("SRTP without a key");
    this.#keys = keys;
    this.#current = first;
    this.#rejectsRepeated = rejectsRepeated;
  }

  /** Sources whose packets are known, of RTP and RTCP. */
  get sources(): number {
    return this.#sources.rtp.size + this.#sources.rtcp.size;
  }

  /** Opens `buffer[start .. end)` in place. Answers the new end; undefined: it is not to be taken. */
  openRtp(buffer: Buffer, start: number, end: number): number | undefined {
    const headerEnd = rtpHeaderEnd(buffer, start, end);
    if (headerEnd === undefined) return this.#drop("malformed");
    const ssrc = buffer.readUInt32BE(start + 8);
    const sequence = buffer.readUInt16BE(start + 2);
    const source = this.#source("rtp", ssrc);
    const rollOvers =
      source.sequence === undefined ? this.#seekRollOvers(ssrc) : this.#rollOvers(source, sequence);
    for (const key of this.#keysBest()) {
      for (const rollOver of rollOvers) {
        const place = { ssrc, rollOver, index: sequence };
        const opened = openRtpWith(key, place, { buffer, start, headerEnd, end });
        if (opened === undefined) continue;
        const index = rollOver * SEQUENCES + sequence;
        if (!source.window.take(index) && this.#rejectsRepeated) return this.#drop("repeated");
        this.#current = key;
        this.#keep("rtp", ssrc, source);
        if (index >= source.rollOver * SEQUENCES + (source.sequence ?? 0) || !this.#rejectsRepeated) {
          source.rollOver = rollOver;
          source.sequence = sequence;
        }
        opened.copy(buffer, headerEnd);
        return headerEnd + opened.length;
      }
    }
    return this.#drop("forged");
  }

  /** As `openRtp`, of a packet of RTCP. */
  openRtcp(buffer: Buffer, start: number, end: number): number | undefined {
    if (end - start < RTCP_CLEAR_BYTES + RTCP_INDEX_BYTES) return this.#drop("malformed");
    const ssrc = buffer.readUInt32BE(start + 4);
    const source = this.#source("rtcp", ssrc);
    for (const key of this.#keysBest()) {
      const opened = openRtcpWith(key, ssrc, buffer.subarray(start, end));
      if (opened === undefined) continue;
      if (!source.window.take(opened.index) && this.#rejectsRepeated) return this.#drop("repeated");
      this.#keep("rtcp", ssrc, source);
      opened.bytes.copy(buffer, start + RTCP_CLEAR_BYTES);
      return start + RTCP_CLEAR_BYTES + opened.bytes.length;
    }
    return this.#drop("forged");
  }

  /** A whole packet of RTP, protected. */
  sealRtp(packet: Buffer): Buffer {
    const headerEnd = rtpHeaderEnd(packet, 0, packet.length) ?? packet.length;
    const key = this.#current;
    const ssrc = packet.readUInt32BE(8);
    const index = packet.readUInt16BE(2);
    const source = this.#sentSources.get(ssrc) ?? newSource();
    const rollOver = likelyRollOver(source, index);
    source.rollOver = rollOver;
    source.sequence = index;
    this.#sentSources.set(ssrc, source);
    const place = { ssrc, rollOver, index };
    const keys = key.session("rtp");
    const clear = packet.subarray(0, headerEnd);
    const bytes = packet.subarray(headerEnd);
    if (key.suite.mode === "gcm") {
      return Buffer.concat([
        clear,
        galoisSeal(key.suite, keys, place, { clear: [clear], bytes }),
        key.identifier,
      ]);
    }
    const body = Buffer.concat([clear, counterCrypt(key.suite, keys, place, bytes)]);
    const tag = counterTag(keys, key.suite.rtpTagBytes, [body, word(rollOver)]);
    return Buffer.concat([body, key.identifier, tag]);
  }

  /** A whole packet of RTCP, protected with the key of the packets that come. */
  sealRtcp(packet: Buffer): Buffer {
    const key = this.#current;
    this.#sentIndex = (this.#sentIndex + 1) & RTCP_INDEX_MASK;
    const place = { ssrc: packet.readUInt32BE(4), rollOver: 0, index: this.#sentIndex };
    const keys = key.session("rtcp");
    const clear = packet.subarray(0, RTCP_CLEAR_BYTES);
    const bytes = packet.subarray(RTCP_CLEAR_BYTES);
    const trailer = word((this.#sentIndex | ENCRYPTED_FLAG) >>> 0);
    if (key.suite.mode === "gcm") {
      const sealed = galoisSeal(key.suite, keys, place, { clear: [clear, trailer], bytes });
      return Buffer.concat([clear, sealed, trailer, key.identifier]);
    }
    const body = Buffer.concat([clear, counterCrypt(key.suite, keys, place, bytes), trailer]);
    return Buffer.concat([body, key.identifier, counterTag(keys, key.suite.rtcpTagBytes, [body])]);
  }

  #drop(why: keyof SrtpCounts): undefined {
    this.counts[why] += 1;
    return undefined;
  }

  *#keysBest(): Iterable<SrtpKey> {
    yield this.#current;
    for (const key of this.#keys) if (key !== this.#current) yield key;
  }

  /** One that is not known yet is kept only once a packet of it was right. */
  #source(use: "rtp" | "rtcp", ssrc: number): Source {
    return this.#sources[use].get(ssrc) ?? newSource();
  }

  #keep(use: "rtp" | "rtcp", ssrc: number, source: Source): void {
    const sources = this.#sources[use];
    sources.delete(ssrc);
    sources.set(ssrc, source);
    if (sources.size <= SRTP_SOURCES_MAX) return;
    for (const oldest of sources.keys()) {
      sources.delete(oldest);
      return;
    }
  }

  /**
   * Roll-over counters with which a packet may have been protected: the likely one (RFC 3711, 3.3.1); where numbers prove nothing,
   * also the present one and 0, for cameras that begin to count anew.
   */
  #rollOvers(source: Source, sequence: number): readonly number[] {
    const likely = likelyRollOver(source, sequence);
    if (this.#rejectsRepeated) return [likely];
    return [...new Set([likely, source.rollOver, 0])];
  }

  /**
   * Of a source that is not known: 0, and where that is wrong a part of the others with each packet. A camera that goes on to protect what
   * it has sent since its start, whoever comes, is at any, and nothing of RTSP says at which (RFC 3711, 3.3.1).
   */
  #seekRollOvers(ssrc: number): readonly number[] {
    if (ssrc !== this.#soughtSource) this.#sought = 1;
    this.#soughtSource = ssrc;
    const count = Math.min(SOUGHT_A_PACKET, SOUGHT_END - this.#sought, this.#triesLeft);
    const rollOvers = Array.from({ length: 1 + count }, (_, at) => (at === 0 ? 0 : this.#sought + at - 1));
    this.#sought += count;
    this.#triesLeft -= count;
    return rollOvers;
  }
}

function newSource(): Source {
  return { window: new ReplayWindow(), rollOver: 0, sequence: undefined };
}

/** The roll-over counter at which the packet is nearest to the one before. */
function likelyRollOver({ rollOver, sequence: before }: Source, sequence: number): number {
  if (before === undefined) return rollOver;
  if (before < HALF && sequence - before > HALF) return rollOver === 0 ? 0 : rollOver - 1;
  if (before >= HALF && before - HALF > sequence) return (rollOver + 1) % ROLL_OVERS;
  return rollOver;
}

/** Index behind header, contributing sources and extension (RFC 3550, 5.1); undefined where they are not whole. */
function rtpHeaderEnd(buffer: Buffer, start: number, end: number): number | undefined {
  if (end - start < RTP_HEADER_BYTES) return undefined;
  const first = buffer[start] ?? 0;
  let headerEnd = start + RTP_HEADER_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) {
    if (headerEnd + 4 > end) return undefined;
    headerEnd += 4 + 4 * buffer.readUInt16BE(headerEnd + 2);
  }
  return headerEnd > end ? undefined : headerEnd;
}

interface RtpBounds {
  readonly buffer: Buffer;
  readonly start: number;
  readonly headerEnd: number;
  readonly end: number;
}

/** The payload; undefined where the packet is not of this key and roll-over counter. */
function openRtpWith(key: SrtpKey, place: PacketPlace, bounds: RtpBounds): Buffer | undefined {
  const { buffer, start, headerEnd, end } = bounds;
  const { suite, identifier } = key;
  const keys = key.session("rtp");
  const bodyEnd = end - suite.rtpTagBytes - identifier.length;
  if (bodyEnd < headerEnd) return undefined;
  if (suite.mode === "gcm") {
    if (!identifier.equals(buffer.subarray(end - identifier.length, end))) return undefined;
    return galoisOpen(suite, keys, place, {
      clear: [buffer.subarray(start, headerEnd)],
      bytes: buffer.subarray(headerEnd, bodyEnd),
      tag: buffer.subarray(bodyEnd, bodyEnd + suite.rtpTagBytes),
    });
  }
  const tagStart = end - suite.rtpTagBytes;
  if (!identifier.equals(buffer.subarray(bodyEnd, tagStart))) return undefined;
  const body = buffer.subarray(start, bodyEnd);
  const tag = counterTag(keys, suite.rtpTagBytes, [body, word(place.rollOver)]);
  if (!isEqualTag(tag, buffer.subarray(tagStart, end))) return undefined;
  return counterCrypt(suite, keys, place, buffer.subarray(headerEnd, bodyEnd));
}

/** What follows the clear bytes, and the packet's index; undefined where it is not of this key. */
function openRtcpWith(
  key: SrtpKey,
  ssrc: number,
  packet: Buffer,
): { readonly bytes: Buffer; readonly index: number } | undefined {
  const { suite, identifier } = key;
  const keys = key.session("rtcp");
  const isGalois = suite.mode === "gcm";
  // Counter mode: body, index, MKI, tag. Galois: body, tag, index, MKI.
  const indexAt = packet.length - identifier.length - RTCP_INDEX_BYTES - (isGalois ? 0 : suite.rtcpTagBytes);
  const bodyEnd = isGalois ? indexAt - suite.rtcpTagBytes : indexAt;
  if (bodyEnd < RTCP_CLEAR_BYTES) return undefined;
  const mkiAt = indexAt + RTCP_INDEX_BYTES;
  if (!identifier.equals(packet.subarray(mkiAt, mkiAt + identifier.length))) return undefined;
  const trailer = packet.subarray(indexAt, mkiAt);
  const isEncrypted = (trailer.readUInt32BE(0) & ENCRYPTED_FLAG) !== 0;
  const index = trailer.readUInt32BE(0) & RTCP_INDEX_MASK;
  const place = { ssrc, rollOver: 0, index };
  const clear = packet.subarray(0, RTCP_CLEAR_BYTES);
  const bytes = packet.subarray(RTCP_CLEAR_BYTES, bodyEnd);
  if (isGalois) {
    const tag = packet.subarray(bodyEnd, indexAt);
    const sealed = isEncrypted
      ? { clear: [clear, trailer], bytes, tag }
      : { clear: [clear, bytes, trailer], bytes: Buffer.alloc(0), tag };
    const opened = galoisOpen(suite, keys, place, sealed);
    return opened === undefined ? undefined : { bytes: isEncrypted ? opened : Buffer.from(bytes), index };
  }
  const tag = counterTag(keys, suite.rtcpTagBytes, [packet.subarray(0, mkiAt)]);
  if (!isEqualTag(tag, packet.subarray(packet.length - suite.rtcpTagBytes))) return undefined;
  return { bytes: isEncrypted ? counterCrypt(suite, keys, place, bytes) : Buffer.from(bytes), index };
}

function isEqualTag(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function word(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}

/** Which of the newest packets came. */
class ReplayWindow {
  readonly #indexes = new Float64Array(REPLAY_WINDOW_PACKETS).fill(-1);
  #highest = -1;

  /** False when the packet came before, or is older than what is known. */
  take(index: number): boolean {
    if (index <= this.#highest - REPLAY_WINDOW_PACKETS) return false;
    const slot = index % REPLAY_WINDOW_PACKETS;
    if (this.#indexes[slot] === index) return false;
    this.#indexes[slot] = index;
    this.#highest = Math.max(this.#highest, index);
    return true;
  }
}
