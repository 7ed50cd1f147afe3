import type { Clock } from "../base/index.js";
import { CORK_BYTES_MAX } from "./stream-response.js";
import { WRITE_RETRY_MS } from "./write-retry.js";

/** The part of the HTTP library's response used for an answer of known length. */
export interface SizedSocket {
  cork(run: () => void): unknown;
  /** Takes as much as fits; the rest must be passed again, from `getWriteOffset` on. */
  tryEnd(chunk: Uint8Array, totalBytes: number): [ok: boolean, done: boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): unknown;
  close(): unknown;
}

/** Shorter pieces are combined before they are written. */
const SMALL_PIECE_BYTES_MAX = 4096;
/**
 * A connection is closed if the client reads nothing for this long. Downloads can be resumed, and a paused player requests the
 * rest again.
 */
export const SIZED_STALL_MS = 60_000;
/** Room left in the first cork for the answer's header. */
const HEADER_BYTES_RESERVED = 4096;

export interface SizedResponseOptions {
  readonly socket: SizedSocket;
  /** Writes status and headers without Content-Length; called inside the first cork. */
  readonly writeHead: () => void;
  readonly totalBytes: number;
  readonly clock: Clock;
  /**
   * The library encrypts what it sends: then it wants a piece that was not taken again with the same length, and takes pieces of
   * one record of TLS. Otherwise pieces of any length go to the kernel as they are, and what it does not take stays here.
   */
  readonly overTls: boolean;
  /** Called once, when everything was sent or the client disconnected. */
  readonly onClose: () => void;
}

/** An answer of known length. Nothing is queued: the writer waits until the connection has taken the data. */
export class SizedResponse {
  readonly #options: SizedResponseOptions;
  /** Made for the first short piece. */
  #small: Buffer | undefined;
  #smallBytes = 0;
  #headWritten = false;
  #listensToRoom = false;
  #sentBytes = 0;
  #closed = false;
  #progressUs: number;
  #wake: (() => void) | undefined;

  constructor(options: SizedResponseOptions) {
    this.#options = options;
    this.#progressUs = options.clock.monotonicUs();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes taken by the connection. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get isWhole(): boolean {
    return this.#sentBytes === this.#options.totalBytes;
  }

  /** Resolves when the memory of the piece may be reused; false if the client disconnected. One call at a time. */
  async write(piece: Uint8Array): Promise<boolean> {
    if (piece.length >= SMALL_PIECE_BYTES_MAX) return (await this.flush()) && (await this.#send(piece));
    if (this.#smallBytes + piece.length > CORK_BYTES_MAX && !(await this.flush())) return false;
    this.#small ??= Buffer.allocUnsafeSlow(CORK_BYTES_MAX);
    this.#small.set(piece, this.#smallBytes);
    this.#smallBytes += piece.length;
    return !this.#closed;
  }

  /** Writes the combined pieces; must be the last call of an answer. */
  async flush(): Promise<boolean> {
    const bytes = this.#small?.subarray(0, this.#smallBytes);
    this.#smallBytes = 0;
    return bytes === undefined ? !this.#closed : await this.#send(bytes);
  }

  /** Aborts the answer. The client detects that it is incomplete by its length. */
  abort(): void {
    if (this.#closed) return;
    this.#options.socket.close();
    this.markClosed();
  }

  /** Called by the adapter when the connection is closed. */
  markClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake?.();
    this.#options.onClose();
  }

  async #send(piece: Uint8Array): Promise<boolean> {
    let at = 0;
    while (at < piece.length && !this.#closed) {
      const { taken, blocked } = this.#corkOnce(piece, at);
      at += taken;
      if (taken > 0) this.#progressUs = this.#options.clock.monotonicUs();
      else if (this.#isStalled) this.abort();
      if (this.isWhole) this.markClosed();
      else if (blocked && !this.#closed) await this.#drained();
    }
    return at === piece.length;
  }

  /**
   * One cork. Head and small pieces fit the library's buffer. A larger piece bypasses it: `tryEnd` counts what the kernel took, and
   * the library keeps and drops nothing of it, unlike `write` (CORK_BYTES_MAX).
   */
  #corkOnce(piece: Uint8Array, from: number): { readonly taken: number; readonly blocked: boolean } {
    const { socket, totalBytes, writeHead, overTls } = this.#options;
    const piecesMax = overTls ? CORK_BYTES_MAX : Number.POSITIVE_INFINITY;
    const before = this.#sentBytes;
    let blocked = false;
    socket.cork(() => {
      const room = this.#headWritten ? piecesMax : CORK_BYTES_MAX - HEADER_BYTES_RESERVED;
      if (!this.#headWritten) writeHead();
      this.#headWritten = true;
      const slice = piece.subarray(from, from + room);
      const [ok, done] = socket.tryEnd(slice, totalBytes);
      this.#sentBytes = done ? totalBytes : socket.getWriteOffset();
      blocked = !ok && !done;
    });
    return { taken: this.#sentBytes - before, blocked };
  }

  readonly #onWritable = (): boolean => {
    this.#wake?.();
    return true;
  };

  get #isStalled(): boolean {
    return this.#options.clock.monotonicUs() - this.#progressUs > SIZED_STALL_MS * 1000;
  }

  /** Resolves when the connection takes more, or when it is time to retry. */
  #drained(): Promise<void> {
    // Not before: most answers fit, and a listener of the library's costs as much as a short answer's headers.
    if (!this.#listensToRoom) this.#options.socket.onWritable(this.#onWritable);
    this.#listensToRoom = true;
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.clear();
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#options.clock.setTimeout(wake, WRITE_RETRY_MS);
      this.#wake = wake;
    });
  }
}
