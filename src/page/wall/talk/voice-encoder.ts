/** Samples of G.711 a second. */
const RATE = 8000;
/** Zero crossings of the filter on each side. */
const CROSSINGS = 8;
/** Of half the rate: what is above would be heard as another tone. */
const PASS_BAND = 0.9;

/** Makes G.711 (µ-law, 8 kHz) of a microphone's samples, as they come. */
export class VoiceEncoder {
  readonly #step: number;
  readonly #half: number;
  #kept = new Float32Array(0);
  /** Of the next sample of G.711, in samples from the first that is kept. */
  #place = 0;

  /** @param rate Of the microphone, samples a second. */
  constructor(rate: number) {
    this.#step = rate / RATE;
    this.#half = CROSSINGS * Math.max(1, this.#step);
  }

  /** @param samples -1 to 1. */
  push(samples: Float32Array): Uint8Array {
    const all = new Float32Array(this.#kept.length + samples.length);
    all.set(this.#kept);
    all.set(samples, this.#kept.length);
    const bytes: number[] = [];
    for (; this.#place + this.#half < all.length; this.#place += this.#step)
      bytes.push(ulawOf(this.#filtered(all)));
    const from = Math.max(0, Math.floor(this.#place - this.#half));
    this.#kept = all.slice(from);
    this.#place -= from;
    return Uint8Array.from(bytes);
  }

  /** The value at the place, through a windowed sinc. */
  #filtered(all: Float32Array): number {
    let sum = 0;
    let weights = 0;
    for (let at = Math.max(0, Math.ceil(this.#place - this.#half)); at < this.#place + this.#half; at += 1) {
      const distance = (at - this.#place) / this.#half;
      const angle = Math.PI * distance * CROSSINGS * PASS_BAND;
      const weight = (angle === 0 ? 1 : Math.sin(angle) / angle) * (1 + Math.cos(Math.PI * distance));
      sum += weight * (all[at] ?? 0);
      weights += weight;
    }
    return sum / weights;
  }
}

/** ITU-T G.711, 2: sign, three bits of exponent, four of mantissa, all inverted. */
function ulawOf(value: number): number {
  const magnitude = Math.min(32_635, Math.round(Math.abs(value) * 32_767)) + 132;
  const exponent = 24 - Math.clz32(magnitude);
  return ~((value < 0 ? 128 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 255;
}
