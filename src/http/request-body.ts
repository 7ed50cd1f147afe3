import type { HttpResponse } from "uWebSockets.js";
import { NvrdError } from "../base/index.js";
import type { ApiResponse } from "./response.js";

/** Most bytes of a request's body; 413 beyond it. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** Most bytes of all bodies being received at once; 503 beyond it. */
export const BODIES_BYTES_MAX = 32 * 1024 * 1024;

export interface BodyReceipt {
  readonly response: ApiResponse;
  /** What `Content-Length` announces, as sent. */
  readonly announced: string | undefined;
  /** Gets the whole body once. */
  readonly done: (body: Uint8Array) => void;
  /** Called instead of `done`; the rest of the body still comes, so the connection cannot be used again. */
  readonly refuse: (error: NvrdError) => void;
}

/** Receives bodies within bounds: one body's, and those of all that are under way. */
export class BodyReceiver {
  #bytes = 0;

  /** Bytes of bodies being received now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Must be called inside the library's handler. */
  receive(library: HttpResponse, { response, announced, done, refuse }: BodyReceipt): void {
    if (Number(announced ?? 0) > BODY_BYTES_MAX) {
      refuse(tooLarge());
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
      if (bytes > BODY_BYTES_MAX || this.#bytes > BODIES_BYTES_MAX) {
        refused = true;
        chunks.length = 0;
        refuse(bytes > BODY_BYTES_MAX ? tooLarge() : tooMany());
        return;
      }
      // The library takes the chunk's memory back after this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!isLast) return;
      giveBack();
      done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    library.onData(response.guard(take, undefined));
  }
}

function tooLarge(): NvrdError {
  return new NvrdError("TOO_LARGE", `the body is larger than ${BODY_BYTES_MAX} bytes`);
}

function tooMany(): NvrdError {
  return new NvrdError("NOT_AVAILABLE", "too many bodies are being received at once");
}
