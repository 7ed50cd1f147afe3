import { Codec } from "./codec.js";

/** The two companding laws of ITU-T G.711. */
export type G711Law = "mu" | "a";

const ULAW_BIAS = 0x84;
const ULAW_MAGNITUDE_MAX = 32_635;
/** Upper ends of the A-law segments, in 13-bit values (G.711, table 1a). */
const ALAW_SEGMENT_ENDS = [0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff];

/** 16-bit value of each byte. */
const LINEAR: Record<G711Law, Int16Array> = {
  mu: Int16Array.from({ length: 256 }, (_, byte) => decodeUlaw(byte)),
  a: Int16Array.from({ length: 256 }, (_, byte) => decodeAlaw(byte)),
};
const ALAW_TO_ULAW = Uint8Array.from(LINEAR.a, encodeUlaw);
const ULAW_TO_ALAW = Uint8Array.from(LINEAR.mu, encodeAlaw);

/** The law of a camera's codec; undefined for other codecs. */
export function g711LawOf(codec: Codec): G711Law | undefined {
  if (codec === Codec.PCMU) return "mu";
  return codec === Codec.PCMA ? "a" : undefined;
}

/** Converts to µ-law, in new memory. */
export function alawToUlaw(alaw: Uint8Array): Uint8Array {
  return translated(alaw, ALAW_TO_ULAW);
}

/** Converts to A-law, in new memory. */
export function ulawToAlaw(ulaw: Uint8Array): Uint8Array {
  return translated(ulaw, ULAW_TO_ALAW);
}

/** The pieces' samples as 16-bit PCM, little endian, in new memory. */
export function g711ToPcm(pieces: readonly Uint8Array[], law: G711Law): Uint8Array {
  const linear = LINEAR[law];
  const pcm = Buffer.allocUnsafe(2 * pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces)
    for (const byte of piece) {
      pcm.writeInt16LE(linear[byte] ?? 0, at);
      at += 2;
    }
  return pcm;
}

/** L16 (RFC 3551, 4.5.11), which is in network order, as 16-bit PCM, little endian, in new memory. */
export function l16ToPcm(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = Buffer.concat(pieces);
  const pcm = Buffer.from(joined.subarray(0, joined.length - (joined.length % 2)));
  return pcm.swap16();
}

/** 16-bit PCM, little endian, as G.711, in new memory. */
export function pcmToG711(pcm: Uint8Array, law: G711Law): Uint8Array {
  const samples = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length);
  const encode = law === "mu" ? encodeUlaw : encodeAlaw;
  const g711 = new Uint8Array(pcm.length >> 1);
  for (let index = 0; index < g711.length; index++) g711[index] = encode(samples.readInt16LE(2 * index));
  return g711;
}

function translated(bytes: Uint8Array, table: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) result[index] = table[bytes[index] ?? 0] ?? 0;
  return result;
}

/** 16-bit linear value of an A-law byte (G.711, table 1a: even bits inverted, 13-bit values). */
function decodeAlaw(byte: number): number {
  const bits = byte ^ 0x55;
  const exponent = (bits & 0x70) >> 4;
  const mantissa = (bits & 0x0f) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** 16-bit linear value of a µ-law byte (G.711, table 2a: all bits inverted). */
function decodeUlaw(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + ULAW_BIAS) << ((bits & 0x70) >> 4)) - ULAW_BIAS;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

/** µ-law byte of a 16-bit linear value (G.711, table 2a). */
function encodeUlaw(linear: number): number {
  const sign = linear < 0 ? 0x80 : 0;
  const biased = Math.min(Math.abs(linear), ULAW_MAGNITUDE_MAX) + ULAW_BIAS;
  const exponent = Math.max(0, 31 - Math.clz32(biased) - 7);
  const mantissa = (biased >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** A-law byte of a 16-bit linear value (G.711, table 1a). */
function encodeAlaw(linear: number): number {
  const value = linear >> 3;
  const magnitude = value < 0 ? -value - 1 : value;
  const segment = ALAW_SEGMENT_ENDS.findIndex((end) => magnitude <= end);
  const mantissa = (magnitude >> Math.max(1, segment)) & 0x0f;
  return ((segment << 4) | mantissa) ^ (value < 0 ? 0x55 : 0xd5);
}
