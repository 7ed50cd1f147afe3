import type { Clock, ClockTimer, Log } from "../base/index.js";
import { guarded } from "./guarded.js";
import { WRITE_RETRY_MS } from "./write-retry.js";

/**
 * The part of the HTTP library's response used for a stream. Each `write` is one chunk on the wire, written as `CRLF size CRLF
 * data`; its terminator is sent with the next one.
 */
export interface ChunkSocket {
  cork(run: () => void): unknown;
  /** True: no backlog. False: the bytes were taken, a backlog exists. */
  write(chunk: Uint8Array): boolean;
  onWritable(handler: (offset: number) => boolean): unknown;
  end(): unknown;
  close(): unknown;
}

/**
 * Maximum number of bytes per cork. With the chunk framing they fit the library's 16 KiB cork buffer; its overflow loses data
 * in this version (uNetworking/uWebSockets.js#1249).
 */
export const CORK_BYTES_MAX = 16_000;

/** Room left in the first cork for the answer's header. */
const HEADER_BYTES_RESERVED = 4096;

/** Maximum number of chunks per cork; each has 12 bytes of framing. */
const CORK_WRITES_MAX = 16;

/** Number of bytes written by a retry, because the library buffers everything that it cannot send. */
const RETRY_BYTES = 256;

/**
 * A connection is closed if the client reads nothing for this long while data is waiting. A client with a large receive buffer
 * opens its window seldom: at 20 kB/s nothing moved for more than 10 s while it went on reading.
 */
export const STALL_TIMEOUT_MS_DEFAULT = 20_000;

export interface StreamResponseOptions {
  readonly socket: ChunkSocket;
  /** Writes status and headers; called inside the first cork. */
  readonly writeHead: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly stallTimeoutMs?: number;
  /** Called with exceptions of listeners that are called by the library or a timer. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

/**
 * An endless answer. Takes one unit (a part with its headers and the following boundary) at a time, writes it to the socket in
 * safe slices, and stops while the client is behind. Nothing is copied or queued here, so the unit's memory must not change
 * until it is sent.
 */
export class StreamResponse {
  readonly #socket: ChunkSocket;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stallTimeoutMs: number;
  readonly #onFault: (error: unknown) => void;
  #writeHead: (() => void) | undefined;
  #pieces: readonly Uint8Array[] = [];
  #piece = 0;
  #offset = 0;
  #blocked = false;
  #closed = false;
  /** Whether the library had sent everything before it took more, since the last check for a stall. */
  #taken = true;
  #progressUs = 0;
  #retryTimer: ClockTimer | undefined;
  #onDrain: () => void = ignore;
  readonly #closeListeners: (() => void)[] = [];

  constructor(options: StreamResponseOptions) {
    this.#socket = options.socket;
    this.#writeHead = options.writeHead;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#stallTimeoutMs = options.stallTimeoutMs ?? STALL_TIMEOUT_MS_DEFAULT;
    this.#onFault = options.onFault;
    const writable = guarded(() => this.#writable(), options.onFault, undefined);
    this.#socket.onWritable(() => {
      writable();
      return true;
    });
  }

  /** A unit is being sent or the client is behind: wait for the drain before `send`. */
  get busy(): boolean {
    return this.#blocked || this.#piece < this.#pieces.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Called when everything was taken and the client keeps up again. */
  set onDrain(listener: () => void) {
    this.#onDrain = listener;
  }

  /** Calls `listener` once when the stream has ended for any reason; at once if it already has. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /**
   * Sends one unit. True: it was sent, and the caller may reuse the memory. False: the pieces must not change until the drain
   * or the close. Throws Error if busy.
   */
  send(pieces: readonly Uint8Array[]): boolean {
    if (this.#closed) return true;
    if (this.busy) throw new Error("a unit of this stream is still being sent");
    this.#pieces = pieces;
    this.#piece = 0;
    this.#offset = 0;
    return this.#pump();
  }

  /** Ends the answer cleanly; a unit being sent is truncated. */
  end(): void {
    if (this.#closed) return;
    if (this.busy) this.#socket.close();
    else {
      this.#socket.cork(() => {
        this.#takeHead();
        this.#socket.end();
      });
    }
    this.markClosed();
  }

  /** Called by the adapter when the connection is closed. */
  markClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pieces = [];
    this.#retryTimer?.clear();
    for (const listener of this.#closeListeners) guarded(listener, this.#onFault, undefined)();
    this.#closeListeners.length = 0;
  }

  #pump(): boolean {
    while (!this.#closed && !this.#blocked && this.#piece < this.#pieces.length)
      this.#corkOnce(CORK_BYTES_MAX);
    if (this.#closed) return true;
    if (!this.busy) {
      this.#pieces = [];
      return true;
    }
    this.#watchStall();
    return false;
  }

  /** One cork of at most CORK_BYTES_MAX bytes, so that the library never splits it. */
  #corkOnce(bytesMax: number): void {
    this.#socket.cork(() => {
      let room = bytesMax - this.#takeHead();
      for (let writes = 0; writes < CORK_WRITES_MAX && room > 0; writes++) {
        const piece = this.#pieces[this.#piece];
        if (piece === undefined) return;
        const end = Math.min(piece.length, this.#offset + room);
        if (end > this.#offset) {
          const whole = this.#offset === 0 && end === piece.length;
          if (this.#socket.write(whole ? piece : piece.subarray(this.#offset, end))) this.#taken = true;
          else this.#blocked = true;
          room -= end - this.#offset;
        }
        this.#offset = end;
        if (end < piece.length) return;
        this.#piece += 1;
        this.#offset = 0;
      }
    });
  }

  #takeHead(): number {
    if (this.#writeHead === undefined) return 0;
    this.#writeHead();
    this.#writeHead = undefined;
    return HEADER_BYTES_RESERVED;
  }

  #writable(): void {
    if (this.#closed) return;
    const wasBusy = this.busy;
    this.#blocked = false;
    this.#taken = true;
    if (this.#piece < this.#pieces.length && !this.#pump()) return;
    this.#drained(wasBusy);
  }

  /** Everything was written. An empty cork makes the library send what it still holds. */
  #drained(wasBusy: boolean): void {
    this.#socket.cork(ignore);
    this.#pieces = [];
    if (wasBusy && !this.#closed) this.#onDrain();
  }

  #watchStall(): void {
    this.#noteProgress();
    if (this.#retryTimer === undefined) this.#retryIn(WRITE_RETRY_MS);
  }

  #retryIn(waitMs: number): void {
    this.#retryTimer = this.#clock.setTimeout(
      guarded(() => this.#retry(), this.#onFault, undefined),
      waitMs,
    );
  }

  #noteProgress(): void {
    if (!this.#taken) return;
    this.#taken = false;
    this.#progressUs = this.#clock.monotonicUs();
  }

  /** Only the next write shows whether the library has sent its buffer: a few bytes of this unit, or the next unit. */
  #retry(): void {
    this.#retryTimer = undefined;
    if (this.#closed || !this.busy) return;
    this.#noteProgress();
    const idleMs = (this.#clock.monotonicUs() - this.#progressUs) / 1000;
    if (idleMs >= this.#stallTimeoutMs) {
      this.#log.info({ idleMs: Math.round(idleMs) }, "the client read nothing for too long: stream closed");
      this.#socket.close();
      this.markClosed();
      return;
    }
    const waitMs = Math.max(1, Math.min(WRITE_RETRY_MS, this.#stallTimeoutMs - idleMs));
    this.#retryIn(waitMs);
    this.#blocked = false;
    if (this.#piece < this.#pieces.length) {
      this.#corkOnce(RETRY_BYTES);
      if (!this.#pump()) return;
    }
    this.#drained(true);
  }
}

function ignore(): void {
  // The default listener, and the body of a cork that only flushes.
}
