import { NvrdError } from "../base/index.js";
import type { ApiResponse } from "./response.js";

/** Maximum backlog in bytes; beyond it, reading from the client is paused. */
export const BACKLOG_BYTES_MAX = 1024 * 1024;

/** The part of the HTTP library's response that a body stream uses. */
export interface BodySource {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  pause(): void;
  resume(): void;
}

/** A body too large for memory, received chunk by chunk; reading is paused while the consumer is behind. */
export class BodyStream implements AsyncIterable<Uint8Array> {
  /** Content-Length; undefined if absent. */
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
    // A number holds 15 digits exactly.
    this.bytes = /^\d{1,15}$/.test(contentLength ?? "") ? Number(contentLength) : undefined;
    this.#source = source;
    this.#response = response;
    // If the answer is sent before the end of the body, the rest of the body still arrives on the connection.
    response.closeWhenSent = true;
    response.onClose(() => this.#end());
    const take = (chunk: ArrayBuffer, isLast: boolean): void => this.#take(chunk, isLast);
    source.onData(response.guard(take, undefined));
  }

  /** Can be iterated once. Throws NvrdError BAD_REQUEST if the client disconnects before the body is complete. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.#resumeWhenLow();
        yield chunk;
      } else if (this.#isWhole) return;
      else if (this.#isGone)
        throw new NvrdError("BAD_REQUEST", "the client disconnected before the body was complete");
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#isGone) return;
    if (chunk.byteLength > 0) {
      // The library reuses the chunk's memory after this call.
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
