import type { Hash } from "node:crypto";
import type { ObjectBody } from "../s3/object-body.js";
import { newHeader, type Payload } from "../seal/age-header.js";
import { CHUNK_BYTES, SEALED_CHUNK_BYTES, sealChunk, sealedBytesOf } from "../seal/age-stream.js";
import { digestedBody } from "./digested-body.js";
import type { SegmentFile } from "./segment-file.js";

/**
 * A segment as an age file, encrypted while it is read: the same bytes each time, because digest and sending are two passes. Its
 * key is gone with this object: another try has another key.
 */
export class SealedFile {
  readonly bytes: number;
  readonly #file: Pick<SegmentFile, "bytes" | "chunks">;
  readonly #head: Buffer;
  readonly #payload: Payload;

  constructor(file: Pick<SegmentFile, "bytes" | "chunks">, recipients: readonly Uint8Array[]) {
    const { head, ...payload } = newHeader(recipients);
    this.#file = file;
    this.#head = head;
    this.#payload = payload;
    this.bytes = head.length + sealedBytesOf(file.bytes);
  }

  /** As `SegmentFile.body`, of the encrypted bytes. */
  async body(from: number, to: number, whole?: Hash): Promise<ObjectBody> {
    return await digestedBody(to - from, () => this.#range(from, to), whole);
  }

  async *#range(from: number, to: number): AsyncGenerator<Uint8Array> {
    const headBytes = this.#head.length;
    if (from < headBytes) yield this.#head.subarray(from, Math.min(to, headBytes));
    let index = Math.max(0, Math.floor((from - headBytes) / SEALED_CHUNK_BYTES));
    for await (const sealed of this.#sealed(index)) {
      const at = headBytes + index * SEALED_CHUNK_BYTES;
      if (at >= to) return;
      const piece = sealed.subarray(Math.max(0, from - at), to - at);
      if (piece.length > 0) yield piece;
      index += 1;
    }
  }

  /** The encrypted chunks from one on. */
  async *#sealed(first: number): AsyncGenerator<Buffer> {
    const { bytes } = this.#file;
    const { key } = this.#payload;
    let index = first;
    let held: Buffer = Buffer.alloc(0);
    for await (const piece of this.#file.chunks(first * CHUNK_BYTES, bytes)) {
      held = held.length === 0 ? Buffer.from(piece) : Buffer.concat([held, piece]);
      for (; held.length >= CHUNK_BYTES; index++) {
        const isLast = (index + 1) * CHUNK_BYTES >= bytes;
        yield sealChunk(key, index, isLast, held.subarray(0, CHUNK_BYTES));
        held = held.subarray(CHUNK_BYTES);
      }
    }
    if (held.length > 0 || bytes === 0) yield sealChunk(key, index, true, held);
  }
}
