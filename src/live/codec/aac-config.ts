import { BitReader } from "./bit-reader.js";

/** What nvrd reads from an AudioSpecificConfig. */
export interface AacConfig {
  /** Samples a second of the core coder; with SBR the output has twice as many. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Samples a raw access unit decodes to: 1024 or 960. */
  readonly frameSamples: number;
}

/** samplingFrequencyIndex 0 to 12 (ISO/IEC 14496-3, table 1.18). */
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const EXPLICIT_RATE = 15;
/** channelConfiguration 1 to 7 (ISO/IEC 14496-3, table 1.19). */
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8];
const EXPLICIT_OBJECT_TYPE = 31;
const SBR_OBJECT_TYPES = [5, 29];

/** Reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). Undefined if it is invalid or its sample rate is unknown. */
export function parseAacConfig(bytes: Uint8Array): AacConfig | undefined {
  const reader = new BitReader(bytes);
  const objectType = readObjectType(reader);
  const sampleRate = readSampleRate(reader);
  const channels = CHANNELS[reader.bits(4)] ?? 0;
  if (SBR_OBJECT_TYPES.includes(objectType)) {
    readSampleRate(reader);
    readObjectType(reader);
  }
  const frameSamples = reader.flag() ? 960 : 1024;
  if (reader.overrun || sampleRate === undefined || sampleRate === 0) return undefined;
  return { sampleRate, channels: Math.max(1, channels), frameSamples };
}

const LOW_COMPLEXITY = 2;

/** The AudioSpecificConfig of AAC-LC; undefined for rates and numbers of channels that have no index. */
export function aacConfig(sampleRate: number, channels: number): Buffer | undefined {
  const rate = SAMPLE_RATES.indexOf(sampleRate);
  const layout = channels > 0 ? CHANNELS.indexOf(channels) : -1;
  if (rate < 0 || layout < 0) return undefined;
  const bits = (LOW_COMPLEXITY << 11) | (rate << 7) | (layout << 3);
  return Buffer.from([bits >> 8, bits & 0xff]);
}

function readObjectType(reader: BitReader): number {
  const type = reader.bits(5);
  return type === EXPLICIT_OBJECT_TYPE ? 32 + reader.bits(6) : type;
}

function readSampleRate(reader: BitReader): number | undefined {
  const index = reader.bits(4);
  return index === EXPLICIT_RATE ? reader.bits(24) : SAMPLE_RATES[index];
}
