import { NvrdError } from "../../base/index.js";
import { g711ToPcm, pcmToG711 } from "../../live/index.js";
import { VOICE_RATE } from "./sound-bounds.js";

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
  return await resample(monoReader(format, data), format.rate, samples);
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

/** Reads a moment of all channels, mixed: -1 to 1. */
function monoReader(format: WaveFormat, data: Buffer): (frame: number) => number {
  const { channels } = format;
  const read = reader(format, data);
  return (frame) => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += read(frame * channels + channel);
    return sum / channels;
  };
}

/** Reads a sample by its number. */
function reader({ tag, bits }: WaveFormat, data: Buffer): (index: number) => number {
  if (tag === ALAW || tag === ULAW) {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const pcm = Buffer.from(g711ToPcm([bytes], tag === ALAW ? "a" : "mu"));
    return (index) => pcm.readInt16LE(2 * (data[index] ?? 0)) / 32_768;
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

/**
 * To µ-law of 8 kHz, through a windowed sinc where the rate is another; a piece at a time, so that nothing else waits long and
 * only one piece is in memory as numbers.
 */
async function resample(read: (frame: number) => number, rate: number, frames: number): Promise<Buffer> {
  const filters = rate === VOICE_RATE ? undefined : new Filters(rate);
  const step = rate / VOICE_RATE;
  const sound = Buffer.alloc(Math.floor(frames / step));
  for (let from = 0; from < sound.length; from += PIECE_SAMPLES) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const count = Math.min(PIECE_SAMPLES, sound.length - from);
    const first = Math.floor(from * step);
    const half = filters?.half ?? 0;
    // With silence before and after the sound: the filter never reaches beyond the ends.
    const around = Float32Array.from({ length: Math.ceil(count * step) + 2 * half + 2 }, (_, index) => {
      const frame = first - half + index;
      return frame < 0 || frame >= frames ? 0 : read(frame);
    });
    const pcm = Buffer.alloc(2 * count);
    for (let at = 0; at < count; at += 1) {
      const place = (from + at) * step;
      const value = filters?.at(around, Math.floor(place) - first, place % 1) ?? around[at] ?? 0;
      pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))), 2 * at);
    }
    sound.set(pcmToG711(pcm, "mu"), from);
  }
  return sound;
}

/** The filter between two rates, computed for the places between two samples. */
class Filters {
  /** Samples that it reaches to each side. */
  readonly half: number;
  readonly #taps: number;
  readonly #weights: Float32Array;

  constructor(rate: number) {
    const stretch = Math.max(1, rate / VOICE_RATE);
    this.half = Math.ceil(FILTER_CROSSINGS * stretch);
    this.#taps = 2 * this.half + 1;
    this.#weights = new Float32Array((FILTER_PHASES + 1) * this.#taps);
    for (let phase = 0; phase <= FILTER_PHASES; phase += 1)
      this.#weights.set(filterOf(phase / FILTER_PHASES, this.half, PASS_BAND / stretch), phase * this.#taps);
  }

  /** The value `phase` (0 to 1) after the sample whose surroundings begin at `first`. */
  at(samples: Float32Array, first: number, phase: number): number {
    return weighted(
      samples,
      first,
      this.#weights,
      Math.round(phase * FILTER_PHASES) * this.#taps,
      this.#taps,
    );
  }
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
