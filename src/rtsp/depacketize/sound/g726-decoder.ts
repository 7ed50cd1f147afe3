/**
 * Adaptive differential PCM of 16, 24, 32 and 40 kbit/s (ITU-T G.726), decoded to 16-bit samples. The blocks of the
 * recommendation have their names here; all numbers are integers.
 */

/** By the code's magnitude (tables 5 to 8 and 11 to 13 of G.726): log2 of the difference, scale factor, its rate of change. */
interface Tables {
  readonly log: readonly number[];
  readonly scale: readonly number[];
  readonly rate: readonly number[];
}

/** No difference at all. */
const ZERO = -2048;
const TABLES: Record<2 | 3 | 4 | 5, Tables> = {
  2: { log: [116, 365], scale: [-22, 439], rate: [0, 7] },
  3: { log: [ZERO, 135, 273, 373], scale: [-4, 30, 137, 582], rate: [0, 1, 2, 7] },
  4: {
    log: [ZERO, 4, 135, 213, 273, 323, 373, 425],
    scale: [-12, 18, 41, 64, 112, 198, 355, 1122],
    rate: [0, 0, 0, 1, 1, 1, 3, 7],
  },
  5: {
    log: [ZERO, -66, 28, 104, 169, 224, 274, 318, 358, 395, 429, 459, 488, 514, 539, 566],
    scale: [14, 14, 24, 39, 40, 41, 58, 100, 141, 179, 219, 280, 358, 440, 529, 696],
    rate: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6],
  },
};

const FAST_SCALE_MIN = 544;
const FAST_SCALE_MAX = 5120;
const SLOW_SCALE_START = 34_816;
const SPEED_FULL = 256;
const SCALE_QUIET = 1536;
/** Limits of the predictor's poles (UPA2, LIMC, LIMD), and that of a tone (TONE). */
const POLE_2_MAX = 12_288;
const POLES_MAX = 15_360;
const TONE_BELOW = -11_776;
const ZEROS = 6;
const SAMPLE_MAX = 32_767;

/** A number as FLOATA and FLOATB make it: sign, exponent, mantissa of six bits. */
class ShortFloat {
  negative = false;
  exponent = 0;
  mantissa = 32;

  set(value: number): this {
    const magnitude = Math.abs(value);
    this.negative = value < 0;
    this.exponent = 32 - Math.clz32(magnitude);
    this.mantissa = magnitude === 0 ? 32 : (magnitude << 6) >> this.exponent;
    return this;
  }

  copy(other: ShortFloat): void {
    this.negative = other.negative;
    this.exponent = other.exponent;
    this.mantissa = other.mantissa;
  }
}

/** One track of G.726. */
export class G726Decoder {
  readonly #bits: number;
  readonly #tables: Tables;
  /** Coefficients of the two poles and the six zeros of the predictor. */
  #pole1 = 0;
  #pole2 = 0;
  readonly #zeros = new Int32Array(ZEROS);
  readonly #differences = Array.from({ length: ZEROS }, () => new ShortFloat());
  readonly #signals = [new ShortFloat(), new ShortFloat()] as const;
  readonly #coefficient = new ShortFloat();
  /** Signs of the last two partial reconstructions. */
  #sign1 = 1;
  #sign2 = 1;
  #fastScale = FAST_SCALE_MIN;
  #slowScale = SLOW_SCALE_START;
  #scale = FAST_SCALE_MIN;
  #shortRate = 0;
  #longRate = 0;
  #speed = 0;
  #isTone = false;
  #estimate = 0;
  #zerosEstimate = 0;

  constructor(bits: 2 | 3 | 4 | 5) {
    this.#bits = bits;
    this.#tables = TABLES[bits];
  }

  /** The sample of a code: its number of bits, the first of them the sign. */
  decode(code: number): number {
    const { log, scale, rate } = this.#tables;
    const isNegative = code >> (this.#bits - 1) === 1;
    const index = isNegative ? (1 << this.#bits) - 1 - code : code;
    const magnitude = antilog((log[index] ?? ZERO) + (this.#scale >> 2));
    const isTransition = this.#isTransition(magnitude);
    const difference = isNegative ? -magnitude : magnitude;
    const signal = ((this.#estimate + difference) << 16) >> 16;
    this.#adaptPredictor(difference, isTransition);
    this.#remember(difference, isNegative, signal);
    this.#adaptSpeed(rate[index] ?? 0, isTransition);
    this.#adaptScale(scale[index] ?? 0);
    this.#predict();
    return Math.max(-SAMPLE_MAX - 1, Math.min(SAMPLE_MAX, signal * 4));
  }

  /** TRANS: a tone of one frequency turns into another. */
  #isTransition(magnitude: number): boolean {
    const whole = this.#slowScale >> 15;
    const fraction = (this.#slowScale >> 10) & 0x1f;
    const threshold = whole > 9 ? 0x1f << 10 : (0x20 + fraction) << whole;
    return this.#isTone && magnitude > (3 * threshold) >> 2;
  }

  /** UPA1, UPA2, UPB, and TRIGB at a transition. */
  #adaptPredictor(difference: number, isTransition: boolean): void {
    const sign = Math.sign(this.#zerosEstimate + difference);
    if (isTransition) {
      this.#pole1 = 0;
      this.#pole2 = 0;
      this.#zeros.fill(0);
    } else {
      const bent = Math.max(-256, Math.min(255, (-this.#pole1 * this.#sign1 * sign) >> 5));
      const pole2 = this.#pole2 + 128 * sign * this.#sign2 + bent - (this.#pole2 >> 7);
      this.#pole2 = Math.max(-POLE_2_MAX, Math.min(POLE_2_MAX, pole2));
      const pole1 = this.#pole1 + 192 * sign * this.#sign1 - (this.#pole1 >> 8);
      const limit = POLES_MAX - this.#pole2;
      this.#pole1 = Math.max(-limit, Math.min(limit, pole1));
      const step = 128 * Math.sign(difference);
      for (let at = 0; at < ZEROS; at += 1) {
        const zero = this.#zeros[at] ?? 0;
        const change = this.#differences[at]?.negative === true ? -step : step;
        this.#zeros[at] = zero + change - (zero >> 8);
      }
    }
    this.#sign2 = this.#sign1;
    this.#sign1 = sign === 0 ? 1 : sign;
    this.#isTone = this.#pole2 < TONE_BELOW;
  }

  /** DELAY of the quantized differences and the reconstructed signal. */
  #remember(difference: number, isNegative: boolean, signal: number): void {
    for (let at = ZEROS - 1; at > 0; at -= 1) {
      const [newer, older] = [this.#differences[at - 1], this.#differences[at]];
      if (newer !== undefined) older?.copy(newer);
    }
    const newest = this.#differences[0]?.set(difference);
    if (newest !== undefined) newest.negative = isNegative;
    this.#signals[1].copy(this.#signals[0]);
    this.#signals[0].set(signal);
  }

  /** FILTA, FILTB, SUBTC, FILTC, TRIGA: how fast the scale follows. */
  #adaptSpeed(rate: number, isTransition: boolean): void {
    this.#shortRate += (rate << 4) + (-this.#shortRate >> 5);
    this.#longRate += (rate << 4) + (-this.#longRate >> 7);
    if (isTransition) {
      this.#speed = SPEED_FULL;
      return;
    }
    const isUneven = Math.abs((this.#shortRate << 2) - this.#longRate) >= this.#longRate >> 3;
    this.#speed += -this.#speed >> 4;
    if (this.#scale < SCALE_QUIET || this.#isTone || isUneven) this.#speed += 0x20;
  }

  /** FUNCTW, FILTD, LIMB, FILTE, LIMA, MIX. */
  #adaptScale(scale: number): void {
    const fast = this.#scale + scale + (-this.#scale >> 5);
    this.#fastScale = Math.max(FAST_SCALE_MIN, Math.min(FAST_SCALE_MAX, fast));
    this.#slowScale += this.#fastScale + (-this.#slowScale >> 6);
    const share = this.#speed >= SPEED_FULL ? 64 : this.#speed >> 2;
    this.#scale = (this.#slowScale + (this.#fastScale - (this.#slowScale >> 6)) * share) >> 6;
  }

  /** FMULT and ACCUM: what the next sample is expected to be. */
  #predict(): void {
    let sum = 0;
    for (let at = 0; at < ZEROS; at += 1) {
      const difference = this.#differences[at];
      if (difference !== undefined)
        sum += product(this.#coefficient.set((this.#zeros[at] ?? 0) >> 2), difference);
    }
    this.#zerosEstimate = sum >> 1;
    sum += product(this.#coefficient.set(this.#pole1 >> 2), this.#signals[0]);
    sum += product(this.#coefficient.set(this.#pole2 >> 2), this.#signals[1]);
    this.#estimate = sum >> 1;
  }
}

/** ANTILOG: the magnitude of a difference. */
function antilog(log: number): number {
  if (log < 0) return 0;
  const exponent = (log >> 7) & 0x0f;
  return ((128 + (log & 127)) << 7) >> (14 - exponent);
}

function product(coefficient: ShortFloat, value: ShortFloat): number {
  const exponent = coefficient.exponent + value.exponent;
  const mantissa = (coefficient.mantissa * value.mantissa + 0x30) >> 4;
  const magnitude = exponent > 19 ? mantissa << (exponent - 19) : mantissa >> (19 - exponent);
  return coefficient.negative === value.negative ? magnitude : -magnitude;
}
