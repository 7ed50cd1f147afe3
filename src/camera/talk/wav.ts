import { NvrdError } from "../../base/index.js";
import { g711ToPcm, pcmToG711 } from "../../picture/index.js";
import { VOICE_RATE } from "./voice.js";

/** Sample formats (RFC 2361, and WAVE_FORMAT_EXTENSIBLE, whose own number stands in its GUID). */
const PCM = 1;
const FLOAT = 3;
const ALAW = 6;
const ULAW = 7;
const EXTENSIBLE = 0xfffe;
const CHANNELS_MAX = 8;
const RATE_MIN = 4000;
const RATE_MAX = 192_000;
const CHUNKS_MAX = 1000;

/** Zero crossings of the filter on each side, at the lower of both rates. */
const FILTER_CROSSINGS = 12;
/** Places between two samples that the filter is computed for. */
const FILTER_PHASES = 64;
/** Samples that are computed at once. */
const PIECE_SAMPLES = 1000;
/** Of the lower rate: what is above would be heard as another tone. */
const PASS_BAND = 0.94;

interface WaveFormat {
  readonly tag: number;
  readonly channels: number;
  readonly rate: number;
  readonly bits: number;
}

/** Whether the bytes begin as a WAV file. */
export function isWav(bytes: Buffer): boolean {
  return (
    bytes.length >= 12 &&
    bytes.toString("latin1", 0, 4) === "RIFF" &&
    bytes.toString("latin1", 8, 12) === "WAVE"
  );
}

/**
 * The sound of a WAV file as µ-law of 8 kHz, mono. Throws NvrdError BAD_REQUEST for a damaged file and for formats that are
 * not understood, TOO_LARGE for one longer than `secondsMax`.
 */
export async function wavToUlaw(bytes: Buffer, secondsMax: number): Promise<Buffer> {
  const { format, data } = chunksOf(bytes);
  const samples = data.length / ((format.channels * format.bits) / 8);
  if (samples > secondsMax * format.rate)
    throw new NvrdError("TOO_LARGE", `the sound is longer than ${secondsMax} s`, {
      hint: "send a shorter one",
    });
  const mono = monoOf(format, data);
  const resampled = format.rate === VOICE_RATE ? mono : await resample(mono, format.rate);
  const pcm = Buffer.alloc(2 * resampled.length);
  for (let at = 0; at < resampled.length; at += 1) {
    const value = Math.round((resampled[at] ?? 0) * 32_768);
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, value)), 2 * at);
  }
  return Buffer.from(pcmToG711(pcm, "mu"));
}

function chunksOf(bytes: Buffer): { readonly format: WaveFormat; readonly data: Buffer } {
  let format: WaveFormat | undefined;
  for (let at = 12, chunks = 0; at + 8 <= bytes.length && chunks < CHUNKS_MAX; chunks += 1) {
    const id = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (id === "fmt ") format = formatOf(bytes.subarray(start, start + length));
    if (id === "data") {
      if (format === undefined) break;
      // A program that wrote into a pipe does not know the length.
      const end =
        length === 0 || length === 0xffffffff ? bytes.length : Math.min(bytes.length, start + length);
      const frame = (format.channels * format.bits) / 8;
      return { format, data: bytes.subarray(start, end - ((end - start) % frame)) };
    }
    at = start + length + (length % 2);
  }
  throw bad("the WAV file is damaged: it has no sound");
}

function formatOf(chunk: Buffer): WaveFormat {
  if (chunk.length < 16) throw bad("the WAV file is damaged: its format is cut off");
  const first = chunk.readUInt16LE(0);
  const tag = first === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : first;
  const format = {
    tag,
    channels: chunk.readUInt16LE(2),
    rate: chunk.readUInt32LE(4),
    bits: chunk.readUInt16LE(14),
  };
  const { channels, rate, bits } = format;
  if (channels < 1 || channels > CHANNELS_MAX || rate < RATE_MIN || rate > RATE_MAX)
    throw bad(
      `the WAV file has ${channels} channels of ${rate} Hz: 1 to ${CHANNELS_MAX} of ${RATE_MIN} to ${RATE_MAX} are read`,
    );
  const isKnown =
    (tag === PCM && [8, 16, 24, 32].includes(bits)) ||
    (tag === FLOAT && bits === 32) ||
    ((tag === ALAW || tag === ULAW) && bits === 8);
  if (!isKnown)
    throw bad(`the WAV file has sound of format ${tag} with ${bits} bits: PCM, float and G.711 are read`);
  return format;
}

/** All channels mixed, -1 to 1. */
function monoOf(format: WaveFormat, data: Buffer): Float32Array {
  const { channels, bits } = format;
  const read = reader(format, data);
  const frames = data.length / ((channels * bits) / 8);
  const mono = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += read(frame * channels + channel);
    mono[frame] = sum / channels;
  }
  return mono;
}

/** Reads a sample by its number. */
function reader({ tag, bits }: WaveFormat, data: Buffer): (index: number) => number {
  if (tag === ALAW || tag === ULAW) {
    const pcm = Buffer.from(g711ToPcm([data], tag === ALAW ? "a" : "mu"));
    return (index) => pcm.readInt16LE(2 * index) / 32_768;
  }
  if (tag === FLOAT) {
    return (index) => {
      const value = data.readFloatLE(4 * index);
      return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
    };
  }
  if (bits === 8) return (index) => ((data[index] ?? 128) - 128) / 128;
  if (bits === 16) return (index) => data.readInt16LE(2 * index) / 32_768;
  const width = bits / 8;
  return (index) => data.readIntLE(width * index, width) / 2 ** (bits - 1);
}

/** Through a windowed sinc, a piece at a time, so that nothing else waits long. */
async function resample(input: Float32Array, rate: number): Promise<Float32Array> {
  const step = rate / VOICE_RATE;
  const stretch = Math.max(1, step);
  const half = Math.ceil(FILTER_CROSSINGS * stretch);
  const taps = 2 * half + 1;
  const filters = new Float32Array((FILTER_PHASES + 1) * taps);
  for (let phase = 0; phase <= FILTER_PHASES; phase += 1)
    filters.set(filterOf(phase / FILTER_PHASES, half, PASS_BAND / stretch), phase * taps);
  // With silence before and after it: the filter never reaches beyond the ends.
  const padded = new Float32Array(input.length + 2 * taps);
  padded.set(input, half);
  const output = new Float32Array(Math.floor(input.length / step));
  for (let from = 0; from < output.length; from += PIECE_SAMPLES) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const to = Math.min(output.length, from + PIECE_SAMPLES);
    for (let at = from; at < to; at += 1) {
      const center = Math.floor(at * step);
      const filter = Math.round((at * step - center) * FILTER_PHASES) * taps;
      output[at] = weighted(padded, center, filters, filter, taps);
    }
  }
  return output;
}

/** The innermost loop: it alone takes the time. */
function weighted(
  samples: Float32Array,
  first: number,
  weights: Float32Array,
  firstWeight: number,
  count: number,
): number {
  let sum = 0;
  for (let tap = 0; tap < count; tap += 1)
    sum += (samples[first + tap] ?? 0) * (weights[firstWeight + tap] ?? 0);
  return sum;
}

/** The weights of the samples from `half` before to `half` after a place that lies `phase` after a sample; their sum is 1. */
function filterOf(phase: number, half: number, cutOff: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * half + 1 }, (_, tap) => {
    const distance = tap - half - phase;
    const angle = Math.PI * distance * cutOff;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return Math.abs(distance) > half ? 0 : sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / half));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function bad(text: string): NvrdError {
  return new NvrdError("BAD_REQUEST", text, { hint: "" });
}
