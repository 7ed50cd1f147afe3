import type { HttpResponse as LibraryResponse } from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import type { Clock, Log } from "../base/index.js";
import { guarded } from "./guarded.js";
import { SizedResponse } from "./sized-response.js";
import { StreamResponse } from "./stream-response.js";

export type Headers = readonly (readonly [name: string, value: string])[];

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Names the request in every answer. */
export const REQUEST_ID_HEADER = "X-Request-Id";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface ApiResponseOptions {
  readonly isHead: boolean;
  /** Gets what is thrown in the library's callbacks and in listeners. Must not throw. */
  readonly onFault: (error: unknown) => void;
}

/** The one answer to one request, over the HTTP library's response, whose rules (DEPENDENCIES: uWS) it keeps. */
export class ApiResponse {
  readonly #library: LibraryResponse;
  readonly #isHead: boolean;
  readonly #onFault: (error: unknown) => void;
  readonly #closeListeners: (() => void)[] = [];
  #stream: StreamResponse | undefined;
  #sized: SizedResponse | undefined;
  #state: "open" | "streaming" | "done" = "open";
  #extraHeaders: Headers = [];
  #status = 0;
  /** Whether the connection ends with the answer, since the rest of a body may follow. */
  closeWhenSent = false;

  /** Must be made inside the library's handler: it registers the abort listener, without which the process ends. */
  constructor(library: LibraryResponse, { isHead, onFault }: ApiResponseOptions) {
    this.#library = library;
    this.#isHead = isHead;
    this.#onFault = onFault;
    library.onAborted(this.guard(() => this.#finish(), undefined));
  }

  /** A callback for the HTTP library, which gets `fallback` where it throws, and the client an error or its end. */
  guard<A extends unknown[], R>(callback: (...given: A) => R, fallback: R): (...given: A) => R {
    return guarded(callback, this.#onFault, fallback);
  }

  /** Answered, or the client is gone: nothing can be sent any more. */
  get finished(): boolean {
    return this.#state === "done";
  }

  /** Nothing was answered yet. */
  get open(): boolean {
    return this.#state === "open";
  }

  /** Status of the answer; 0 before it, and when the client left first. */
  get status(): number {
    return this.#status;
  }

  /** Headers added to whatever is answered (CORS). */
  addHeaders(headers: Headers): void {
    if (headers.length === 0) return;
    this.#extraHeaders = [...this.#extraHeaders, ...headers];
  }

  /** Called once when the answer is complete or the client has gone; at once when that has happened. */
  onClose(listener: () => void): void {
    if (this.#state === "done") listener();
    else this.#closeListeners.push(listener);
  }

  /** Sends a whole answer; nothing when the client is gone. Throws TypeError on a header that could split the answer. */
  send(answer: Answer, options: { readonly closeConnection?: boolean } = {}): void {
    if (this.#state !== "open") return;
    checkHeaders(answer.headers);
    checkHeaders(this.#extraHeaders);
    this.#status = answer.status;
    this.#library.cork(() => {
      this.#writeHead(answer.status, answer.headers);
      this.#writeHeaders(this.#extraHeaders);
      if (this.#isHead) this.#endHead(answer.body.length);
      else this.#library.end(answer.body, options.closeConnection === true || this.closeWhenSent);
    });
    this.#finish();
  }

  /** Starts an endless answer. Undefined when the client is gone. The head leaves with the first unit. */
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

  /**
   * Starts an answer of a length that is known beforehand. Undefined when the client is gone. The head leaves with the
   * first bytes.
   */
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
      onClose: () => this.#finish(),
    });
    this.#sized = sized;
    return sized;
  }

  /** Answers HEAD with the length that a GET would have. */
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
    this.#library.close();
    this.#finish();
  }

  /** Ends what is under way when the service stops: a stream in good order, a request by its connection. */
  endForStop(): void {
    if (this.#stream !== undefined) this.#stream.end();
    else this.close();
  }

  /**
   * Told a length, the library waits for a body that never comes, and the connection stays open for good; told
   * none, it is done. Nothing can follow a HEAD that would be a reason to close.
   */
  #endHead(contentLength: number): void {
    this.#library.writeHeader("Content-Length", String(contentLength));
    this.#library.endWithoutBody();
  }

  #writeHead(status: number, headers: Headers): void {
    this.#library.writeStatus(statusLine(status));
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
    for (const listener of this.#closeListeners) this.guard(listener, undefined)();
    this.#closeListeners.length = 0;
  }
}

/** Sends a whole answer within the library's handler, which has corked the connection: nothing is left to wait for. */
export function sendAtOnce(library: LibraryResponse, answer: Answer, requestId: string): void {
  checkHeaders(answer.headers);
  library.writeStatus(statusLine(answer.status));
  for (const [name, value] of answer.headers) library.writeHeader(name, value);
  library.writeHeader(REQUEST_ID_HEADER, requestId);
  library.end(answer.body);
}

/** Headers of answers that are sent again and again, and were looked at. */
const CHECKED = new WeakSet<Headers>();

function checkHeaders(headers: Headers): void {
  if (CHECKED.has(headers)) return;
  headers.forEach(checkHeader);
  CHECKED.add(headers);
}

const STATUS_LINES = new Map<number, string>();

function statusLine(status: number): string {
  const known = STATUS_LINES.get(status);
  if (known !== undefined) return known;
  const line = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
  STATUS_LINES.set(status, line);
  return line;
}

/** The library writes header values as they are: a line break in one would split the answer. */
function checkHeader([name, value]: readonly [string, string]): void {
  if (!HEADER_NAME.test(name)) throw new TypeError("header name is not a token");
  if (/[^\t\x20-\x7e\x80-\uffff]/.test(value)) throw new TypeError(`header ${name} has a control character`);
}
