import { BitReader, parseAacConfig } from "../../../live/index.js";
import { bytesAtBit } from "./bit-bytes.js";

/** What a StreamMuxConfig says (ISO/IEC 14496-3, 1.7.3). */
export interface LatmConfig {
  /** The AudioSpecificConfig. */
  readonly config: Buffer;
  readonly subFrames: number;
  /** Bytes of a frame, where the frames do not say their length themselves. */
  readonly frameBytes: number | undefined;
  /** Bits behind the frames of an element that are none of theirs. */
  readonly otherBits: number;
}

const EXPLICIT_RATE = 15;
const EXPLICIT_OBJECT_TYPE = 31;
const SBR = 5;
const PARAMETRIC_STEREO = 29;
/** Object types with a GASpecificConfig that ends where it is understood here: AAC Main, LC, SSR, LTP. */
const PLAIN_OBJECT_TYPES: ReadonlySet<number> = new Set([1, 2, 3, 4]);
/** Longest configuration of a description. */
const CONFIG_BYTES_MAX = 512;
const CONFIG_BITS_MAX = 8 * 256;
/** Frame lengths of this type are before each frame, and of this one always the same (table 1.44). */
const VARIABLE_LENGTH = 0;
const FIXED_LENGTH = 1;

/** Reads a StreamMuxConfig of one program and one layer; undefined for others, and for what is no AAC. */
export function readStreamMuxConfig(reader: BitReader, bytes: Buffer): LatmConfig | undefined {
  const version = reader.bit();
  if (version === 1 && reader.flag()) return undefined;
  if (version === 1) readValue(reader);
  reader.skip(1);
  const subFrames = 1 + reader.bits(6);
  if (reader.bits(4) !== 0 || reader.bits(3) !== 0) return undefined;
  const config = version === 1 ? sizedConfig(reader, bytes) : plainConfig(reader, bytes);
  if (config === undefined || parseAacConfig(config) === undefined || reader.overrun) return undefined;
  const lengthType = reader.bits(3);
  if (lengthType !== VARIABLE_LENGTH && lengthType !== FIXED_LENGTH) return undefined;
  const frameBytes = lengthType === FIXED_LENGTH ? reader.bits(9) + 20 : undefined;
  if (lengthType === VARIABLE_LENGTH) reader.skip(8);
  const otherBits = reader.flag() ? otherDataBits(reader, version) : 0;
  if (reader.flag()) reader.skip(8);
  // What a description leaves out at its end is zero; an element that ends here has no frames.
  return { config, subFrames, frameBytes, otherBits };
}

/** A configuration, and whether it is a StreamMuxConfig. */
export interface DescribedLatmConfig extends LatmConfig {
  readonly isWrapped: boolean;
}

/** The `config` of a description: a StreamMuxConfig, or what some cameras take for one, an AudioSpecificConfig. */
function readDescribedConfig(bytes: Buffer): DescribedLatmConfig | undefined {
  if (bytes.length === 0) return undefined;
  const wrapped = readStreamMuxConfig(new BitReader(bytes), bytes);
  if (wrapped !== undefined) return { ...wrapped, isWrapped: true };
  if (parseAacConfig(bytes) === undefined) return undefined;
  return { config: bytes, subFrames: 1, frameBytes: undefined, otherBits: 0, isWrapped: false };
}

/** The configuration in hexadecimal that a description names; undefined where it is none. */
export function describedLatmConfig(fmtp: ReadonlyMap<string, string>): DescribedLatmConfig | undefined {
  const text = fmtp.get("config")?.replace(/^0x/i, "") ?? "";
  const isHex = text.length <= 2 * CONFIG_BYTES_MAX && /^(?:[0-9a-f]{2})+$/i.test(text);
  return readDescribedConfig(Buffer.from(isHex ? text : "", "hex"));
}

/** LatmGetValue (table 1.43). */
function readValue(reader: BitReader): number {
  return reader.bits(8 * (1 + reader.bits(2)));
}

function otherDataBits(reader: BitReader, version: number): number {
  if (version === 1) return readValue(reader);
  let bits = 0;
  for (let goesOn = true; goesOn && !reader.overrun; ) {
    goesOn = reader.flag();
    bits = (bits * 256 + reader.bits(8)) % 2 ** 32;
  }
  return bits;
}

function sizedConfig(reader: BitReader, bytes: Buffer): Buffer | undefined {
  const bits = readValue(reader);
  if (bits === 0 || bits > CONFIG_BITS_MAX || bits > reader.bitsLeft) return undefined;
  return configOf(reader, bytes, bits);
}

/** An AudioSpecificConfig that does not say its length (1.6.2.1): it has to be read to find its end. */
function plainConfig(reader: BitReader, bytes: Buffer): Buffer | undefined {
  const ahead = new BitReader(bytes);
  ahead.skip(reader.position);
  let type = readObjectType(ahead);
  skipRate(ahead);
  const channels = ahead.bits(4);
  if (type === SBR || type === PARAMETRIC_STEREO) {
    skipRate(ahead);
    type = readObjectType(ahead);
  }
  // Channels of their own layout are described in a way that no camera uses.
  if (!PLAIN_OBJECT_TYPES.has(type) || channels === 0) return undefined;
  ahead.skip(1);
  if (ahead.flag()) ahead.skip(14);
  ahead.skip(1);
  return ahead.overrun ? undefined : configOf(reader, bytes, ahead.position - reader.position);
}

function configOf(reader: BitReader, bytes: Buffer, bits: number): Buffer {
  const config = bytesAtBit(bytes, reader.position, Math.ceil(bits / 8));
  reader.skip(bits);
  const spare = 8 * config.length - bits;
  if (spare > 0) config[config.length - 1] = (config[config.length - 1] ?? 0) & (0xff << spare);
  return config;
}

function readObjectType(reader: BitReader): number {
  const type = reader.bits(5);
  return type === EXPLICIT_OBJECT_TYPE ? 32 + reader.bits(6) : type;
}

function skipRate(reader: BitReader): void {
  if (reader.bits(4) === EXPLICIT_RATE) reader.skip(24);
}
