import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** Protection of packets as a suite names it (RFC 3711, 4568, 6188, 7714). */
export interface SrtpSuite {
  readonly name: string;
  /** AES in counter mode with HMAC-SHA1, or with Galois' authentication. */
  readonly mode: "cm" | "gcm";
  readonly keyBytes: 16 | 24 | 32;
  readonly saltBytes: 14 | 12;
  /** Length of a packet's authentication tag. */
  readonly rtpTagBytes: number;
  readonly rtcpTagBytes: number;
}

function counterMode(name: string, keyBytes: SrtpSuite["keyBytes"], rtpTagBytes: number): SrtpSuite {
  // The tag of RTCP is never the short one (RFC 4568, 6.2.2).
  return { name, mode: "cm", keyBytes, saltBytes: 14, rtpTagBytes, rtcpTagBytes: 10 };
}

function galois(name: string, keyBytes: SrtpSuite["keyBytes"]): SrtpSuite {
  return { name, mode: "gcm", keyBytes, saltBytes: 12, rtpTagBytes: 16, rtcpTagBytes: 16 };
}

export const SRTP_SUITES: readonly SrtpSuite[] = [
  counterMode("AES_CM_128_HMAC_SHA1_80", 16, 10),
  counterMode("AES_CM_128_HMAC_SHA1_32", 16, 4),
  counterMode("AES_192_CM_HMAC_SHA1_80", 24, 10),
  counterMode("AES_192_CM_HMAC_SHA1_32", 24, 4),
  counterMode("AES_256_CM_HMAC_SHA1_80", 32, 10),
  counterMode("AES_256_CM_HMAC_SHA1_32", 32, 4),
  galois("AEAD_AES_128_GCM", 16),
  galois("AEAD_AES_256_GCM", 32),
];

/** What a session key is for: its label in the derivation, for RTP (RFC 3711, 4.3.1); that for RTCP is higher by three. */
const LABELS = { cipher: 0, authentication: 1, salt: 2 } as const;
const RTCP_LABELS = 3;
const AUTHENTICATION_KEY_BYTES = 20;
/** Bytes of the derivation's input, a salt of counter mode: the label is in the eighth. */
const DERIVATION_BYTES = 14;
const LABEL_PLACE = 7;
const BLOCK_BYTES = 16;

export interface SessionKeys {
  readonly cipher: Buffer;
  readonly authentication: Buffer;
  readonly salt: Buffer;
}

/** The session keys for RTP or RTCP from a master key and its salt (RFC 3711, 4.3; RFC 7714, 11), at a key derivation rate of 0. */
export function deriveSessionKeys(
  suite: SrtpSuite,
  master: { readonly key: Buffer; readonly salt: Buffer },
  use: "rtp" | "rtcp",
): SessionKeys {
  const derive = (label: number, byteLength: number): Buffer => {
    const counter = Buffer.alloc(BLOCK_BYTES);
    master.salt.copy(counter, 0, 0, Math.min(master.salt.length, DERIVATION_BYTES));
    const place = counter[LABEL_PLACE] ?? 0;
    counter[LABEL_PLACE] = place ^ (use === "rtp" ? label : label + RTCP_LABELS);
    const cipher = createCipheriv(`aes-${suite.keyBytes * 8}-ctr`, master.key, counter);
    return cipher.update(Buffer.alloc(byteLength));
  };
  return {
    cipher: derive(LABELS.cipher, suite.keyBytes),
    authentication: derive(LABELS.authentication, AUTHENTICATION_KEY_BYTES),
    salt: derive(LABELS.salt, suite.saltBytes),
  };
}

/** Identifies a packet for its cipher: no two packets of one key have the same. */
export interface PacketPlace {
  readonly ssrc: number;
  /** Roll-over counter of RTP, 32 bits; 0 of RTCP. */
  readonly rollOver: number;
  /** Sequence number of RTP, or index of RTCP, which has 31 bits. */
  readonly index: number;
}

/** Encrypts or decrypts in counter mode (RFC 3711, 4.1.1): both are the same. Answers new memory. */
export function counterCrypt(suite: SrtpSuite, keys: SessionKeys, place: PacketPlace, bytes: Buffer): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  keys.salt.copy(counter);
  xorWord(counter, 4, place.ssrc);
  xorWord(counter, 8, upperWord(place));
  counter.writeUInt16BE(counter.readUInt16BE(12) ^ (place.index & 0xffff), 12);
  return createCipheriv(`aes-${suite.keyBytes * 8}-ctr`, keys.cipher, counter).update(bytes);
}

/** The first `byteLength` bytes of the tag over `pieces` in counter mode. */
export function counterTag(keys: SessionKeys, byteLength: number, pieces: readonly Buffer[]): Buffer {
  const hmac = createHmac("sha1", keys.authentication);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest().subarray(0, byteLength);
}

/** Decrypts and checks (RFC 7714, 8.1 and 9.1); undefined where the tag is not right. */
export function galoisOpen(
  suite: SrtpSuite,
  keys: SessionKeys,
  place: PacketPlace,
  sealed: { readonly clear: readonly Buffer[]; readonly bytes: Buffer; readonly tag: Buffer },
): Buffer | undefined {
  const name = suite.keyBytes === 16 ? "aes-128-gcm" : "aes-256-gcm";
  const decipher = createDecipheriv(name, keys.cipher, galoisVector(keys, place), { authTagLength: 16 });
  decipher.setAAD(Buffer.concat(sealed.clear)).setAuthTag(sealed.tag);
  const opened = decipher.update(sealed.bytes);
  try {
    decipher.final();
    return opened;
  } catch {
    // What node:crypto throws says that the tag is not right, and nothing else.
    return undefined;
  }
}

/** Encrypts; the tag follows. */
export function galoisSeal(
  suite: SrtpSuite,
  keys: SessionKeys,
  place: PacketPlace,
  plain: { readonly clear: readonly Buffer[]; readonly bytes: Buffer },
): Buffer {
  const name = suite.keyBytes === 16 ? "aes-128-gcm" : "aes-256-gcm";
  const cipher = createCipheriv(name, keys.cipher, galoisVector(keys, place), { authTagLength: 16 });
  cipher.setAAD(Buffer.concat(plain.clear));
  return Buffer.concat([cipher.update(plain.bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Two bytes of 0, the SSRC, and the 48 bits of the packet. */
function galoisVector({ salt }: SessionKeys, place: PacketPlace): Buffer {
  const vector = Buffer.from(salt);
  xorWord(vector, 2, place.ssrc);
  xorWord(vector, 6, upperWord(place));
  vector.writeUInt16BE(vector.readUInt16BE(10) ^ (place.index & 0xffff), 10);
  return vector;
}

/** The upper 32 of a packet's 48 bits: the roll-over counter of RTP, of RTCP what its index has above 16 bits. */
function upperWord({ rollOver, index }: PacketPlace): number {
  return rollOver + Math.floor(index / 0x10000);
}

function xorWord(bytes: Buffer, at: number, word: number): void {
  bytes.writeUInt32BE((bytes.readUInt32BE(at) ^ word) >>> 0, at);
}
