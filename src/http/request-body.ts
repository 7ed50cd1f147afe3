import type { HttpResponse } from "uWebSockets.js";
import { NvrdError } from "../base/index.js";
import type { ApiResponse } from "./response.js";

/** Maximum size of a request's body in bytes; 413 beyond it. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** Maximum total size of all bodies being received, in bytes; 503 beyond it. */
export const BODIES_BYTES_MAX = 32 * 1024 * 1024;

export interface BodyReceipt {
  readonly response: ApiResponse;
  /** `Content-Length` as sent. */
  readonly announced: string | undefined;
  /** Most bytes of this body. */
  readonly bytesMax: number;
  /** Called once with the complete body. */
  readonly done: (body: Uint8Array) => void;
  /** Called instead of `done`. The rest of the body still arrives, so the connection cannot be reused. */
  readonly refuse: (error: NvrdError) => void;
}

/** Receives bodies within limits: per body, and for all bodies together. */
export class BodyReceiver {
  readonly #allBytesMax: number;
  #bytes = 0;

  /** `allBytesMax`: limit for all bodies together. */
  constructor(allBytesMax: number = BODIES_BYTES_MAX) {
    this.#allBytesMax = allBytesMax;
  }

  /** Bytes of bodies being received now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Must be called inside the library's handler. */
  receive(library: HttpResponse, { response, announced, bytesMax, done, refuse }: BodyReceipt): void {
    if (Number(announced ?? 0) > bytesMax) {
      refuse(tooLarge(bytesMax));
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    const giveBack = (): void => {
      this.#bytes -= bytes;
      bytes = 0;
    };
    response.onClose(giveBack);
    const take = (chunk: ArrayBuffer, isLast: boolean): void => {
      if (refused || response.finished) return;
      bytes += chunk.byteLength;
      this.#bytes += chunk.byteLength;
      if (bytes > bytesMax || this.#bytes > this.#allBytesMax) {
        refused = true;
        chunks.length = 0;
        refuse(bytes > bytesMax ? tooLarge(bytesMax) : tooMany());
        return;
      }
      // The library reuses the chunk's memory after this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!isLast) return;
      giveBack();
      done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    library.onData(response.guard(take, undefined));
  }
}

function tooLarge(bytesMax: number): NvrdError {
  return new NvrdError("TOO_LARGE", `the body is larger than ${bytesMax} bytes`);
}

function tooMany(): NvrdError {
  return new NvrdError("NOT_AVAILABLE", "too many request bodies are being received");
}
