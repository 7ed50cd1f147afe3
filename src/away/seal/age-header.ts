import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { privateKeyOf, publicKeyOf, rawPublicKey } from "./age-keys.js";

/** The header of an age file: the file's key, wrapped for each who may read it. */

const VERSION = "age-encryption.org/v1";
const WRAP_INFO = "age-encryption.org/v1/X25519";
const FILE_KEY_BYTES = 16;
const TAG_BYTES = 16;
const NONCE_BYTES = 16;
const ZERO_NONCE = Buffer.alloc(12);
/** A header of four recipients has some 500 bytes. Longer ones are not read. */
export const HEADER_BYTES_MAX = 4096;

/** What follows the header: its key, and where it begins. */
export interface Payload {
  /** Bytes before it: the header and the nonce. */
  readonly at: number;
  readonly key: Uint8Array;
}

/** It is no age file, it is damaged, or none of its keys is wrapped for us. */
export class SealError extends Error {
  /** It can be read with another key. */
  readonly isForOthers: boolean;

  constructor(message: string, options: { readonly isForOthers: boolean }) {
    super(message);
    this.name = "SealError";
    this.isForOthers = options.isForOthers;
  }
}

/** A new file's header with a key of its own, the nonce included. */
export function newHeader(recipients: readonly Uint8Array[]): { readonly head: Buffer } & Payload {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const stanzas = recipients.map((recipient) => stanzaFor(recipient, fileKey));
  const text = `${VERSION}\n${stanzas.join("")}---`;
  const nonce = randomBytes(NONCE_BYTES);
  const head = Buffer.concat([Buffer.from(`${text} ${unpadded(macOf(fileKey, text))}\n`), nonce]);
  return { head, at: head.length, key: derived(fileKey, nonce, "payload") };
}

/** Reads a header from a file's first bytes. Throws SealError. */
export function openHeader(bytes: Uint8Array, identities: readonly Uint8Array[]): Payload {
  const text = Buffer.from(bytes.subarray(0, HEADER_BYTES_MAX)).toString("latin1");
  const found =
    /^age-encryption\.org\/v1\n((?:->[\x20-\x7e]*\n(?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{0,63}\n)+)--- ([A-Za-z0-9+/]{43})\n/.exec(
      text,
    );
  const [whole = "", stanzas = "", mac = ""] = found ?? [];
  const at = whole.length + NONCE_BYTES;
  if (found === null || bytes.length < at) throw damaged("it is no age file");
  const fileKey = fileKeyIn(stanzas, identities);
  if (fileKey === undefined) throw new SealError("it is encrypted for another key", { isForOthers: true });
  const signed = whole.slice(0, whole.lastIndexOf("---") + 3);
  const expected = Buffer.from(mac, "base64");
  if (expected.length !== 32 || !timingSafeEqual(macOf(fileKey, signed), expected))
    throw damaged("its header is damaged");
  return { at, key: derived(fileKey, bytes.subarray(whole.length, at), "payload") };
}

function stanzaFor(recipient: Uint8Array, fileKey: Uint8Array): string {
  const { privateKey } = generateKeyPairSync("x25519");
  const share = rawPublicKey(privateKey);
  const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(recipient) });
  const cipher = createCipheriv("chacha20-poly1305", wrapKey(shared, share, recipient), ZERO_NONCE, {
    authTagLength: TAG_BYTES,
  });
  const wrapped = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
  return `-> X25519 ${unpadded(share)}\n${unpadded(wrapped)}\n`;
}

function fileKeyIn(stanzas: string, identities: readonly Uint8Array[]): Uint8Array | undefined {
  for (const [, share = "", body = ""] of stanzas.matchAll(
    /-> X25519 ([A-Za-z0-9+/]{43})\n([A-Za-z0-9+/]{43})\n/g,
  ))
    for (const identity of identities) {
      const fileKey = unwrapped(Buffer.from(share, "base64"), Buffer.from(body, "base64"), identity);
      if (fileKey !== undefined) return fileKey;
    }
  return undefined;
}

/** Undefined: it is wrapped for another key. */
function unwrapped(share: Buffer, body: Buffer, identity: Uint8Array): Uint8Array | undefined {
  try {
    const privateKey = privateKeyOf(identity);
    const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(share) });
    const key = wrapKey(shared, share, rawPublicKey(privateKey));
    const decipher = createDecipheriv("chacha20-poly1305", key, ZERO_NONCE, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(body.subarray(FILE_KEY_BYTES));
    return Buffer.concat([decipher.update(body.subarray(0, FILE_KEY_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function wrapKey(shared: Uint8Array, share: Uint8Array, recipient: Uint8Array): Uint8Array {
  return derived(shared, Buffer.concat([share, recipient]), WRAP_INFO);
}

function derived(key: Uint8Array, salt: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, info, 32));
}

function macOf(fileKey: Uint8Array, text: string): Buffer {
  return createHmac("sha256", derived(fileKey, new Uint8Array(), "header"))
    .update(text, "latin1")
    .digest();
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

function damaged(message: string): SealError {
  return new SealError(message, { isForOthers: false });
}
