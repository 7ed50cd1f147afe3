import { NvrdError } from "../../../base/index.js";
import {
  type AudioFormat,
  aacConfig,
  BitReader,
  Codec,
  parseAacConfig,
  readAdtsFrame,
} from "../../../live/index.js";
import type { RtpPacket } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";

/** Most access units taken from one packet. */
export const AAC_UNITS_MAX = 64;
/** Largest access unit: 8 channels of 6144 bits per block (ISO/IEC 14496-3, 4.5.3.1) fit the 13-bit size. */
export const AAC_UNIT_BYTES_MAX = 8191;
/** Longest AudioSpecificConfig accepted. */
const CONFIG_BYTES_MAX = 256;
const FIELD_BITS_MAX = 32;
/** Parameters that are numbers of clock units or bytes; all others are lengths in bits. */
const NUMBERS = new Set(["constantduration", "constantsize", "maxdisplacement"]);
const NUMBER_MAX = 1_000_000;

export interface AacDepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly channels: number;
  readonly sink: AudioSink;
}

/** Lengths in bits of an AU header's fields (RFC 3640, 4.1). */
interface HeaderLayout {
  /** 0: there are no headers. */
  readonly size: number;
  /** Bytes of each unit, if all have as many. */
  readonly constantSize: number;
  readonly index: number;
  readonly indexDelta: number;
  readonly ctsDelta: number;
  readonly dtsDelta: number;
  readonly randomAccess: boolean;
  readonly streamState: number;
  readonly auxiliarySize: number;
}

/**
 * AAC over RTP (RFC 3640, modes AAC-hbr and AAC-lbr): several access units per packet, or one unit in fragments. ADTS headers,
 * of each unit or in place of all of RFC 3640, are removed; what they say of the sound counts more than the description.
 */
export class AacDepacketizer implements Depacketizer {
  readonly #layout: HeaderLayout;
  /** The description says that units have headers, and of which fields. */
  readonly #areHeadersDescribed: boolean;
  readonly #clockRate: number;
  readonly #fixedTicks: number;
  /** Undefined until an ADTS header says it. */
  #format: AudioFormat | undefined;
  /** Length of a unit in RTP clock units. */
  #unitTicks = 0;
  readonly #sink: AudioSink;
  readonly #sizes = new Int32Array(AAC_UNITS_MAX);
  readonly #partial = Buffer.allocUnsafeSlow(AAC_UNIT_BYTES_MAX);
  #partialBytes = 0;
  #partialSize = 0;
  #partialTimestamp = 0;
  /** The unit in progress is an ADTS frame. */
  #isAdtsPartial = false;
  /** An ADTS frame that seems to begin amid the newest packet: how much of it there is in the memory for parts, of how much. */
  #cutBytes = 0;
  #cutSize = 0;
  #cutTimestamp = 0;

  /** Throws NvrdError NOT_SUPPORTED without a usable config for a rate that AAC does not have, or when units are interleaved. */
  constructor(options: AacDepacketizerOptions) {
    const { fmtp, clockRate, channels } = options;
    this.#clockRate = clockRate;
    this.#fixedTicks = numberOf(fmtp, "constantduration", 0);
    const text = (fmtp.get("config") ?? "").trim().replace(/^0x/i, "");
    const isHex = text.length <= 2 * CONFIG_BYTES_MAX && /^([0-9a-f]{2})+$/i.test(text);
    const named = Buffer.from(isHex ? text : "", "hex");
    // What a camera without a config sends is AAC-LC of the rate that it names, if that is one.
    const config = parseAacConfig(named) === undefined ? aacConfig(clockRate, channels) : named;
    if (config === undefined)
      throw new NvrdError("NOT_SUPPORTED", "AAC track without a usable config in its fmtp");
    this.#learn(config);
    if (numberOf(fmtp, "maxdisplacement", 0) > 0) {
      throw new NvrdError("NOT_SUPPORTED", "AAC track with interleaved access units (maxDisplacement)");
    }
    this.#layout = headerLayout(fmtp);
    this.#areHeadersDescribed = fmtp.has("sizelength") || fmtp.has("constantsize") || fmtp.has("mode");
    this.#sink = options.sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (packet.lost > 0) this.#partialBytes = 0;
    if (start === end) return;
    // No length of a header section begins like an ADTS header: it would be longer than a packet.
    const isAdts = readAdtsFrame(buffer, start, end) !== undefined;
    const isGoingOn = this.#isAdtsPartial && this.#partialBytes > 0;
    // A stream of ADTS may be cut anywhere: the rest of a frame has the time of the next.
    if (isGoingOn && (packet.timestamp === this.#partialTimestamp || !isAdts)) {
      this.#receiveAdts(packet);
      return;
    }
    if (isAdts) {
      this.#partialBytes = 0;
      this.#receiveAdts(packet);
      return;
    }
    if (!this.#areHeadersDescribed && this.#partialBytes === 0 && this.#isCutStream(packet)) {
      this.#receiveAdts(packet);
      return;
    }
    this.#receiveUnits(packet);
  }

  /**
   * Whether a packet goes on with an ADTS frame that began amid the packet before, and the next frame begins amid this one: the stream is
   * cut anywhere. The frame is in progress then.
   */
  #isCutStream({ buffer, payloadStart: start, payloadEnd: end, timestamp, lost }: RtpPacket): boolean {
    const restBytes = lost === 0 ? this.#cutSize - this.#cutBytes : 0;
    const isCut =
      restBytes > 0 && restBytes < end - start && readAdtsFrame(buffer, start + restBytes, end) !== undefined;
    if (isCut) {
      this.#isAdtsPartial = true;
      this.#partialBytes = this.#cutBytes;
      this.#partialSize = this.#cutSize;
      this.#partialTimestamp = this.#cutTimestamp;
      return true;
    }
    this.#cutBytes = 0;
    this.#cutSize = 0;
    for (let at = start; at + ADTS_HEADER_BYTES <= end; at += 1) {
      const frame = buffer[at] === ADTS_SYNC ? readAdtsFrame(buffer, at, end) : undefined;
      if (frame === undefined || frame.frameBytes > AAC_UNIT_BYTES_MAX || at + frame.frameBytes <= end)
        continue;
      if (parseAacConfig(frame.config)?.sampleRate !== this.#format?.sampleRate) continue;
      this.#cutBytes = buffer.copy(this.#partial, 0, at, end);
      this.#cutSize = frame.frameBytes;
      this.#cutTimestamp = timestamp;
      return false;
    }
    return false;
  }

  #receiveUnits(packet: RtpPacket): void {
    const { buffer, payloadEnd: end } = packet;
    const read = this.#readHeaders(packet);
    const headers = this.#isWithoutHeaders(packet, read)
      ? this.#withoutHeaders(packet.payloadStart, end)
      : read;
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
      if (size > 0) this.#emit(packet.timestamp + index * this.#unitTicks, buffer.subarray(at, at + size));
      at += size;
    }
  }

  /** ADTS frames one behind the other, the last of which may go on in the next packet. */
  #receiveAdts(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end, timestamp } = packet;
    let at = start;
    let index = 0;
    if (this.#partialBytes > 0) {
      at = this.#fillPartial(buffer, start, end);
      if (this.#partialSize === 0 || this.#partialBytes < this.#partialSize) return;
      const from = this.#partialTimestamp;
      this.#partialBytes = 0;
      this.#emit(from, this.#partial.subarray(0, this.#partialSize));
      if (from === timestamp) index = 1;
    }
    for (; at < end && index < AAC_UNITS_MAX; index += 1) {
      const frame = readAdtsFrame(buffer, at, end);
      const isHeaderCut = frame === undefined && end - at < ADTS_HEADER_BYTES && buffer[at] === ADTS_SYNC;
      if (!isHeaderCut && (frame === undefined || frame.frameBytes > AAC_UNIT_BYTES_MAX)) {
        this.#sink.onBadPacket();
        return;
      }
      const unitTimestamp = timestamp + index * this.#unitTicks;
      if (frame === undefined || frame.frameBytes > end - at) {
        this.#isAdtsPartial = true;
        this.#partialBytes = buffer.copy(this.#partial, 0, at, end);
        this.#partialSize = frame?.frameBytes ?? 0;
        this.#partialTimestamp = index === 0 ? timestamp : Math.round(unitTimestamp) >>> 0;
        return;
      }
      this.#emit(unitTimestamp, buffer.subarray(at, at + frame.frameBytes));
      at += frame.frameBytes;
    }
  }

  /** Adds bytes to the ADTS frame in progress, whose header may have been cut too; answers where the next frame begins. */
  #fillPartial(buffer: Buffer, start: number, end: number): number {
    let at = start;
    const add = (bytes: number): void => {
      const taken = Math.max(0, Math.min(end - at, bytes));
      buffer.copy(this.#partial, this.#partialBytes, at, at + taken);
      this.#partialBytes += taken;
      at += taken;
    };
    if (this.#partialSize === 0) {
      add(ADTS_HEADER_BYTES - this.#partialBytes);
      if (this.#partialBytes < ADTS_HEADER_BYTES) return at;
      const frame = readAdtsFrame(this.#partial, 0, ADTS_HEADER_BYTES);
      if (frame === undefined || frame.frameBytes > AAC_UNIT_BYTES_MAX) {
        this.#partialBytes = 0;
        this.#sink.onBadPacket();
        return end;
      }
      this.#partialSize = frame.frameBytes;
    }
    add(this.#partialSize - this.#partialBytes);
    return at;
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
    this.#isAdtsPartial = false;
    this.#partialSize = size;
    this.#partialTimestamp = timestamp;
    if (this.#partialBytes < size) return;
    this.#emit(timestamp, this.#partial.subarray(0, size));
    this.#partialBytes = 0;
  }

  /** A unit, copied; without its ADTS header, if it has one. */
  #emit(timestamp: number, unit: Buffer): void {
    const adts = readAdtsFrame(unit, 0, unit.length);
    const isAdts = adts?.frameBytes === unit.length;
    if (isAdts) this.#learnInBand(adts.config);
    const format = this.#format;
    if (format === undefined) return;
    const rtpTimestamp = Math.round(timestamp) >>> 0;
    const bytes = Buffer.from(isAdts ? unit.subarray(adts.headerBytes) : unit);
    this.#sink.onAudio(
      { format, rtpTimestamp, key: true, damaged: false, keyLost: false, reorderDepth: 0 },
      bytes,
    );
  }

  /** A header cannot say that the bands above are coded too (SBR): the description's word on that stays. */
  #learnInBand(config: Buffer): void {
    const described = parseAacConfig(config);
    const known = this.#format;
    if (described === undefined || described.channels === 0) return;
    if (known?.sampleRate === described.sampleRate && known.channels === described.channels) return;
    this.#learn(config);
  }

  #learn(initialization: Buffer): void {
    const config = parseAacConfig(initialization);
    if (config === undefined) return;
    const { sampleRate, channels, frameSamples } = config;
    this.#format = { codec: Codec.AAC, sampleRate, channels, initialization };
    this.#unitTicks = this.#fixedTicks || (frameSamples * this.#clockRate) / sampleRate;
  }

  /** Reads the AU header section into `#sizes` (RFC 3640, 3.2.1). Undefined when malformed or interleaved. */
  #readHeaders(packet: RtpPacket): { count: number; dataStart: number } | undefined {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (this.#layout.size === 0) return this.#withoutHeaders(start, end);
    if (end - start < 2) return undefined;
    const headerBits = this.#headerBits(buffer.readUInt16BE(start));
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

  /** Whether what was read as headers is a unit: the description names no lengths of their fields, and they do not fit what follows. */
  #isWithoutHeaders(
    { payloadEnd: end }: RtpPacket,
    headers: { count: number; dataStart: number } | undefined,
  ): boolean {
    if (this.#areHeadersDescribed) return false;
    if (headers === undefined) return true;
    const bytes = end - headers.dataStart;
    let units = 0;
    for (let index = 0; index < headers.count; index += 1) units += this.#sizes[index] ?? 0;
    const isFragment = headers.count === 1 && units > bytes && units <= AAC_UNIT_BYTES_MAX;
    return units !== bytes && !isFragment;
  }

  /** Bits of the section; some cameras give its bytes, which are too few bits for one header. */
  #headerBits(length: number): number {
    const { size, index } = this.#layout;
    return length < size + index ? 8 * length : length;
  }

  /** Units of one size, or one unit a packet (RFC 3640, 3.2.1: no section where no field has bits). */
  #withoutHeaders(start: number, end: number): { count: number; dataStart: number } | undefined {
    const size = this.#layout.constantSize || end - start;
    const count = size === 0 ? 0 : Math.floor((end - start) / size);
    if (count === 0 || count > AAC_UNITS_MAX || size > AAC_UNIT_BYTES_MAX) return undefined;
    this.#sizes.fill(size, 0, count);
    return { count, dataStart: start };
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

/** Bytes of an ADTS header that say how long its frame is, and the first of them (ISO/IEC 14496-3, 1.A.2.2). */
const ADTS_HEADER_BYTES = 7;
const ADTS_SYNC = 0xff;

/** The header's fields from fmtp; defaults are those of the mode (RFC 3640, 3.3.5 and 3.3.6). */
function headerLayout(fmtp: ReadonlyMap<string, string>): HeaderLayout {
  const lowRate = fmtp.get("mode")?.toLowerCase() === "aac-lbr";
  const size = numberOf(fmtp, "sizelength", lowRate ? 6 : 13);
  return {
    size,
    constantSize: numberOf(fmtp, "constantsize", 0),
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
  // A value that cannot be is none.
  if (text === "" || !Number.isInteger(value) || value < 0 || value > valueMax) return absent;
  return value;
}
