import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { createServer, type Server, type TLSSocket } from "node:tls";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  MS_PER_MINUTE,
  NvrdError,
  Strangers,
  strangersShare,
} from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { certificateHash } from "../join/code.js";
import { PARTNERS_MAX } from "./partner-list.js";
import { JOIN_BYTES_MAX, JOIN_PATH, type JoinRefusal, MESSAGE_BYTES_MAX } from "./partner-messages.js";

const HANDSHAKE_MS_MAX = 10_000;
const JOIN_MS_MAX = 20_000;
const CONNECTIONS_OF_ONE_MAX = 8;
/** Before it is known who they are. */
const STRANGERS_MAX = 32;
const STRANGERS_PER_ADDRESS_MAX = 8;
/** Partners, as many again that come back, and strangers. */
const CONNECTIONS_MAX = 2 * CONNECTIONS_OF_ONE_MAX * PARTNERS_MAX + STRANGERS_MAX;
/** A partner says something each half a second; who lost its power says nothing, and nobody is told. */
const SILENCE_MS_MAX = MS_PER_MINUTE;
const STREAMS_MAX = 32;
const SESSION_MEGABYTES_MAX = 8;
const HEADER_PAIRS_MAX = 48;
const HEADER_BYTES_MAX = 8192;

/** A request of a partner. */
export interface PartnerCall {
  readonly partnerId: Guid;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Its body comes from here, and the answer goes here. */
  readonly stream: ServerHttp2Stream;
}

export interface PartnerPortOptions {
  readonly listen: string;
  readonly port: number;
  /** Default: as many as partners need. */
  readonly connectionsMax?: number;
  readonly own: KeyAndCertificate;
  /** The partner with this certificate; undefined: a stranger. */
  readonly partnerOf: (certificate: string) => Guid | undefined;
  /** Where partners are, as far as it is known. */
  readonly hosts: readonly string[];
  readonly onCall: (call: PartnerCall) => Promise<void>;
  /** Somebody with a code; `certificate`: the hash of what was shown, `address`: where it comes from. */
  readonly onJoin: (
    body: unknown,
    from: { readonly certificate: string; readonly address: string },
  ) => Promise<object | JoinRefusal>;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: a minute. */
  readonly silenceMsMax?: number;
}

const STATUS: Readonly<Record<JoinRefusal, number>> = {
  ...{ token: 403, known: 409, full: 409, self: 409, request: 400, fault: 500 },
};

/** The port at which partners come: TLS 1.3, each known by the hash of its certificate. */
export class PartnerPort {
  readonly #options: PartnerPortOptions;
  readonly #joins: HttpServer;
  readonly #calls: Http2Server;
  readonly #partners = new WeakMap<object, Guid>();
  readonly #sockets = new Map<TLSSocket, Guid | undefined>();
  readonly #strangers: Strangers;
  readonly #connectionsMax: number;
  #server: Server | undefined;
  #serving: ((session: ServerHttp2Session) => void) | undefined;

  constructor(options: PartnerPortOptions) {
    this.#options = options;
    const { clock, hosts } = options;
    this.#connectionsMax = Math.min(options.connectionsMax ?? CONNECTIONS_MAX, CONNECTIONS_MAX);
    const most = { max: STRANGERS_MAX, perAddressMax: STRANGERS_PER_ADDRESS_MAX };
    this.#strangers = new Strangers({ ...strangersShare(this.#connectionsMax, most), clock });
    for (const host of hosts) this.#strangers.expect(host);
    this.#joins = createHttpServer(
      { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: JOIN_MS_MAX, headersTimeout: JOIN_MS_MAX },
      (request, response) => void this.#join(request, response),
    );
    this.#joins.maxRequestsPerSocket = 1;
    this.#calls = createHttp2Server({
      settings: { maxConcurrentStreams: STREAMS_MAX },
      maxSessionMemory: SESSION_MEGABYTES_MAX,
      maxHeaderListPairs: HEADER_PAIRS_MAX,
    });
    this.#calls.on("session", (session) => this.#serving?.(session));
    this.#calls.on("stream", (stream, headers) => void this.#take(stream, headers));
  }

  /** Rejects with NvrdError NOT_AVAILABLE where it cannot listen. */
  async start(): Promise<void> {
    const { listen, port, own } = this.#options;
    const server = createServer(
      {
        ...{ key: own.key, cert: own.certificate, requestCert: true, rejectUnauthorized: false },
        ...{ minVersion: "TLSv1.3", ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout: HANDSHAKE_MS_MAX },
      },
      (socket) => this.#admit(socket),
    );
    server.maxConnections = this.#connectionsMax;
    server.on("connection", (socket) => this.#strangers.add(socket));
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => {
        const message = `the port for partners, ${listen} port ${port}, is not available: ${errorText(error)}`;
        reject(new NvrdError("NOT_AVAILABLE", message, { hint: "", cause: error }));
      });
      server.listen(port, listen, resolve);
    });
    this.#server = server;
  }

  stop(): void {
    this.#server?.close();
    this.#joins.close();
    this.#joins.closeAllConnections();
    this.#calls.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** The port that is listened on; 0: none. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** Ends the connections of a partner. */
  drop(id: Guid): void {
    for (const [socket, partnerId] of this.#sockets) if (partnerId === id) socket.destroy();
  }

  #admit(socket: TLSSocket): void {
    const { partnerOf, log } = this.#options;
    const { raw } = socket.getPeerCertificate();
    const id = raw === undefined ? undefined : partnerOf(certificateHash(raw));
    this.#sockets.set(socket, id);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    if (socket.alpnProtocol !== "h2") {
      this.#joins.emit("connection", socket);
      return;
    }
    if (id === undefined) {
      log.warn({ address: socket.remoteAddress }, "a connection was refused: no partner of this recorder");
      socket.destroy();
      return;
    }
    this.#strangers.known(socket);
    this.#requireFew(id);
    this.#serving = (session) => {
      this.#partners.set(session, id);
      session.setTimeout(this.#options.silenceMsMax ?? SILENCE_MS_MAX, () => session.destroy());
      // The end of the connection reports its fault.
      session.on("error", () => session.destroy());
    };
    this.#calls.emit("connection", socket);
    this.#serving = undefined;
  }

  /** The oldest goes: it is the first one that nobody uses any more. */
  #requireFew(id: Guid): void {
    const own = [...this.#sockets].filter(([, partnerId]) => partnerId === id);
    if (own.length > CONNECTIONS_OF_ONE_MAX) own[0]?.[0].destroy();
  }

  /** Never rejects. */
  async #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const { onCall, log } = this.#options;
    stream.on("error", () => stream.destroy());
    const partnerId = stream.session === undefined ? undefined : this.#partners.get(stream.session);
    if (partnerId === undefined) {
      stream.close();
      return;
    }
    const { ":method": method = "", ":path": path = "" } = headers;
    try {
      await onCall({ partnerId, method, path, headers, stream });
    } catch (error) {
      log.warn({ partner: partnerId, reason: errorText(error) }, "a request of a partner failed");
      if (!stream.headersSent && !stream.destroyed)
        answerPartner(stream, 500, { ErrorMessage: "the request failed" });
      else stream.destroy();
    }
  }

  /** Never rejects. */
  async #join(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const socket = request.socket as TLSSocket;
      const { raw } = socket.getPeerCertificate();
      const from = {
        certificate: raw === undefined ? "" : certificateHash(raw),
        address: socket.remoteAddress ?? "",
      };
      const isJoin = request.method === "POST" && request.url === JOIN_PATH;
      const body = isJoin ? await bodyOf(request, JOIN_BYTES_MAX) : undefined;
      const answer =
        body === undefined || raw === undefined ? "request" : await this.#options.onJoin(jsonOf(body), from);
      send(
        response,
        typeof answer === "string" ? STATUS[answer] : 200,
        typeof answer === "string" ? { Reason: answer } : answer,
      );
    } catch (error) {
      this.#options.log.warn({ reason: errorText(error) }, "a recorder could not become a partner");
      send(response, STATUS.fault, { Reason: "fault" });
    }
  }
}

/** The body of a request, whole. Undefined: it is longer. Rejects where it ends too early. */
export async function bodyOf(from: Readable, bytesMax = MESSAGE_BYTES_MAX): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Undefined: it is none. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Whoever reads it says so.
    return undefined;
  }
}

/** Answers a request of a partner with JSON. */
export function answerPartner(stream: ServerHttp2Stream, status: number, answer: object): void {
  if (stream.destroyed) return;
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify(answer));
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(answer));
}
