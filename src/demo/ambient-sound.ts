/** Samples a second of G.711. */
export const AMBIENT_SAMPLE_RATE = 8000;

/** The loop's length; every tone below has a whole number of periods in it, so that the loop has no click. */
const LOOP_SECONDS = 4;

/** Tones as frequency in Hz and share of the amplitude: a fifth, like a distant hum. */
const TONES = [
  { hertz: 110, share: 0.5 },
  { hertz: 165, share: 0.3 },
  { hertz: 220.25, share: 0.2 },
] as const;

/** Of 32767, so quiet. */
const AMPLITUDE = 2600;
const SWELL_HERTZ = 0.25;

const MULAW_BIAS = 0x84;
const MULAW_CLIP = 32_635;

/** A quiet hum of varying volume, as one loop of G.711 µ-law samples, 8000 a second. Deterministic. */
export function ambientSound(): Buffer {
  const samples = Buffer.alloc(LOOP_SECONDS * AMBIENT_SAMPLE_RATE);
  for (let index = 0; index < samples.length; index++) {
    const seconds = index / AMBIENT_SAMPLE_RATE;
    const wave = (hertz: number) => Math.sin(2 * Math.PI * hertz * seconds);
    const swell = 0.7 + 0.3 * wave(SWELL_HERTZ);
    let value = 0;
    for (const tone of TONES) value += tone.share * wave(tone.hertz);
    samples[index] = encodeMulaw(Math.round(value * swell * AMPLITUDE));
  }
  return samples;
}

/** A 16-bit sample as G.711 µ-law (ITU-T G.711, table 2a). */
export function encodeMulaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), MULAW_CLIP) + MULAW_BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
