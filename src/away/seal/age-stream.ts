import { createCipheriv, createDecipheriv } from "node:crypto";
import { HEADER_BYTES_MAX, openHeader, type Payload, SealError } from "./age-header.js";

/** The payload of an age file: chunks of 64 KiB, each encrypted and signed for its place, so that a part can be read alone. */

export const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
const NONCE_BYTES = 12;

/** So many bytes a payload has. */
export function sealedBytesOf(plainBytes: number): number {
  return plainBytes + TAG_BYTES * Math.max(1, Math.ceil(plainBytes / CHUNK_BYTES));
}

export function sealChunk(key: Uint8Array, index: number, isLast: boolean, plain: Uint8Array): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonceOf(index, isLast), {
    authTagLength: TAG_BYTES,
  });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws SealError. */
export function openChunk(key: Uint8Array, index: number, isLast: boolean, sealed: Uint8Array): Buffer {
  const end = sealed.length - TAG_BYTES;
  try {
    const nonce = nonceOf(index, isLast);
    const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    throw new SealError("an encrypted object is damaged", { isForOthers: false });
  }
}

/** Where in an object the chunks lie that hold plain bytes `[from, to)`. */
export function sealedRange({ at }: Payload, from: number, to: number): readonly [number, number] {
  const first = Math.floor(from / CHUNK_BYTES);
  const end = Math.max(first + 1, Math.ceil(to / CHUNK_BYTES));
  return [at + first * SEALED_CHUNK_BYTES, at + end * SEALED_CHUNK_BYTES];
}

/** Plain bytes `[from, to)` of what `sealedRange` names; fewer where the object ends before. Throws SealError. */
export function openRange({ key }: Payload, sealed: Uint8Array, from: number, to: number): Buffer {
  const first = Math.floor(from / CHUNK_BYTES);
  const plain: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += SEALED_CHUNK_BYTES) {
    const chunk = sealed.subarray(at, at + SEALED_CHUNK_BYTES);
    const index = first + at / SEALED_CHUNK_BYTES;
    plain.push(openEither(key, index, chunk, at + chunk.length === sealed.length));
  }
  const begin = from - first * CHUNK_BYTES;
  return Buffer.concat(plain).subarray(begin, begin + to - from);
}

/** Whether a chunk is the last one of its object is only known for those before the end of what was fetched. */
function openEither(key: Uint8Array, index: number, chunk: Uint8Array, mayBeLast: boolean): Buffer {
  if (!mayBeLast) return openChunk(key, index, false, chunk);
  try {
    return openChunk(key, index, true, chunk);
  } catch {
    return openChunk(key, index, false, chunk);
  }
}

/** Opens a whole object, piece by piece as it comes. */
export class Unsealing {
  readonly #identities: readonly Uint8Array[];
  #held: Buffer = Buffer.alloc(0);
  #payload: Payload | undefined;
  #index = 0;

  constructor(identities: readonly Uint8Array[]) {
    this.#identities = identities;
  }

  /** The plain bytes that are known by now. Throws SealError. */
  push(piece: Uint8Array): Buffer {
    this.#held = Buffer.concat([this.#held, piece]);
    if (this.#payload === undefined) {
      if (this.#held.length < HEADER_BYTES_MAX) return Buffer.alloc(0);
      this.#open();
    }
    return this.#chunks();
  }

  /** The rest. Throws SealError where the object was cut short. */
  end(): Buffer {
    if (this.#payload === undefined) this.#open();
    const before = this.#chunks();
    const { key } = this.#opened;
    return Buffer.concat([before, openChunk(key, this.#index, true, this.#held)]);
  }

  get #opened(): Payload {
    if (this.#payload === undefined) throw new Error("the header was not read");
    return this.#payload;
  }

  #open(): void {
    const payload = openHeader(this.#held, this.#identities);
    this.#payload = payload;
    this.#held = this.#held.subarray(payload.at);
  }

  /** All but the last: only the end says which that is. */
  #chunks(): Buffer {
    const plain: Buffer[] = [];
    while (this.#held.length > SEALED_CHUNK_BYTES) {
      plain.push(openChunk(this.#opened.key, this.#index, false, this.#held.subarray(0, SEALED_CHUNK_BYTES)));
      this.#held = this.#held.subarray(SEALED_CHUNK_BYTES);
      this.#index += 1;
    }
    return Buffer.concat(plain);
  }
}

/** Eleven bytes that count, and one that marks the last chunk. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(index, NONCE_BYTES - 5);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}
