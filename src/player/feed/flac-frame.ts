import { BitWriter } from "../../live/index.js";

/** FLAC frames (RFC 9639, 9) of 16-bit samples: lossless, so that G.711 keeps each sample. */

/** Fewest samples of a frame, but for the last one. */
export const FLAC_SAMPLES_MIN = 16;
/** Most samples of a frame that any decoder takes at these rates (RFC 9639, 7). */
export const FLAC_SAMPLES_MAX = 4608;

const SAMPLE_BITS = 16;
const SYNC_VARIABLE = 0xfff9;
/** The block size follows the header in 16 bits. */
const BLOCK_SIZE_16 = 7;
const RATE_CODES = new Map([
  [8000, 4],
  [16_000, 5],
  [22_050, 6],
  [24_000, 7],
  [32_000, 8],
  [44_100, 9],
  [48_000, 10],
]);
const RATE_OF_STREAM = 0;
const SAMPLE_BITS_16 = 4;
const CONSTANT = 0;
const VERBATIM = 1;
const FIXED = 8;
const FIXED_ORDER_MAX = 2;
const RICE_PARAMETER_MAX = 14;

export interface FlacBlock {
  readonly sampleRate: number;
  /** Number of its first sample in the stream. */
  readonly firstSample: number;
  /** One for each channel, of the same length: FLAC_SAMPLES_MIN to FLAC_SAMPLES_MAX. */
  readonly channels: readonly Int16Array[];
  /** Low bits that are zero in every sample. */
  readonly wastedBits: number;
}

/** One frame. */
export function flacFrame(block: FlacBlock): Uint8Array {
  const { sampleRate, firstSample, channels, wastedBits } = block;
  const samples = channels[0]?.length ?? 0;
  const writer = new BitWriter(channels.length * samples * 2 + 64);
  writer.bits(SYNC_VARIABLE, 16);
  writer.bits(BLOCK_SIZE_16, 4);
  writer.bits(RATE_CODES.get(sampleRate) ?? RATE_OF_STREAM, 4);
  writer.bits(channels.length - 1, 4);
  writer.bits(SAMPLE_BITS_16, 3);
  writer.bit(0);
  for (const byte of codedNumber(firstSample)) writer.bits(byte, 8);
  writer.bits(samples - 1, 16);
  writer.bits(crc(writer.bytes, 8, 0x07), 8);
  for (const channel of channels) writeSubframe(writer, channel, wastedBits);
  writer.align();
  writer.bits(crc(writer.bytes, 16, 0x8005), 16);
  return writer.bytes;
}

/** STREAMINFO with its header (RFC 9639, 8.1 and 8.2), for frames of any number of samples. */
export function flacStreamInfo(sampleRate: number, channels: number): Buffer {
  const writer = new BitWriter();
  writer.bits(FLAC_SAMPLES_MIN, 16);
  writer.bits(FLAC_SAMPLES_MAX, 16);
  // Bytes of a frame are not known.
  writer.bits(0, 24);
  writer.bits(0, 24);
  writer.bits(sampleRate, 20);
  writer.bits(channels - 1, 3);
  writer.bits(SAMPLE_BITS - 1, 5);
  // Neither is the number of samples, nor their digest.
  const info = Buffer.concat([writer.bytes], 34);
  return Buffer.concat([Buffer.from([0x80, 0, 0, info.length]), info]);
}

interface Prediction {
  readonly order: number;
  readonly residual: Int32Array;
  readonly parameter: number;
  readonly bits: number;
}

function writeSubframe(writer: BitWriter, samples: Int16Array, wastedBits: number): void {
  const values = Int32Array.from(samples, (sample) => sample >> wastedBits);
  const width = SAMPLE_BITS - wastedBits;
  const first = values[0] ?? 0;
  if (values.every((value) => value === first)) {
    writeSubframeHead(writer, CONSTANT, wastedBits);
    writer.bits(first, width);
    return;
  }
  const best = bestPrediction(values, width);
  if (best === undefined) {
    writeSubframeHead(writer, VERBATIM, wastedBits);
    for (const value of values) writer.bits(value, width);
    return;
  }
  writeSubframeHead(writer, FIXED + best.order, wastedBits);
  for (const value of values.subarray(0, best.order)) writer.bits(value, width);
  writeResidual(writer, best);
}

function writeSubframeHead(writer: BitWriter, type: number, wastedBits: number): void {
  writer.bit(0);
  writer.bits(type, 6);
  writer.bit(wastedBits > 0 ? 1 : 0);
  if (wastedBits > 0) writer.unary(wastedBits - 1);
}

/** Rice codes in one partition (RFC 9639, 9.2.7). */
function writeResidual(writer: BitWriter, { residual, parameter }: Prediction): void {
  writer.bits(0, 2 + 4);
  writer.bits(parameter, 4);
  for (const value of residual) {
    const folded = fold(value);
    writer.unary(folded >>> parameter);
    writer.bits(folded, parameter);
  }
}

/** The prediction that takes the fewest bits; undefined if none takes fewer than the samples themselves. */
function bestPrediction(values: Int32Array, width: number): Prediction | undefined {
  let best: Prediction | undefined;
  let fewest = values.length * width;
  for (let order = 0; order <= FIXED_ORDER_MAX; order += 1) {
    const residual = residualOf(values, order);
    for (const parameter of likelyParameters(residual)) {
      const bits = order * width + 10 + codedBits(residual, parameter);
      if (bits >= fewest) continue;
      fewest = bits;
      best = { order, residual, parameter, bits };
    }
  }
  return best;
}

/** Differences of differences (RFC 9639, 9.2.5). */
function residualOf(values: Int32Array, order: number): Int32Array {
  let residual = values;
  for (let step = 0; step < order; step += 1) {
    const before = residual;
    residual = before.subarray(1).map((value, at) => value - (before[at] ?? 0));
  }
  return residual;
}

function likelyParameters(residual: Int32Array): readonly number[] {
  const mean = residual.reduce((sum, value) => sum + fold(value), 0) / Math.max(1, residual.length);
  const parameter = Math.min(RICE_PARAMETER_MAX, Math.max(0, Math.floor(Math.log2(mean + 1))));
  return parameter === 0 ? [0] : [parameter - 1, parameter];
}

function codedBits(residual: Int32Array, parameter: number): number {
  return residual.reduce((sum, value) => sum + (fold(value) >>> parameter) + 1 + parameter, 0);
}

/** Negative and positive numbers in turn: 0, -1, 1, -2, … */
function fold(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** A number of up to 36 bits as UTF-8 codes one (RFC 9639, 9.1.5). */
function codedNumber(value: number): number[] {
  if (value < 0x80) return [value];
  const rest: number[] = [];
  let left = value;
  for (let lead = 0x3f; left > lead; lead >>= 1) {
    rest.unshift(0x80 | (left % 64));
    left = Math.floor(left / 64);
  }
  const mark = (0xff << (7 - rest.length)) & 0xff;
  return [mark | left, ...rest];
}

/** A CRC that begins with 0 (RFC 9639, 9.1.8 and 9.3). */
function crc(bytes: Uint8Array, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1);
  const mask = 2 * top - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit += 1)
      value = (value & top) === 0 ? (value << 1) & mask : ((value << 1) ^ polynomial) & mask;
  }
  return value;
}
