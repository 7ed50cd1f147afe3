import { type AudioFormat, BitReader, Codec, parseAacConfig, readAdtsFrame } from "../../../live/index.js";
import type { RtpPacket } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";
import { bytesAtBit } from "./bit-bytes.js";
import { describedLatmConfig, type LatmConfig, readStreamMuxConfig } from "./latm-config.js";

/** Longest AudioMuxElement that is put together; frames of AAC have at most 6144 bits for each channel. */
export const LATM_ELEMENT_BYTES_MAX = 64 * 1024;
/** Most elements of one packet: those behind another begin at a byte. */
const ELEMENTS_MAX = 64;
const LENGTH_GOES_ON = 255;
/** After more elements in a row that do not end where their packets do, they may be made up in another way. */
const INEXACT_MAX = 3;
/**
 * An element is read anew so often as packets of it come, and as often again at markers; then when its timestamp is over. Each time costs
 * all its packets.
 */
export const LATM_TRIES_MAX = 16;
/** Of an AudioSyncStream: 11 bits of syncword and 13 of length (ISO/IEC 14496-3, table 1.36). */
const SYNC_BYTES = 3;
const SYNC_WORD = 0x2b7;
const SYNC_LENGTH_BITS = 13;
const SYNC_LENGTH_MASK = 0x1fff;

export interface LatmDepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly sink: AudioSink;
}

/** What the bytes of one or several AudioMuxElements hold, and how they say that they are made up. */
interface LatmReading {
  readonly frames: readonly Buffer[];
  readonly config: LatmConfig;
  /** The frames end where the bytes do. */
  readonly isExact: boolean;
}

/**
 * AAC in AudioMuxElements (RFC 6416, 6; ISO/IEC 14496-3, 1.7), unwrapped to raw access units. The configuration is in the
 * session description (`cpresent=0`), in the elements, or in both; that of the elements counts. What the description says of that is
 * a hint: elements are read in the way in which they end where their packets do. So does an element end, with the marker or
 * without; one that does not ends with its timestamp.
 */
export class LatmDepacketizer implements Depacketizer {
  readonly #clockRate: number;
  readonly #sink: AudioSink;
  readonly #element = Buffer.allocUnsafeSlow(LATM_ELEMENT_BYTES_MAX);
  /** The elements say how they are made up; and whether one was exact when it was read so. */
  #isInBand: boolean;
  #isProven = false;
  /** Elements in a row that were not. */
  #inexact = 0;
  #config: LatmConfig | undefined;
  #format: AudioFormat | undefined;
  #unitTicks = 0;
  #filled = 0;
  /** How often the element was read in vain. */
  #tries = 0;
  #timestamp = 0;
  #isBroken = false;

  constructor(options: LatmDepacketizerOptions) {
    const { fmtp } = options;
    this.#clockRate = options.clockRate;
    this.#sink = options.sink;
    const config = describedLatmConfig(fmtp);
    if (config !== undefined) this.#learn(config);
    // RFC 6416, 7.3: 1 by default; some cameras say neither that nor anything in their elements.
    const present = fmtp.get("cpresent");
    this.#isInBand = present === undefined ? config === undefined : present !== "0" || config === undefined;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end, timestamp } = packet;
    if (this.#filled > 0 && timestamp !== this.#timestamp) this.#finish();
    if (packet.lost > 0) {
      this.#isBroken = this.#filled > 0;
      this.#filled = 0;
      this.#tries = 0;
    }
    this.#timestamp = timestamp;
    if (this.#filled + end - start > LATM_ELEMENT_BYTES_MAX) {
      this.#isBroken = true;
      this.#finish();
      return;
    }
    this.#filled += buffer.copy(this.#element, this.#filled, start, end);
    if (this.#isBroken) {
      if (packet.marker) this.#finish();
      return;
    }
    if (this.#tries >= (packet.marker ? 2 * LATM_TRIES_MAX : LATM_TRIES_MAX)) return;
    this.#tries += 1;
    const reading = this.#read(packet.marker);
    if (reading?.isExact !== true) return;
    this.#inexact = 0;
    this.reset();
    this.#emit(reading);
  }

  finishSilent(): void {
    this.flush();
  }

  flush(): void {
    if (this.#filled > 0) this.#finish();
  }

  reset(): void {
    this.#filled = 0;
    this.#tries = 0;
    this.#isBroken = false;
  }

  /** The element is over, although it does not end where its packets do. */
  #finish(): void {
    const reading = this.#isBroken ? undefined : this.#read(true);
    this.#inexact = reading?.isExact === true ? 0 : this.#inexact + 1;
    if (this.#inexact > INEXACT_MAX) this.#isProven = false;
    this.reset();
    if (reading === undefined) this.#sink.onBadPacket();
    else this.#emit(reading);
  }

  #emit({ frames, config }: LatmReading): void {
    this.#learn(config);
    const format = this.#format;
    if (format === undefined) return;
    for (const [units, frame] of frames.entries()) {
      const rtpTimestamp = Math.round(this.#timestamp + units * this.#unitTicks) >>> 0;
      const unit = { format, rtpTimestamp, key: true, damaged: false, keyLost: false, reorderDepth: 0 };
      this.#sink.onAudio(unit, frame);
    }
  }

  /** What came, read as before. `isOver`: it may be read in the other way too, as long as none has proven right. */
  #read(isOver: boolean): LatmReading | undefined {
    const bytes = this.#element.subarray(0, this.#filled);
    const adts = readAdts(bytes);
    if (adts !== undefined) return adts;
    const element = withoutSync(bytes);
    const usual = readElements(element, this.#isInBand, this.#config);
    this.#isProven ||= usual?.isExact === true;
    if (this.#isProven || !isOver) return usual;
    const other = readElements(element, !this.#isInBand, this.#config);
    if (other?.isExact !== true) return usual;
    this.#isInBand = !this.#isInBand;
    return other;
  }

  #learn(config: LatmConfig): void {
    const isKnown = this.#config !== undefined && config.config.equals(this.#config.config);
    this.#config = config;
    if (isKnown) return;
    const known = parseAacConfig(config.config);
    if (known === undefined) return;
    const { sampleRate, channels, frameSamples } = known;
    this.#format = { codec: Codec.AAC, sampleRate, channels, initialization: config.config };
    this.#unitTicks = (frameSamples * this.#clockRate) / sampleRate;
  }
}

/** Undefined where nothing can be read, or nothing says how the elements are made up. */
function readElements(
  bytes: Buffer,
  isInBand: boolean,
  known: LatmConfig | undefined,
): LatmReading | undefined {
  const reader = new BitReader(bytes);
  const frames: Buffer[] = [];
  let config = known;
  let isWhole = true;
  for (let count = 0; isWhole && count < ELEMENTS_MAX && reader.bitsLeft >= 8; count += 1) {
    if (isInBand && !reader.flag()) config = readStreamMuxConfig(reader, bytes);
    const some = config === undefined ? undefined : readFrames(reader, bytes, config);
    isWhole = some !== undefined;
    if (some !== undefined) frames.push(...some);
  }
  if (config === undefined || frames.length === 0) return undefined;
  return { frames, config, isExact: isWhole && reader.bitsLeft < 8 };
}

/** Frames of ADTS, which some cameras send under the name of LATM; undefined where they are none, or not whole. */
function readAdts(bytes: Buffer): LatmReading | undefined {
  const frames: Buffer[] = [];
  let config = readAdtsFrame(bytes, 0, bytes.length)?.config;
  for (let at = 0; at < bytes.length; ) {
    const frame = readAdtsFrame(bytes, at, bytes.length);
    if (frame === undefined || at + frame.frameBytes > bytes.length) return undefined;
    frames.push(Buffer.from(bytes.subarray(at + frame.headerBytes, at + frame.frameBytes)));
    config = frame.config;
    at += frame.frameBytes;
  }
  if (config === undefined) return undefined;
  return { frames, config: { config, subFrames: 1, frameBytes: undefined, otherBits: 0 }, isExact: true };
}

/** The frames of an AudioMuxElement (table 1.41). Undefined if it is malformed. */
function readFrames(reader: BitReader, bytes: Buffer, config: LatmConfig): Buffer[] | undefined {
  const frames: Buffer[] = [];
  for (let index = 0; index < config.subFrames; index += 1) {
    const length = config.frameBytes ?? readLength(reader);
    if (reader.overrun || 8 * length > reader.bitsLeft) return undefined;
    if (length > 0) frames.push(bytesAtBit(bytes, reader.position, length));
    reader.skip(8 * length);
  }
  if (config.otherBits > reader.bitsLeft) return undefined;
  reader.skip(config.otherBits);
  reader.skip((8 - (reader.position & 7)) & 7);
  return frames;
}

/** Without the headers of an AudioSyncStream (1.7.2), which some cameras leave before their elements. */
function withoutSync(bytes: Buffer): Buffer {
  const elements: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = at + SYNC_BYTES <= bytes.length ? bytes.readUIntBE(at, SYNC_BYTES) : 0;
    const end = at + SYNC_BYTES + (head & SYNC_LENGTH_MASK);
    if (head >> SYNC_LENGTH_BITS !== SYNC_WORD || end > bytes.length) return bytes;
    elements.push(bytes.subarray(at + SYNC_BYTES, end));
    at = end;
  }
  return elements.length === 1 ? (elements[0] ?? bytes) : Buffer.concat(elements);
}

/** PayloadLengthInfo (table 1.44): bytes are added up until one is not 255. */
function readLength(reader: BitReader): number {
  let length = 0;
  for (let byte = LENGTH_GOES_ON; byte === LENGTH_GOES_ON && !reader.overrun; ) {
    byte = reader.bits(8);
    length += byte;
  }
  return length;
}
