import { NvrdError } from "../base/index.js";
import type { ApiResponse } from "./response.js";

/** Bytes that wait for whoever takes them, beyond which the client is made to wait. */
export const BACKLOG_BYTES_MAX = 1024 * 1024;

/** What a stream needs of the HTTP library's response. */
export interface BodySource {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  pause(): void;
  resume(): void;
}

/** A body too large for memory, taken chunk by chunk; a client that is faster than its taker waits. */
export class BodyStream implements AsyncIterable<Uint8Array> {
  /** Its length as announced; undefined: not announced. */
  readonly bytes: number | undefined;
  readonly #source: BodySource;
  readonly #response: ApiResponse;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isPaused = false;
  #isWhole = false;
  #isGone = false;
  #wake: () => void = () => undefined;

  /** Must be made inside the library's handler. */
  constructor(source: BodySource, response: ApiResponse, contentLength: string | undefined) {
    // 15 digits are what a number holds exactly.
    this.bytes = /^\d{1,15}$/.test(contentLength ?? "") ? Number(contentLength) : undefined;
    this.#source = source;
    this.#response = response;
    // An answer before the end of the body leaves a connection on which the rest still comes.
    response.closeWhenSent = true;
    response.onClose(() => this.#end());
    const take = (chunk: ArrayBuffer, isLast: boolean): void => this.#take(chunk, isLast);
    source.onData(response.guard(take, undefined));
  }

  /** Once. Throws NvrdError BAD_REQUEST when the client leaves before the body is whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.#resumeWhenLow();
        yield chunk;
      } else if (this.#isWhole) return;
      else if (this.#isGone) throw new NvrdError("BAD_REQUEST", "the client left before the body was whole");
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isGone) return;
    if (chunk.byteLength > 0) {
      // The library takes the chunk's memory back after this call.
      this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
      this.#bytes += chunk.byteLength;
    }
    if (isLast) {
      this.#isWhole = true;
      this.#response.closeWhenSent = false;
    } else if (this.#bytes > BACKLOG_BYTES_MAX && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
    this.#wake();
  }

  #resumeWhenLow(): void {
    if (!this.#isPaused || this.#isGone || this.#bytes > BACKLOG_BYTES_MAX / 2) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  #end(): void {
    this.#isGone = true;
    if (!this.#isWhole) this.#chunks = [];
    this.#wake();
  }
}
