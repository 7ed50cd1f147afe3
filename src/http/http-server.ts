import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
} from "uWebSockets.js";
import { type Clock, errorText, type Log, NvrdError, RequestTurns, readPlainSync } from "../base/index.js";
import { BodyStream } from "./body-stream.js";
import { PEM_BYTES_MAX } from "./certificate/tls-certificate.js";
import { ConnectionCounter } from "./connection-counter.js";
import { answerError } from "./error-answer.js";
import { IdleConnections } from "./idle-connections.js";
import { KernelConnections } from "./kernel-connections.js";
import { httpLibrary, setTimeouts } from "./library.js";
import { RememberedRequests } from "./remembered-requests.js";
import {
  ApiRequest,
  framingFault,
  normalizeAddress,
  type RawRequest,
  type RequestContent,
} from "./request.js";
import { BODY_BYTES_MAX, BodyReceiver } from "./request-body.js";
import { type Answer, ApiResponse, type Headers, REQUEST_ID_HEADER, sendAtOnce } from "./response.js";
import { type SocketData, type SocketUpgrade, socketBehavior } from "./socket-connection.js";
import { HANDSHAKE_MS, STRANGERS_OVER_TLS_MAX, StrangerHandshakes } from "./stranger-handshakes.js";
import { TrustedProxies } from "./trusted-proxies.js";

const NO_BODY = new Uint8Array(0);
/** Methods whose body is received; the body of others is ignored. */
const BODY_METHODS = new Set(["post", "put", "patch", "delete"]);

/** Maximum length of path and query in characters; 414 beyond it. */
export const URL_LENGTH_MAX = 8192;
/** Maximum number of concurrent requests from one address, including streams; 429 beyond it. */
export const REQUESTS_PER_ADDRESS_MAX = 256;
/** Retry-After for a client with too many concurrent requests. */
const BUSY_RETRY_MS = 1000;
/** What a refusal takes of the main thread, in milliseconds, with its connection and what comes of a body. */
const REFUSAL_MS = 0.25;
/** Maximum number of connections to one port; further ones are closed at once. */
export const CONNECTIONS_MAX = 1024;
/** A port is crowded when this share of them is in use. Then the limit per address applies. */
const CROWDED_SHARE = 0.5;
/** From so many on the kernel's tables are read, before they are needed. */
const PREPARED_FROM = 64;
/** How much of a port strangers may use: the rest is for addresses that somebody has logged in from. */
const STRANGERS_SHARE = 7 / 8;
/** How much there is of it with connections that were ended for others and are not closed yet. */
const OVERFULL_SHARE = 9 / 8;
/** Maximum number of connections from one address to a crowded port. */
export const CONNECTIONS_PER_ADDRESS_MAX = 128;
/** How long `stop` waits for the last bytes to be sent before it closes the connections. */
const STOP_WAIT_MS = 250;
const STOP_POLL_MS = 10;
/** Attempts to listen on a port that the kernel chose. */
const FREE_PORT_TRIES_MAX = 8;

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it two processes share a port and each gets half of the requests. */
const LISTEN_EXCLUSIVE_PORT = 1;
/** LIBUS_LISTEN_DEFAULT: the port may be shared by sockets that all set this. */
const LISTEN_SHARED_PORT = 0;

/** Answers through `response`; an exception or rejection becomes an error answer. */
export type RequestHandler = (request: ApiRequest, response: ApiResponse) => void | Promise<void>;

/** Returns a cached answer to a repeated request, if available; undefined: the handler answers. */
export type CachedAnswers = (id: string, content: RequestContent) => Answer | undefined;

export interface HttpServerOptions {
  readonly handler: RequestHandler;
  /** Called before the handler. If it throws, the handler answers. */
  readonly cachedAnswers?: CachedAnswers;
  /** Whether a request's body is streamed to the handler; by default it is received completely first. */
  readonly streamsBody?: (raw: RawRequest) => boolean;
  /** Most bytes of a request's body, where it is less than `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: (raw: RawRequest) => number | undefined;
  /** Whether nobody answers there now: the connection is closed. */
  readonly drops?: (address: string) => boolean;
  /** Takes how long a request held the main thread that was refused before the handler, in ms. */
  readonly spent?: (address: string, ms: number) => void;
  /** Whether requests of a path, as sent, hardly ever repeat, so that it is of no use to remember them; none when absent. */
  readonly comesOnce?: (url: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** HTTPS instead of HTTP: PEM files. */
  readonly tls?: { readonly keyFile: string; readonly certificateFile: string };
  /** What error answers say besides, by the request's path. */
  readonly errorHeaders?: (path: string) => Headers;
  /** Reverse proxies that are believed about the client's address; none when absent. */
  readonly trustedProxies?: TrustedProxies;
  /** The path below which a proxy has the service: requests are answered as without it; none when absent. */
  readonly pathPrefix?: string;
  /** What its requests say of the way they came by; see `RawRequest.door`. */
  readonly door?: string;
  readonly connectionsMax?: number | undefined;
  /** Whether somebody has logged in from an address: it has a share of the connections of its own. Nobody, when absent. */
  readonly knowsAddress?: (address: string) => boolean;
  readonly connectionsPerAddressMax?: number;
  readonly requestsPerAddressMax?: number;
  /** Bytes of all bodies being received; BODIES_BYTES_MAX by default. */
  readonly bodiesBytesMax?: number | undefined;
}

/** The library's `listen` with host and options, which is missing in its types. */
interface HostListener {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ): unknown;
}

/**
 * The only adapter over uWebSockets.js. All rules that prevent the library from ending the process or mixing up requests are
 * kept here and in `response.ts`, so that no endpoint needs to know them.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #app: TemplatedApp;
  readonly #open = new Set<ApiResponse>();
  readonly #connectionsMax: number;
  readonly #bodies: BodyReceiver;
  readonly #remembered: RememberedRequests;
  readonly #turns: RequestTurns;
  /** Number of requests in progress, by address in its normal form. */
  readonly #underWay = new Map<string, number>();
  readonly #kernel: KernelConnections;
  readonly #connectionCounter: ConnectionCounter;
  readonly #idle: IdleConnections;
  readonly #handshakes: StrangerHandshakes;
  /** Connections that were ended for others and are not closed yet. */
  #ending = 0;
  readonly #proxies: TrustedProxies;
  readonly #prefix: string;
  #port = 0;
  #listenSocket: us_listen_socket | undefined;
  #connections = 0;
  #requests = 0;
  #stopping = false;

  /** Throws NvrdError SETTINGS_INVALID if certificate and key cannot be used. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#bodies = new BodyReceiver(options.bodiesBytesMax);
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.#remembered = new RememberedRequests(options.clock, options.comesOnce);
    this.#turns = new RequestTurns(options.clock);
    this.#app = createApp(options.tls);
    const kernel = new KernelConnections(options, () => this.#port);
    this.#kernel = kernel;
    this.#connectionCounter = new ConnectionCounter(kernel);
    this.#idle = new IdleConnections({ ...options, kernel });
    this.#handshakes = new StrangerHandshakes({
      ...{ counter: this.#connectionCounter, kernel },
      isStranger: (address) => !this.#proxies.has(address) && !this.#isKnown(address),
    });
    this.#proxies = options.trustedProxies ?? new TrustedProxies([]);
    this.#prefix = options.pathPrefix ?? "";
    const countConnection = (connection: HttpResponse, change: number): void => {
      this.#connections += change;
      if (change < 0) this.#ending = Math.max(0, this.#ending - 1);
      if (change > 0) this.#closingOnFault(connection, "connection", () => this.#admit(connection));
    };
    this.#app.filter(countConnection);
    const upgrade = (library: HttpResponse, request: HttpRequest, context: us_socket_context_t): void =>
      this.#closingOnFault(library, "request", () =>
        this.#receive(library, request, upgradeOf(request, context)),
      );
    // The filter is not called for a connection that closes as a WebSocket.
    const countClosed = (): void => {
      this.#connections -= 1;
    };
    this.#app.ws<SocketData>("/*", socketBehavior(upgrade, countClosed));
    this.#app.any("/*", (library, request) =>
      this.#closingOnFault(library, "request", () => this.#receive(library, request)),
    );
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections;
  }

  /** An exception in the library's callback would end the process, so the connection is closed instead. */
  #closingOnFault(library: HttpResponse, what: "connection" | "request", work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.error(
        { err: error, what },
        "cannot accept a connection or request: connection closed",
      );
      this.#closeQuietly(() => library.close());
    }
  }

  /** The library throws if the connection is already closed. */
  #closeQuietly(close: () => void): void {
    try {
      close();
    } catch (error) {
      this.#options.log.debug({ error: errorText(error) }, "the connection was already closed");
    }
  }

  #admit(connection: HttpResponse): void {
    if (this.#connections >= PREPARED_FROM) this.#kernel.prepare();
    const isRefused =
      this.#options.tls !== undefined && this.#refusesHandshake(normalizeAddress(addressOf(connection)));
    if (isRefused || this.#isTooMany(connection)) connection.close();
  }

  /** A handshake is work before a request is: it is a stranger's time, and not all begin at once. */
  #refusesHandshake(address: string): boolean {
    if (this.#proxies.has(address) || this.#isKnown(address)) return false;
    const { drops, spent } = this.#options;
    if (drops?.(address) === true) return true;
    if (this.#connections > STRANGERS_OVER_TLS_MAX && this.#handshakes.isFull()) {
      if (!this.#makeRoom()) return true;
      this.#handshakes.remove();
    }
    this.#handshakes.add();
    spent?.(address, HANDSHAKE_MS);
    return false;
  }

  #isTooMany(connection: HttpResponse): boolean {
    if (this.#connections <= this.#connectionsMax * CROWDED_SHARE) return false;
    if (this.#connections > this.#connectionsMax * OVERFULL_SHARE) return true;
    const peer = addressOf(connection);
    // A proxy has the connections of all its clients, and bounds of its own.
    const isProxy = this.#proxies.has(peer);
    const { connectionsPerAddressMax: each = CONNECTIONS_PER_ADDRESS_MAX } = this.#options;
    if (!isProxy && this.#connectionCounter.count(peer) > each) return true;
    const most = this.#connectionsMax * (isProxy || this.#isKnown(peer) ? 1 : STRANGERS_SHARE);
    return this.#connections - this.#ending > most && !this.#makeRoom();
  }

  #isKnown(address: string): boolean {
    return this.#options.knowsAddress?.(normalizeAddress(address)) === true;
  }

  /** Ends the oldest connection of a stranger who asks for nothing just now. Whether there was one. */
  #makeRoom(): boolean {
    const mayGo = (address: string): boolean =>
      !this.#underWay.has(address) && !this.#proxies.has(address) && !this.#isKnown(address);
    const isMade = this.#idle.endOldest(mayGo);
    if (isMade) this.#ending += 1;
    return isMade;
  }

  /**
   * Listens on `host` (an address) and `port` (0: chosen by the kernel) exclusively for this process; returns the port. Throws
   * NvrdError NOT_AVAILABLE if the port is in use or privileged, SETTINGS_INVALID if it is not a port number.
   */
  listen(host: string, port: number): number {
    const socket =
      port === 0 ? this.#listenAnywhere(host) : this.#listenWith(host, port, LISTEN_EXCLUSIVE_PORT);
    if (this.#options.tls === undefined) {
      this.#listenSocket = socket;
      return httpLibrary().us_socket_local_port(socket);
    }
    // A port with open connections can be taken over only if it was opened as a shared one. The exclusive socket has just shown
    // that no other process uses it.
    const taken = httpLibrary().us_socket_local_port(socket);
    httpLibrary().us_listen_socket_close(socket);
    return this.takeOver(host, taken);
  }

  /** Listens on the port of another server of this process, in addition to it. Throws like `listen`. HTTPS only. */
  takeOver(host: string, port: number): number {
    this.#listenSocket = this.#listenWith(host, port, LISTEN_SHARED_PORT);
    return httpLibrary().us_socket_local_port(this.#listenSocket);
  }

  /**
   * Listens on a unix socket, at a path of at most 107 bytes that nothing is at. Throws NvrdError NOT_AVAILABLE if it cannot.
   */
  listenUnix(path: string): void {
    let listened: us_listen_socket | undefined;
    this.#app.listen_unix((socket) => {
      listened = socket;
    }, path);
    if (!listened) throw new NvrdError("NOT_AVAILABLE", `cannot listen on ${path}`);
    this.#listenSocket = listened;
  }

  /**
   * The library sets SO_REUSEADDR only for a port other than 0. With port 0, the port could not be listened on again for a
   * minute after a connection that was closed from this side. So a free port is obtained from the kernel first, and then opened
   * by its number.
   */
  #listenAnywhere(host: string): us_listen_socket {
    for (let tries = 1; ; tries++) {
      const chosen = this.#listenWith(host, 0, LISTEN_EXCLUSIVE_PORT);
      const port = httpLibrary().us_socket_local_port(chosen);
      httpLibrary().us_listen_socket_close(chosen);
      try {
        return this.#listenWith(host, port, LISTEN_EXCLUSIVE_PORT);
      } catch (error) {
        // Another process has taken the port meanwhile.
        if (tries >= FREE_PORT_TRIES_MAX) throw error;
      }
    }
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
    this.#port = httpLibrary().us_socket_local_port(listened);
    return listened;
  }

  /** Stops accepting connections; open ones continue. */
  stopAccepting(): void {
    if (this.#listenSocket !== undefined) httpLibrary().us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  /** Stops accepting, ends open streams cleanly, waits briefly for other requests, then closes all connections. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.stopAccepting();
    for (const response of [...this.#open]) response.endForStop();
    for (let waitedMs = 0; waitedMs < STOP_WAIT_MS && this.#connections > 0; waitedMs += STOP_POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
    }
    this.#app.close();
  }

  #receive(library: HttpResponse, libraryRequest: HttpRequest, upgrade?: SocketUpgrade): void {
    const id = this.#nextId();
    const overTls = this.#options.tls !== undefined;
    const raw = copyRequest(library, libraryRequest, {
      proxies: this.#proxies,
      overTls,
      prefix: this.#prefix,
      door: this.#options.door,
    });
    if (this.#answerAtOnce(library, id, raw)) return;
    if (this.#options.drops?.(raw.address) === true) {
      library.close();
      return;
    }
    const response = new ApiResponse(library, {
      isHead: raw.method === "head",
      overTls,
      upgrade,
      onFault: (error) => this.#fail(id, response, raw.url, error),
    });
    this.#open.add(response);
    response.onClose(() => this.#open.delete(response));
    response.addHeaders([[REQUEST_ID_HEADER, id]]);
    try {
      const fault = framingFault(raw.headers);
      if (fault !== undefined) {
        // Not at once: the library would go on to what follows in the same piece. While no answer was given it closes
        // the connection instead when something follows.
        setImmediate(() => this.#refuse(id, raw, response, new NvrdError("BAD_REQUEST", fault)));
        return;
      }
      const refusal = this.#refusal(raw, response);
      if (refusal !== undefined) this.#refuse(id, raw, response, refusal);
      else if (mayHaveBody(raw)) this.#receiveBody(library, id, raw, response);
      else this.#dispatch(id, raw, response);
    } catch (error) {
      this.#fail(id, response, raw.url, error);
    }
  }

  /** Answers a repeated request from the cache, which saves most of its cost. Returns whether it was answered. */
  #answerAtOnce(library: HttpResponse, id: string, raw: RawRequest): boolean {
    const { cachedAnswers } = this.#options;
    if (cachedAnswers === undefined || this.#stopping || this.#turns.isUsedUp) return false;
    if (this.#isBusy(raw.address)) return false;
    const content = this.#remembered.get(raw);
    if (content === undefined) return false;
    try {
      let answer: Answer | undefined;
      this.#turns.run(() => {
        answer = cachedAnswers(id, content);
      });
      if (answer !== undefined) sendAtOnce(library, answer, id);
      return answer !== undefined;
    } catch (error) {
      // An exception in the library's handler would end the process.
      this.#options.log.error(
        { request: id, err: error },
        "a cached answer failed: the request is handled normally",
      );
      return false;
    }
  }

  #isBusy(address: string): boolean {
    const most = this.#options.requestsPerAddressMax ?? REQUESTS_PER_ADDRESS_MAX;
    return (this.#underWay.get(normalizeAddress(address)) ?? 0) >= most;
  }

  /** Why the request is refused; undefined if it is accepted. Then it counts as in progress until it is answered. */
  #refusal(raw: RawRequest, response: ApiResponse): NvrdError | undefined {
    if (this.#stopping) return new NvrdError("NOT_AVAILABLE", "the service is stopping");
    if (raw.url.length + raw.query.length > URL_LENGTH_MAX)
      return new NvrdError("URL_TOO_LONG", `path and query are longer than ${URL_LENGTH_MAX} characters`);
    const address = normalizeAddress(raw.address);
    const count = this.#underWay.get(address) ?? 0;
    if (this.#isBusy(raw.address)) {
      const message = `${count} requests from your address are already in progress`;
      return new NvrdError("TOO_MANY_REQUESTS", message, { retryAfterMs: BUSY_RETRY_MS });
    }
    this.#underWay.set(address, count + 1);
    response.onClose(() => {
      const left = (this.#underWay.get(address) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(address);
      else this.#underWay.set(address, left);
    });
    return undefined;
  }

  /** The connection is closed, because the rest of a body may follow. */
  #refuse(id: string, raw: RawRequest, response: ApiResponse, error: NvrdError): void {
    this.#options.log.info({ request: id, address: raw.address, reason: error.message }, "request refused");
    this.#options.spent?.(raw.address, REFUSAL_MS);
    response.addHeaders(this.#options.errorHeaders?.(raw.url) ?? []);
    response.send(answerError(error, raw.url), { closeConnection: true });
  }

  #receiveBody(library: HttpResponse, id: string, raw: RawRequest, response: ApiResponse): void {
    const announced = raw.headers.find(([name]) => name === "content-length")?.[1];
    if (this.#options.streamsBody?.(raw) === true) {
      this.#dispatch(id, { ...raw, bodyStream: new BodyStream(library, response, announced) }, response);
      return;
    }
    this.#bodies.receive(library, {
      response,
      announced,
      bytesMax: this.#options.bodyBytesMax?.(raw) ?? BODY_BYTES_MAX,
      done: (body) => this.#dispatch(id, { ...raw, body }, response),
      refuse: (error) => this.#refuse(id, raw, response, error),
    });
  }

  /** At once, or when its turn has come: who sends more behind it in the same piece is cut off then (Pipelining). */
  #dispatch(id: string, raw: RawRequest, response: ApiResponse): void {
    this.#turns.run(() => {
      if (!response.finished) this.#handle(id, raw, response);
    });
  }

  #handle(id: string, raw: RawRequest, response: ApiResponse): void {
    const failed = (error: unknown): void => this.#fail(id, response, raw.url, error);
    const check = (): void => {
      if (response.open) failed(new Error("the handler ended without an answer"));
    };
    try {
      const request = new ApiRequest(id, this.#remembered.read(raw), raw);
      const done = this.#options.handler(request, response);
      if (done instanceof Promise) done.then(check, failed);
      else check();
    } catch (error) {
      failed(error);
    }
  }

  #fail(id: string, response: ApiResponse, url: string, error: unknown): void {
    if (!(error instanceof NvrdError) || error.status >= 500) {
      this.#options.log.error({ request: id, err: error, reason: errorText(error) }, "request failed");
    }
    try {
      if (!response.open) response.close();
      else {
        response.addHeaders(this.#options.errorHeaders?.(url) ?? []);
        response.send(answerError(error, url, id));
      }
    } catch (fault) {
      this.#options.log.error({ request: id, err: fault }, "cannot answer: connection closed");
      this.#closeQuietly(() => response.close());
    }
  }

  #nextId(): string {
    this.#requests += 1;
    return `${PROCESS_ID}-${this.#requests.toString(36)}`;
  }
}

/** Distinguishes the request ids of one run of the service from those of the next. */
const PROCESS_ID = Math.floor(Date.now() / 1000).toString(36);

function createApp(tls: HttpServerOptions["tls"]): TemplatedApp {
  if (tls === undefined) return setTimeouts(httpLibrary().App());
  try {
    // The library waits for a FIFO, and reads a device for ever.
    for (const file of [tls.keyFile, tls.certificateFile]) readPlainSync(file, PEM_BYTES_MAX);
    const files = { key_file_name: tls.keyFile, cert_file_name: tls.certificateFile };
    return setTimeouts(httpLibrary().SSLApp(files));
  } catch (cause) {
    const message = `HTTPS cannot use certificate ${tls.certificateFile} and key ${tls.keyFile}`;
    throw new NvrdError("SETTINGS_INVALID", message, { cause });
  }
}

function mayHaveBody({ method }: RawRequest): boolean {
  return BODY_METHODS.has(method);
}

function upgradeOf(request: HttpRequest, context: us_socket_context_t): SocketUpgrade {
  return {
    key: request.getHeader("sec-websocket-key"),
    protocols: request.getHeader("sec-websocket-protocol"),
    extensions: request.getHeader("sec-websocket-extensions"),
    context,
  };
}

/** How requests come here. */
interface RequestWay {
  readonly proxies: TrustedProxies;
  readonly overTls: boolean;
  /** See `HttpServerOptions`; empty: none. */
  readonly prefix: string;
  readonly door: string | undefined;
}

/** `/nvr/api/health` with the prefix `/nvr` is `/api/health`; other paths stay as they are. */
function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  return rest === "" ? "/" : rest.startsWith("/") ? rest : url;
}

/** Copies what the library lends only during its handler. */
function copyRequest(
  library: HttpResponse,
  request: HttpRequest,
  { proxies, overTls, prefix, door }: RequestWay,
): RawRequest {
  const headers: [string, string][] = [];
  request.forEach((name, value) => {
    headers.push([name, value]);
  });
  const peer = addressOf(library);
  return {
    method: request.getMethod(),
    url: prefix === "" ? request.getUrl() : withoutPrefix(request.getUrl(), prefix),
    query: request.getQuery() ?? "",
    headers,
    address: proxies.clientAddress(peer, headers),
    secure: overTls || proxies.saysHttps(peer, headers),
    proxied: proxies.has(peer),
    ...(door === undefined ? {} : { door }),
    body: NO_BODY,
  };
}

/** The peer's address, not one from a PROXY protocol header, which anybody may send. */
function addressOf(library: HttpResponse): string {
  return Buffer.from(library.getRemoteAddressAsText()).toString();
}
