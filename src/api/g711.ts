const ULAW_BIAS = 0x84;
const ULAW_MAGNITUDE_MAX = 32_635;

/** A-law to µ-law, sample by sample through a table (ITU-T G.711). */
const ALAW_TO_ULAW = Uint8Array.from({ length: 256 }, (_, alaw) => encodeUlaw(decodeAlaw(alaw)));

/** The same sound as µ-law, in new memory. */
export function alawToUlaw(alaw: Uint8Array): Uint8Array {
  const ulaw = new Uint8Array(alaw.length);
  for (let index = 0; index < alaw.length; index++) ulaw[index] = ALAW_TO_ULAW[alaw[index] ?? 0] ?? 0;
  return ulaw;
}

/** 16-bit linear value of an A-law byte (G.711, table 1a: even bits inverted, 13-bit values). */
function decodeAlaw(byte: number): number {
  const bits = byte ^ 0x55;
  const exponent = (bits & 0x70) >> 4;
  const mantissa = (bits & 0x0f) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** µ-law byte of a 16-bit linear value (G.711, table 2a). */
function encodeUlaw(linear: number): number {
  const sign = linear < 0 ? 0x80 : 0;
  const biased = Math.min(Math.abs(linear), ULAW_MAGNITUDE_MAX) + ULAW_BIAS;
  const exponent = Math.max(0, 31 - Math.clz32(biased) - 7);
  const mantissa = (biased >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}
