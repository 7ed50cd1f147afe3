import { type AudioFormat, BitReader, Codec, parseAacConfig } from "../../live/index.js";
import type { RtpPacket } from "../rtp/types.js";
import { bytesAtBit } from "./bit-bytes.js";
import type { AudioSink, Depacketizer } from "./depacketizer.js";
import { type LatmConfig, readDescribedConfig, readStreamMuxConfig } from "./latm-config.js";

/** Longest AudioMuxElement that is put together; frames of AAC have at most 6144 bits for each channel. */
export const LATM_ELEMENT_BYTES_MAX = 64 * 1024;
/** Most elements of one packet: those behind another begin at a byte. */
const ELEMENTS_MAX = 64;
const LENGTH_GOES_ON = 255;
const CONFIG_BYTES_MAX = 512;

export interface LatmDepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  /** RTP clock rate in Hz. */
  readonly clockRate: number;
  readonly sink: AudioSink;
}

/**
 * AAC in AudioMuxElements (RFC 6416, 6; ISO/IEC 14496-3, 1.7), unwrapped to raw access units. The configuration is in the
 * session description (`cpresent=0`), in the elements, or in both; that of the elements counts. An element ends with the
 * marker or with its timestamp.
 */
export class LatmDepacketizer implements Depacketizer {
  readonly #clockRate: number;
  readonly #sink: AudioSink;
  readonly #element = Buffer.allocUnsafeSlow(LATM_ELEMENT_BYTES_MAX);
  /** The elements say how they are made up. */
  readonly #isInBand: boolean;
  #config: LatmConfig | undefined;
  #format: AudioFormat | undefined;
  #unitTicks = 0;
  #filled = 0;
  #timestamp = 0;
  #isBroken = false;

  constructor(options: LatmDepacketizerOptions) {
    const { fmtp } = options;
    this.#clockRate = options.clockRate;
    this.#sink = options.sink;
    const text = fmtp.get("config")?.replace(/^0x/i, "") ?? "";
    const isHex = text.length <= 2 * CONFIG_BYTES_MAX && /^(?:[0-9a-f]{2})+$/i.test(text);
    const config = readDescribedConfig(Buffer.from(isHex ? text : "", "hex"));
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
    }
    this.#timestamp = timestamp;
    if (this.#filled + end - start > LATM_ELEMENT_BYTES_MAX) this.#isBroken = true;
    else this.#filled += buffer.copy(this.#element, this.#filled, start, end);
    if (packet.marker) this.#finish();
  }

  finishSilent(): void {
    this.flush();
  }

  flush(): void {
    if (this.#filled > 0) this.#finish();
  }

  reset(): void {
    this.#filled = 0;
    this.#isBroken = false;
  }

  #finish(): void {
    const element = this.#element.subarray(0, this.#filled);
    const isBroken = this.#isBroken;
    this.reset();
    if (element.length > 0 && (isBroken || !this.#readElements(element))) this.#sink.onBadPacket();
  }

  #readElements(bytes: Buffer): boolean {
    const reader = new BitReader(bytes);
    let units = 0;
    for (let count = 0; count < ELEMENTS_MAX && reader.bitsLeft >= 8; count += 1) {
      const frames = this.#readElement(reader, bytes);
      if (frames === undefined || this.#format === undefined) return count > 0;
      for (const frame of frames) {
        const rtpTimestamp = Math.round(this.#timestamp + units * this.#unitTicks) >>> 0;
        const { sink, unit } = { sink: this.#sink, unit: { format: this.#format, rtpTimestamp } };
        sink.onAudio({ ...unit, key: true, damaged: false, keyLost: false, reorderDepth: 0 }, frame);
        units += 1;
      }
    }
    return units > 0;
  }

  /** AudioMuxElement (table 1.41). Undefined if it is malformed, or its configuration is not known yet. */
  #readElement(reader: BitReader, bytes: Buffer): Buffer[] | undefined {
    if (this.#isInBand && !reader.flag()) {
      const config = readStreamMuxConfig(reader, bytes);
      if (config === undefined) return undefined;
      this.#learn(config);
    }
    const config = this.#config;
    if (config === undefined) return undefined;
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

/** PayloadLengthInfo (table 1.44): bytes are added up until one is not 255. */
function readLength(reader: BitReader): number {
  let length = 0;
  for (let byte = LENGTH_GOES_ON; byte === LENGTH_GOES_ON && !reader.overrun; ) {
    byte = reader.bits(8);
    length += byte;
  }
  return length;
}
