import type { HttpResponse as LibraryResponse } from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import { type Clock, type Log, NvrdError } from "../base/index.js";
import { guarded } from "./guarded.js";
import { SizedResponse } from "./sized-response.js";
import {
  SocketClose,
  SocketConnection,
  type SocketData,
  type SocketListener,
  type SocketUpgrade,
} from "./socket-connection.js";
import { StreamResponse } from "./stream-response.js";

export type Headers = readonly (readonly [name: string, value: string])[];

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** The header with the request id, present in every answer. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** Of every answer: a browser takes it for what its Content-Type says (Fetch Standard, X-Content-Type-Options). */
const NO_SNIFFING = ["X-Content-Type-Options", "nosniff"] as const;

/** No Content and Not Modified have no body, and no length of one (RFC 9110, 8.6). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface ApiResponseOptions {
  readonly isHead: boolean;
  /** The library itself speaks TLS on this connection. */
  readonly overTls: boolean;
  /** The client asks for a WebSocket. */
  readonly upgrade?: SocketUpgrade | undefined;
  /** Called with exceptions in the library's callbacks and in listeners. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

/** The answer to one request. It wraps the HTTP library's response and keeps its rules (DEPENDENCIES: uWS). */
export class ApiResponse {
  readonly #library: LibraryResponse;
  readonly #isHead: boolean;
  readonly #overTls: boolean;
  readonly #upgrade: SocketUpgrade | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #closeListeners: (() => void)[] = [];
  #stream: StreamResponse | undefined;
  #sized: SizedResponse | undefined;
  #socket: SocketConnection | undefined;
  #state: "open" | "streaming" | "done" = "open";
  #extraHeaders: Headers = [];
  #status = 0;
  /** Whether the connection is closed after the answer, because the rest of a body may follow. */
  closeWhenSent = false;

  /** Must be created inside the library's handler: it registers the abort listener, without which the process ends. */
  constructor(library: LibraryResponse, { isHead, overTls, upgrade, onFault }: ApiResponseOptions) {
    this.#library = library;
    this.#isHead = isHead;
    this.#overTls = overTls;
    this.#upgrade = upgrade;
    this.#onFault = onFault;
    library.onAborted(this.guard(() => this.#finish(), undefined));
  }

  /**
   * Wraps a callback for the HTTP library. If it throws, the library gets `fallback`, and the client an error or a closed
   * connection.
   */
  guard<A extends unknown[], R>(callback: (...given: A) => R, fallback: R): (...given: A) => R {
    return guarded(callback, this.#onFault, fallback);
  }

  /** Answered, or the client disconnected: nothing more can be sent. */
  get finished(): boolean {
    return this.#state === "done";
  }

  /** Nothing has been sent yet. */
  get open(): boolean {
    return this.#state === "open";
  }

  /** Status of the answer; 0 before it, and if the client disconnected first. */
  get status(): number {
    return this.#status;
  }

  /** Adds headers to the answer, whatever it is (CORS). */
  addHeaders(headers: Headers): void {
    if (headers.length === 0) return;
    this.#extraHeaders = this.#extraHeaders.length === 0 ? headers : [...this.#extraHeaders, ...headers];
  }

  /** Calls `listener` once when the answer is complete or the client disconnected; at once if it already is. */
  onClose(listener: () => void): void {
    if (this.#state === "done") listener();
    else this.#closeListeners.push(listener);
  }

  /**
   * Sends a complete answer; does nothing if the client disconnected. Throws TypeError for a header that could split the
   * answer.
   */
  send(answer: Answer, options: { readonly closeConnection?: boolean } = {}): void {
    if (this.#state !== "open") return;
    checkHeaders(answer.headers);
    checkHeaders(this.#extraHeaders);
    this.#status = answer.status;
    this.#library.cork(() => {
      this.#writeHead(answer.status, answer.headers);
      this.#writeHeaders(this.#extraHeaders);
      if (WITHOUT_BODY.has(answer.status)) this.#library.endWithoutBody();
      else if (this.#isHead) this.#endHead(answer.body.length);
      else this.#library.end(answer.body, options.closeConnection === true || this.closeWhenSent);
    });
    this.#finish();
  }

  /** Starts an endless answer. Undefined if the client disconnected. The head is sent with the first unit. */
  startStream(
    headers: Headers,
    options: { readonly clock: Clock; readonly log: Log },
  ): StreamResponse | undefined {
    if (this.#state !== "open") return undefined;
    const all = [...headers, ...this.#extraHeaders];
    checkHeaders(all);
    this.#state = "streaming";
    this.#status = 200;
    const stream = new StreamResponse({
      socket: this.#library,
      writeHead: () => this.#writeHead(200, all),
      onFault: this.#onFault,
      ...options,
    });
    this.#stream = stream;
    stream.onClose(() => this.#finish());
    return stream;
  }

  /** Starts an answer of known length. Undefined if the client disconnected. The head is sent with the first bytes. */
  startSized(head: {
    readonly status: number;
    readonly headers: Headers;
    readonly totalBytes: number;
    readonly clock: Clock;
  }): SizedResponse | undefined {
    if (this.#state !== "open") return undefined;
    const all = [...head.headers, ...this.#extraHeaders];
    checkHeaders(all);
    this.#state = "streaming";
    this.#status = head.status;
    const sized = new SizedResponse({
      socket: this.#library,
      writeHead: () => this.#writeHead(head.status, all),
      totalBytes: head.totalBytes,
      clock: head.clock,
      overTls: this.#overTls,
      onClose: () => this.#finish(),
    });
    this.#sized = sized;
    return sized;
  }

  /**
   * Makes the connection a WebSocket of the subprotocol. Undefined if the client disconnected. Throws NvrdError BAD_REQUEST if
   * it did not ask for one.
   */
  startSocket(
    protocol: string,
    options: { readonly listener: SocketListener; readonly clock: Clock },
  ): SocketConnection | undefined {
    const { context, key, extensions } = requireUpgrade(this.#upgrade, protocol);
    if (this.#state !== "open") return undefined;
    checkHeaders(this.#extraHeaders);
    this.#state = "streaming";
    this.#status = 101;
    const connection = new SocketConnection({ ...options, protocol, onFault: this.#onFault });
    this.#socket = connection;
    connection.onClose(() => this.#finish());
    this.#library.cork(() => {
      this.#writeHead(this.#status, this.#extraHeaders);
      const data: SocketData = { connection };
      this.#library.upgrade(data, key, protocol, extensions, context);
    });
    return connection;
  }

  /** Throws NvrdError BAD_REQUEST where the client asks for no WebSocket of the subprotocol. */
  requireSocket(protocol: string): void {
    requireUpgrade(this.#upgrade, protocol);
  }

  /** Answers HEAD with the length of the GET answer. */
  sendHead(head: { readonly status: number; readonly headers: Headers; readonly totalBytes: number }): void {
    if (this.#state !== "open") return;
    const all = [...head.headers, ...this.#extraHeaders];
    checkHeaders(all);
    this.#status = head.status;
    this.#library.cork(() => {
      this.#writeHead(head.status, all);
      this.#endHead(head.totalBytes);
    });
    this.#finish();
  }

  /** Closes the connection without an answer. */
  close(): void {
    if (this.#state === "done") return;
    // The library's answer is no more once the connection is a WebSocket.
    if (this.#socket !== undefined)
      this.#socket.close(SocketClose.goingAway, "the request failed inside the service");
    else this.#library.close();
    this.#finish();
  }

  /** Ends the answer when the service stops: a stream is ended cleanly; the connection of any other request is closed. */
  endForStop(): void {
    if (this.#socket !== undefined) this.#socket.close(SocketClose.goingAway, "the service is stopping");
    else if (this.#stream !== undefined) this.#stream.end();
    else this.close();
  }

  /**
   * Given a length, the library would wait for a body that never comes, and keep the connection open forever. A HEAD request
   * has no body, so there is no reason to close the connection.
   */
  #endHead(contentLength: number): void {
    this.#library.writeHeader("Content-Length", String(contentLength));
    this.#library.endWithoutBody();
  }

  #writeHead(status: number, headers: Headers): void {
    this.#library.writeStatus(statusLine(status));
    this.#library.writeHeader(...NO_SNIFFING);
    this.#writeHeaders(headers);
  }

  #writeHeaders(headers: Headers): void {
    for (const [name, value] of headers) this.#library.writeHeader(name, value);
  }

  #finish(): void {
    if (this.#state === "done") return;
    this.#state = "done";
    this.#stream?.markClosed();
    this.#sized?.markClosed();
    for (const listener of this.#closeListeners) this.#callGuarded(listener);
    this.#closeListeners.length = 0;
  }

  #callGuarded(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#onFault(error);
    }
  }
}

/** The upgrade that was asked for. Throws NvrdError BAD_REQUEST without one, or for another subprotocol. */
function requireUpgrade(upgrade: SocketUpgrade | undefined, protocol: string): SocketUpgrade {
  if (upgrade === undefined) {
    throw new NvrdError("BAD_REQUEST", "this is the address of a WebSocket", {
      hint: `open it as one (Upgrade: websocket, Sec-WebSocket-Version: 13), with the subprotocol ${protocol}`,
    });
  }
  const offered = upgrade.protocols.split(",").map((name) => name.trim());
  if (offered.includes(protocol)) return upgrade;
  throw new NvrdError("BAD_REQUEST", `the WebSocket does not offer the subprotocol ${protocol}`, {
    hint: `name it in Sec-WebSocket-Protocol; in a browser: new WebSocket(url, "${protocol}")`,
  });
}

/** Sends a complete answer inside the library's handler, which has corked the connection, so no listeners are needed. */
export function sendAtOnce(library: LibraryResponse, answer: Answer, requestId: string): void {
  checkRepeated(answer.headers);
  library.writeStatus(statusLine(answer.status));
  library.writeHeader(...NO_SNIFFING);
  for (const [name, value] of answer.headers) library.writeHeader(name, value);
  library.writeHeader(REQUEST_ID_HEADER, requestId);
  library.end(answer.body);
}

/** Headers of repeated answers that were already checked. Those of other answers are not noted: that takes longer than checking. */
const CHECKED = new WeakSet<Headers>();

function checkRepeated(headers: Headers): void {
  if (CHECKED.has(headers)) return;
  checkHeaders(headers);
  CHECKED.add(headers);
}

function checkHeaders(headers: Headers): void {
  for (const header of headers) checkHeader(header);
}

const STATUS_LINES = new Map<number, string>();

function statusLine(status: number): string {
  const known = STATUS_LINES.get(status);
  if (known !== undefined) return known;
  const line = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
  STATUS_LINES.set(status, line);
  return line;
}

/** The library writes header values unchecked: a line break would split the answer. */
function checkHeader([name, value]: readonly [string, string]): void {
  if (!HEADER_NAME.test(name)) throw new TypeError("header name is not a token");
  if (/[^\t\x20-\x7e\x80-\uffff]/.test(value)) throw new TypeError(`header ${name} has a control character`);
}
