import { NvrdError } from "../../base/index.js";
import { type AudioFormat, BitReader, Codec, parseAacConfig } from "../../live/index.js";
import type { AudioSink, Depacketizer } from "./depacketizer.js";
import type { RtpPacket } from "./types.js";

/** Most access units taken from one packet. */
export const AAC_UNITS_MAX = 64;
/** Largest access unit: 8 channels of 6144 bits per block (ISO/IEC 14496-3, 4.5.3.1) fit the 13-bit size. */
export const AAC_UNIT_BYTES_MAX = 8191;
/** Longest AudioSpecificConfig accepted. */
const CONFIG_BYTES_MAX = 256;
const FIELD_BITS_MAX = 32;
/** Parameters that are numbers of clock units; all others are lengths in bits. */
const NUMBERS = new Set(["constantduration", "maxdisplacement"]);
const NUMBER_MAX = 1_000_000;

export interface AacDepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly sink: AudioSink;
}

/** Lengths in bits of an AU header's fields (RFC 3640, 4.1). */
interface HeaderLayout {
  readonly size: number;
  readonly index: number;
  readonly indexDelta: number;
  readonly ctsDelta: number;
  readonly dtsDelta: number;
  readonly randomAccess: boolean;
  readonly streamState: number;
  readonly auxiliarySize: number;
}

/** AAC over RTP (RFC 3640, modes AAC-hbr and AAC-lbr): several access units per packet, or one unit in fragments. */
export class AacDepacketizer implements Depacketizer {
  readonly #layout: HeaderLayout;
  readonly #format: AudioFormat;
  /** Length of a unit in RTP clock units. */
  readonly #unitTicks: number;
  readonly #sink: AudioSink;
  readonly #sizes = new Int32Array(AAC_UNITS_MAX);
  readonly #partial = Buffer.allocUnsafeSlow(AAC_UNIT_BYTES_MAX);
  #partialBytes = 0;
  #partialSize = 0;
  #partialTimestamp = 0;

  /** Throws NvrdError NOT_SUPPORTED without a usable config, or when units are interleaved. */
  constructor(options: AacDepacketizerOptions) {
    const { fmtp, clockRate } = options;
    const text = fmtp.get("config")?.trim() ?? "";
    const isHex = text.length <= 2 * CONFIG_BYTES_MAX && /^([0-9a-f]{2})+$/i.test(text);
    const initialization = Buffer.from(isHex ? text : "", "hex");
    const config = parseAacConfig(initialization);
    if (config === undefined)
      throw new NvrdError("NOT_SUPPORTED", "AAC track without a usable config in its fmtp");
    if (numberOf(fmtp, "maxdisplacement", 0) > 0) {
      throw new NvrdError("NOT_SUPPORTED", "AAC track with interleaved access units (maxDisplacement)");
    }
    const { sampleRate, channels, frameSamples } = config;
    this.#format = { codec: Codec.AAC, sampleRate, channels, initialization };
    this.#unitTicks = numberOf(fmtp, "constantduration", 0) || (frameSamples * clockRate) / sampleRate;
    this.#layout = headerLayout(fmtp);
    this.#sink = options.sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadEnd: end } = packet;
    if (packet.lost > 0) this.#partialBytes = 0;
    const headers = this.#readHeaders(packet);
    if (headers === undefined) {
      this.#partialBytes = 0;
      this.#sink.onBadPacket();
      return;
    }
    const { count, dataStart } = headers;
    const firstSize = this.#sizes[0] ?? 0;
    if (count === 1 && (this.#partialBytes > 0 || firstSize > end - dataStart)) {
      this.#addFragment(packet, dataStart, firstSize);
      return;
    }
    this.#partialBytes = 0;
    let at = dataStart;
    for (let index = 0; index < count; index += 1) {
      const size = this.#sizes[index] ?? 0;
      if (size > end - at) {
        this.#sink.onBadPacket();
        return;
      }
      if (size > 0)
        this.#emit(packet.timestamp + index * this.#unitTicks, Buffer.from(buffer.subarray(at, at + size)));
      at += size;
    }
  }

  finishSilent(): void {
    // Audio units never wait for a later packet.
  }

  flush(): void {
    this.#partialBytes = 0;
  }

  reset(): void {
    this.#partialBytes = 0;
  }

  /** A fragmented unit: each packet repeats the header, with the size of the whole unit (RFC 3640, 3.2.3). */
  #addFragment(packet: RtpPacket, dataStart: number, size: number): void {
    const { buffer, payloadEnd: end, timestamp } = packet;
    if (this.#partialBytes > 0 && (timestamp !== this.#partialTimestamp || size !== this.#partialSize)) {
      this.#partialBytes = 0;
    }
    if (size > AAC_UNIT_BYTES_MAX || this.#partialBytes + end - dataStart > size) {
      this.#partialBytes = 0;
      this.#sink.onBadPacket();
      return;
    }
    buffer.copy(this.#partial, this.#partialBytes, dataStart, end);
    this.#partialBytes += end - dataStart;
    this.#partialSize = size;
    this.#partialTimestamp = timestamp;
    if (this.#partialBytes < size) return;
    this.#emit(timestamp, Buffer.from(this.#partial.subarray(0, size)));
    this.#partialBytes = 0;
  }

  #emit(timestamp: number, bytes: Buffer): void {
    const rtpTimestamp = Math.round(timestamp) >>> 0;
    this.#sink.onAudio(
      { format: this.#format, rtpTimestamp, key: true, damaged: false, keyLost: false, reorderDepth: 0 },
      bytes,
    );
  }

  /** Reads the AU header section into `#sizes` (RFC 3640, 3.2.1). Undefined when malformed or interleaved. */
  #readHeaders(packet: RtpPacket): { count: number; dataStart: number } | undefined {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (end - start < 2) return undefined;
    const headerBits = buffer.readUInt16BE(start);
    const headersEnd = start + 2 + Math.ceil(headerBits / 8);
    if (headersEnd > end) return undefined;
    const reader = new BitReader(buffer.subarray(start + 2, headersEnd));
    const unusedBits = (headersEnd - start - 2) * 8 - headerBits;
    let count = 0;
    while (reader.bitsLeft > unusedBits) {
      if (count === AAC_UNITS_MAX) return undefined;
      this.#sizes[count] = reader.bits(this.#layout.size);
      const displacement = reader.bits(count === 0 ? this.#layout.index : this.#layout.indexDelta);
      if (displacement !== 0) return undefined;
      this.#skipOptionalFields(reader);
      if (reader.overrun) return undefined;
      count += 1;
    }
    const dataStart = this.#skipAuxiliary(buffer, headersEnd, end);
    return count === 0 || dataStart === undefined ? undefined : { count, dataStart };
  }

  #skipOptionalFields(reader: BitReader): void {
    const layout = this.#layout;
    if (layout.ctsDelta > 0 && reader.flag()) reader.skip(layout.ctsDelta);
    if (layout.dtsDelta > 0 && reader.flag()) reader.skip(layout.dtsDelta);
    reader.skip((layout.randomAccess ? 1 : 0) + layout.streamState);
  }

  #skipAuxiliary(buffer: Buffer, start: number, end: number): number | undefined {
    if (this.#layout.auxiliarySize === 0) return start;
    const reader = new BitReader(buffer.subarray(start, end));
    const bits = this.#layout.auxiliarySize + reader.bits(this.#layout.auxiliarySize);
    const dataStart = start + Math.ceil(bits / 8);
    return reader.overrun || dataStart > end ? undefined : dataStart;
  }
}

/** The header's fields from fmtp; defaults are those of the mode (RFC 3640, 3.3.5 and 3.3.6). */
function headerLayout(fmtp: ReadonlyMap<string, string>): HeaderLayout {
  const lowRate = fmtp.get("mode")?.toLowerCase() === "aac-lbr";
  const size = numberOf(fmtp, "sizelength", lowRate ? 6 : 13);
  if (size === 0) throw new NvrdError("NOT_SUPPORTED", "AAC track without AU sizes (sizeLength 0)");
  return {
    size,
    index: numberOf(fmtp, "indexlength", lowRate ? 2 : 3),
    indexDelta: numberOf(fmtp, "indexdeltalength", lowRate ? 2 : 3),
    ctsDelta: numberOf(fmtp, "ctsdeltalength", 0),
    dtsDelta: numberOf(fmtp, "dtsdeltalength", 0),
    randomAccess: numberOf(fmtp, "randomaccessindication", 0) > 0,
    streamState: numberOf(fmtp, "streamstateindication", 0),
    auxiliarySize: numberOf(fmtp, "auxiliarydatasizelength", 0),
  };
}

function numberOf(fmtp: ReadonlyMap<string, string>, name: string, absent: number): number {
  const text = fmtp.get(name);
  if (text === undefined) return absent;
  const value = Number(text);
  const valueMax = NUMBERS.has(name) ? NUMBER_MAX : FIELD_BITS_MAX;
  if (!Number.isInteger(value) || value < 0 || value > valueMax) {
    throw new NvrdError("NOT_SUPPORTED", `AAC track with ${name}=${text.slice(0, 32)} in its fmtp`);
  }
  return value;
}
