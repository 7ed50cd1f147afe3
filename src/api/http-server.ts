import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js";
import { type Clock, errorText, type Log, NvrdError } from "../base/index.js";
import { answerError } from "./error-answer.js";
import { ApiRequest, hasRepeatedHeader, type RawRequest } from "./request.js";
import { ApiResponse } from "./response.js";

/** Most bytes of request line and headers; the library answers 431 beyond it. */
export const HEADER_BYTES_MAX = 16_384;

// The library reads its limit once, while it loads: set it before, hence the import at run time.
process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(HEADER_BYTES_MAX);
const uws = await import("uWebSockets.js");

/** Most bytes of a request's body; 413 beyond it. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** Most bytes of all bodies being received at once; 503 beyond it. */
export const BODIES_BYTES_MAX = 32 * 1024 * 1024;
/** Most connections of one port; a further one is closed at once. */
export const CONNECTIONS_MAX = 1024;
/** How long `stop` gives the last bytes to leave before it cuts what is still open. */
const STOP_WAIT_MS = 250;
const STOP_POLL_MS = 10;

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it two processes share a port and each gets half of the requests. */
const LISTEN_EXCLUSIVE_PORT = 1;
/** LIBUS_LISTEN_DEFAULT: the port may be shared by those who all say so. */
const LISTEN_SHARED_PORT = 0;

/** Answers through `response`; what it throws or rejects with becomes an error answer. */
export type RequestHandler = (request: ApiRequest, response: ApiResponse) => void | Promise<void>;

export interface HttpServerOptions {
  readonly handler: RequestHandler;
  readonly clock: Clock;
  readonly log: Log;
  /** HTTPS instead of HTTP: PEM files. */
  readonly tls?: { readonly keyFile: string; readonly certificateFile: string };
  readonly connectionsMax?: number;
}

/** The library's `listen` with host and options, which its types leave out. */
interface HostListener {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ): unknown;
}

/**
 * The one adapter over uWebSockets.js: every rule that keeps the library from ending the process or mixing up
 * requests is kept here and in `response.ts`, so that no endpoint needs to know it.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #app: TemplatedApp;
  readonly #open = new Set<ApiResponse>();
  readonly #connectionsMax: number;
  #listenSocket: us_listen_socket | undefined;
  #connections = 0;
  #bodiesBytes = 0;
  #requests = 0;
  #stopping = false;

  /** Throws NvrdError SETTINGS_INVALID when certificate and key cannot be used. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.#app = createApp(options.tls);
    const countConnection = (connection: HttpResponse, change: number): void => {
      this.#connections += change;
      if (change > 0 && this.#connections > this.#connectionsMax) connection.close();
    };
    this.#app.filter(countConnection);
    this.#app.any("/*", (library, request) => this.#receive(library, request));
  }

  /** Connections open now. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Listens on `host` (an address) and `port` (0: one the kernel chooses) for this process alone; answers the port.
   * Throws NvrdError NOT_AVAILABLE when the port is busy or needs privileges, SETTINGS_INVALID when it is none.
   */
  listen(host: string, port: number): number {
    const socket = this.#listenWith(host, port, LISTEN_EXCLUSIVE_PORT);
    if (this.#options.tls === undefined) {
      this.#listenSocket = socket;
      return uws.us_socket_local_port(socket);
    }
    // A port with open connections can be taken over only where it was listened on as a shared one. That nobody
    // else has it, the exclusive socket has just shown.
    const taken = uws.us_socket_local_port(socket);
    uws.us_listen_socket_close(socket);
    return this.takeOver(host, taken);
  }

  /** Listens beside another server of this process on its port. Throws as `listen`. HTTPS only. */
  takeOver(host: string, port: number): number {
    this.#listenSocket = this.#listenWith(host, port, LISTEN_SHARED_PORT);
    return uws.us_socket_local_port(this.#listenSocket);
  }

  #listenWith(host: string, port: number, options: number): us_listen_socket {
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new NvrdError("SETTINGS_INVALID", `port ${port} is not a number from 0 to 65535`);
    }
    let listened: us_listen_socket | false = false;
    const app = this.#app as unknown as HostListener;
    app.listen(host, port, options, (socket) => {
      listened = socket;
    });
    if (listened === false) {
      throw new NvrdError(
        "NOT_AVAILABLE",
        `cannot listen on ${host} port ${port}: it is in use or privileged`,
      );
    }
    return listened;
  }

  /** Takes no more connections; those it has go on. */
  stopAccepting(): void {
    if (this.#listenSocket !== undefined) uws.us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  /** Stops accepting, ends open streams in good order, waits a moment for the rest, then closes it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.stopAccepting();
    for (const response of [...this.#open]) response.endForStop();
    for (let waitedMs = 0; waitedMs < STOP_WAIT_MS && this.#connections > 0; waitedMs += STOP_POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
    }
    this.#app.close();
  }

  #receive(library: HttpResponse, libraryRequest: HttpRequest): void {
    const isHead = libraryRequest.getMethod() === "head";
    const response = new ApiResponse(library, { isHead });
    this.#open.add(response);
    response.onClose(() => this.#open.delete(response));
    const id = this.#nextId();
    try {
      const raw = copyRequest(library, libraryRequest);
      if (hasRepeatedHeader(raw.headers)) {
        this.#options.log.warn({ request: id }, "request repeats a header that must stand alone: closed");
        response.close();
      } else if (this.#stopping) {
        throw new NvrdError("NOT_AVAILABLE", "the service is stopping");
      } else if (BODY_METHODS.has(raw.method)) {
        this.#collectBody(library, raw, (body) => this.#dispatch(id, { ...raw, body }, response), response);
      } else this.#dispatch(id, raw, response);
    } catch (error) {
      this.#fail(id, response, libraryRequest.getUrl(), error);
    }
  }

  #dispatch(id: string, raw: RawRequest, response: ApiResponse): void {
    try {
      const request = new ApiRequest(id, raw);
      const done = this.#options.handler(request, response);
      if (done instanceof Promise) done.catch((error) => this.#fail(id, response, raw.url, error));
    } catch (error) {
      this.#fail(id, response, raw.url, error);
    }
  }

  #collectBody(
    library: HttpResponse,
    raw: RawRequest,
    done: (body: Uint8Array) => void,
    response: ApiResponse,
  ): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    const giveBack = (): void => {
      this.#bodiesBytes -= bytes;
      bytes = 0;
    };
    response.onClose(giveBack);
    library.onData((chunk, isLast) => {
      if (refused || response.finished) return;
      bytes += chunk.byteLength;
      this.#bodiesBytes += chunk.byteLength;
      const tooLarge = bytes > BODY_BYTES_MAX;
      if (tooLarge || this.#bodiesBytes > BODIES_BYTES_MAX) {
        refused = true;
        chunks.length = 0;
        const error = tooLarge
          ? new NvrdError("TOO_LARGE", `the body is larger than ${BODY_BYTES_MAX} bytes`)
          : new NvrdError("NOT_AVAILABLE", "too many bodies are being received at once");
        // The rest of the body is still coming: the connection cannot be used again.
        response.send(answerError(error, raw.url), { closeConnection: true });
        return;
      }
      // The library takes the chunk's memory back after this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!isLast) return;
      giveBack();
      done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
  }

  #fail(id: string, response: ApiResponse, url: string, error: unknown): void {
    if (!(error instanceof NvrdError) || error.status >= 500) {
      this.#options.log.error({ request: id, err: error, reason: errorText(error) }, "request failed");
    }
    try {
      if (response.open) response.send(answerError(error, url, id));
      else response.close();
    } catch (fault) {
      this.#options.log.error({ request: id, err: fault }, "cannot answer: connection closed");
      response.close();
    }
  }

  #nextId(): string {
    this.#requests += 1;
    return `${PROCESS_ID}-${this.#requests.toString(36)}`;
  }
}

const BODY_METHODS = new Set(["post", "put", "patch", "delete"]);

/** Tells the requests of one run of the service from those of the next. */
const PROCESS_ID = Math.floor(Date.now() / 1000).toString(36);

function createApp(tls: HttpServerOptions["tls"]): TemplatedApp {
  if (tls === undefined) return uws.App();
  try {
    return uws.SSLApp({ key_file_name: tls.keyFile, cert_file_name: tls.certificateFile });
  } catch (cause) {
    const message = `HTTPS cannot use certificate ${tls.certificateFile} and key ${tls.keyFile}`;
    throw new NvrdError("SETTINGS_INVALID", message, { cause });
  }
}

/** Copies what the library lends only during its handler. */
function copyRequest(library: HttpResponse, request: HttpRequest): RawRequest {
  const headers: [string, string][] = [];
  request.forEach((name, value) => {
    headers.push([name, value]);
  });
  return {
    method: request.getMethod(),
    url: request.getUrl(),
    query: request.getQuery() ?? "",
    headers,
    address: Buffer.from(library.getRemoteAddressAsText()).toString(),
    body: NO_BODY,
  };
}

const NO_BODY = new Uint8Array(0);
