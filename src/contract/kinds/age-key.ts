/** Keys of age (https://age-encryption.org/v1) as text: 32 bytes of X25519, written in Bech32 with a checksum. */

const SIGNS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_SIGNS = 6;
const KEY_BYTES = 32;

/** The public key of an `age1…`; undefined: it is none, for example mistyped. */
export function readRecipient(text: string): Uint8Array | undefined {
  return readKey(text, "age");
}

/** The private key of an `AGE-SECRET-KEY-1…`; undefined: it is none. */
export function readIdentity(text: string): Uint8Array | undefined {
  return text === text.toUpperCase() ? readKey(text.toLowerCase(), "age-secret-key-") : undefined;
}

function readKey(text: string, prefix: string): Uint8Array | undefined {
  if (!text.startsWith(`${prefix}1`)) return undefined;
  const values = [...text.slice(prefix.length + 1)].map((sign) => SIGNS.indexOf(sign));
  if (values.includes(-1) || checksum([...expanded(prefix), ...values]) !== 1) return undefined;
  const bytes = eightBits(values.slice(0, -CHECKSUM_SIGNS));
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}

function expanded(prefix: string): readonly number[] {
  const codes = [...prefix].map((sign) => sign.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function checksum(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if (((top >>> bit) & 1) === 1) sum ^= generator;
  }
  return sum >>> 0;
}

/** Groups of five bits as bytes; undefined where the rest is no padding. */
function eightBits(values: readonly number[]): Uint8Array | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const value of values) {
    held = (held << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >>> bits) & 0xff);
    held &= (1 << bits) - 1;
  }
  return bits < 5 && held === 0 ? Uint8Array.from(bytes) : undefined;
}
