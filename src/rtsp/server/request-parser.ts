import {
  REQUEST_HEADER_BYTES_MAX,
  RequestError,
  readRequestHead,
  type ServerRequest,
} from "./server-request.js";

export const REQUEST_BODY_BYTES_MAX = 64 * 1024;

/** What a client sends: a request, or an interleaved packet (its RTCP). */
export type ClientItem =
  | { readonly kind: "request"; readonly request: ServerRequest }
  | { readonly kind: "interleaved"; readonly channel: number; readonly bytes: number };

const DOLLAR = 0x24;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const INTERLEAVED_HEADER_BYTES = 4;
const BYTES_INITIAL = 2048;

/** A complete header block that waits for its body. */
interface PendingHead {
  readonly head: ReturnType<typeof readRequestHead>;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/**
 * Splits the bytes of one client connection into requests and interleaved packets, wherever reads divide them. Holds at
 * most one header block and body plus one read. Throws RequestError if the bytes cannot be parsed any further: then
 * send the error response and close the connection.
 */
export class RequestParser {
  #memory = Buffer.alloc(BYTES_INITIAL);
  #start = 0;
  #end = 0;
  /** Searched up to here for the end of the header. */
  #searched = 0;
  #pending: PendingHead | undefined;

  /** Bytes of an item that is not complete yet. */
  get pendingBytes(): number {
    return this.#end - this.#start;
  }

  push(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#memory.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The next complete item; undefined when more bytes are needed. Throws RequestError. */
  next(): ClientItem | undefined {
    if (this.#pending !== undefined) return this.#takeRequest(this.#pending);
    this.#skipLineEnds();
    if (this.#start === this.#end) return undefined;
    return this.#memory[this.#start] === DOLLAR ? this.#takeInterleaved() : this.#takeHead();
  }

  #takeInterleaved(): ClientItem | undefined {
    if (this.pendingBytes < INTERLEAVED_HEADER_BYTES) return undefined;
    const bytes = this.#memory.readUInt16BE(this.#start + 2);
    if (this.pendingBytes < INTERLEAVED_HEADER_BYTES + bytes) return undefined;
    const channel = this.#memory[this.#start + 1] ?? 0;
    this.#consume(INTERLEAVED_HEADER_BYTES + bytes);
    return { kind: "interleaved", channel, bytes };
  }

  #takeHead(): ClientItem | undefined {
    const bodyStart = this.#endOfHead();
    const headBytes = (bodyStart ?? this.#end) - this.#start;
    if (headBytes > REQUEST_HEADER_BYTES_MAX)
      throw new RequestError(413, "the request's header is too large");
    if (bodyStart === undefined) return undefined;
    const head = readRequestHead(this.#memory.toString("utf8", this.#start, bodyStart));
    this.#pending = { head, bodyStart, bodyEnd: bodyStart + bodyBytes(head.headers.get("content-length")) };
    return this.#takeRequest(this.#pending);
  }

  #takeRequest(pending: PendingHead): ClientItem | undefined {
    if (this.#end < pending.bodyEnd) return undefined;
    const body = Buffer.from(this.#memory.subarray(pending.bodyStart, pending.bodyEnd));
    this.#pending = undefined;
    this.#consume(pending.bodyEnd - this.#start);
    return { kind: "request", request: { ...pending.head, body } };
  }

  /** Position after the empty line that ends the header; line ends are CRLF or LF. */
  #endOfHead(): number | undefined {
    for (let at = Math.max(this.#searched, this.#start); ; ) {
      const lineFeed = this.#memory.subarray(0, this.#end).indexOf(LINE_FEED, at);
      if (lineFeed === -1) {
        this.#searched = this.#end;
        return undefined;
      }
      let next = lineFeed + 1;
      if (next < this.#end && this.#memory[next] === CARRIAGE_RETURN) next++;
      if (next >= this.#end) {
        this.#searched = lineFeed;
        return undefined;
      }
      if (this.#memory[next] === LINE_FEED) return next + 1;
      at = lineFeed + 1;
    }
  }

  /** Clients may send line ends between requests (RFC 2326, 4.1: servers ignore them). */
  #skipLineEnds(): void {
    while (this.#start < this.#end) {
      const byte = this.#memory[this.#start];
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) return;
      this.#consume(1);
    }
  }

  #consume(byteLength: number): void {
    this.#start += byteLength;
    this.#searched = this.#start;
    if (this.#start < this.#end) return;
    this.#start = 0;
    this.#end = 0;
    this.#searched = 0;
  }

  #makeRoom(byteLength: number): void {
    if (this.#end + byteLength <= this.#memory.length) return;
    const needed = this.pendingBytes + byteLength;
    const target =
      needed <= this.#memory.length ? this.#memory : Buffer.alloc(Math.max(needed, this.#memory.length * 2));
    this.#memory.copy(target, 0, this.#start, this.#end);
    const moved = this.#start;
    this.#memory = target;
    this.#start = 0;
    this.#end -= moved;
    this.#searched = Math.max(0, this.#searched - moved);
    if (this.#pending === undefined) return;
    const { head, bodyStart, bodyEnd } = this.#pending;
    this.#pending = { head, bodyStart: bodyStart - moved, bodyEnd: bodyEnd - moved };
  }
}

function bodyBytes(contentLength: string | undefined): number {
  if (contentLength === undefined) return 0;
  if (!/^\d{1,10}$/.test(contentLength)) throw new RequestError(400, "Content-Length is not a number");
  const bytes = Number(contentLength);
  if (bytes > REQUEST_BODY_BYTES_MAX) throw new RequestError(413, "the request's body is too large");
  return bytes;
}
