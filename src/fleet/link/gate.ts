import { randomBytes } from "node:crypto";
import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream";
import type { Pace } from "../../base/index.js";
import { answerHeaders, hasLogin, requestHeaders } from "./api-request.js";
import { doorSocket } from "./door-socket.js";
import { type HandedStorage, STORAGE_PATH, storageMark } from "./handed-storage.js";
import { HUBS_HEADER, type HubPlaceName, readPlaces } from "./hub-places.js";
import { IDENTITY_HEADER, type IdentityCheck, type IdentityRefusal } from "./identity.js";
import type { BoxAbout, LinkRole } from "./link-messages.js";
import type { Notes } from "./notes.js";
import { PROTOCOL } from "./protocol.js";

/** Requests of the hub at once, over each connection; further ones wait at the hub. */
export const STREAMS_MAX = 48;
/** What all connections together may hold of memory, in MB. */
const SESSIONS_MEGABYTES_MAX = 4;
/** Of all answers together, so much is read at once. */
const READ_BYTES = 768 * 1024;
const HEADER_PAIRS_MAX = 64;
const HEADER_BYTES_MAX = 16_384;
const PATH_LENGTH_MAX = 8192;
/** Methods whose body means nothing (RFC 9110, 9.3.1 and 9.3.2): it is left out. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** The path at which a box describes itself. */
export const ABOUT_PATH = "/fleet/about";

const REFUSALS: Readonly<Record<IdentityRefusal, readonly [status: number, message: string]>> = {
  missing: [401, "the request says not who asks"],
  malformed: [401, "who asks cannot be read"],
  expired: [401, "what says who asks is too old: compare the clocks of the hub and of the recorder"],
  foreign: [401, "who asks is not vouched for by this recorder's hub, or for another recorder"],
  replayed: [401, "what says who asks was used before"],
  crowded: [503, "too many requests came through the hub in a minute"],
};

export interface GateOptions {
  readonly check: IdentityCheck;
  /** Where the API takes requests of the hub. */
  readonly socketPath: string;
  readonly about: () => BoxAbout;
  /** What the hub may read of recordings off the box; undefined: nothing. */
  readonly storage?: () => HandedStorage | undefined;
  /** Added to each answer of the API. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Connections at most. */
  readonly connections: number;
  /** A hub has said where hubs are. */
  readonly onHubs: (hubs: readonly HubPlaceName[]) => void;
  /** Of all that is sent to the hub. */
  readonly pace: Pace;
  readonly notes: Notes;
}

/**
 * The box's end of connections to its hub: a server of HTTP/2 (RFC 9113) over connections that the box has opened. Who asks is checked
 * here, before the API hears of it.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #agent: Agent;
  readonly #server: Http2Server;
  readonly #roles = new WeakMap<object, LinkRole>();
  /** Answers that are being sent. */
  #answers = 0;
  #serving: ((session: ServerHttp2Session) => void) | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxFreeSockets: 2 });
    this.#agent.createConnection = () => this.#connect();
    this.#server = createServer({
      settings: { enableConnectProtocol: true, maxConcurrentStreams: STREAMS_MAX },
      maxSessionMemory: Math.max(1, Math.floor(SESSIONS_MEGABYTES_MAX / options.connections)),
      maxHeaderListPairs: HEADER_PAIRS_MAX,
    });
    this.#server.on("session", (session) => this.#serving?.(session));
    this.#server.on("stream", (stream, headers) => this.#take(stream, headers));
  }

  /** Serves over a connection that has just been opened. */
  serve(socket: Duplex, role: LinkRole): ServerHttp2Session {
    let served: ServerHttp2Session | undefined;
    this.#serving = (session) => {
      served = session;
    };
    this.#server.emit("connection", socket);
    this.#serving = undefined;
    if (served === undefined) throw new Error("the hub speaks no HTTP/2");
    this.#roles.set(served, role);
    // The end of the connection reports its fault.
    served.on("error", () => served?.destroy());
    return served;
  }

  close(): void {
    this.#server.close();
    this.#agent.destroy();
  }

  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => stream.destroy());
    void this.#answer(stream, headers).catch((error: unknown) => {
      if (!stream.headersSent && !stream.destroyed) refuse(stream, 500, "the request failed inside the box");
      stream.destroy(error instanceof Error ? error : undefined);
    });
  }

  async #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const path = headers[":path"] ?? "";
    if (path === ABOUT_PATH && headers[":method"] === "GET") {
      this.#describe(stream);
      const hubs = readPlaces(headers[HUBS_HEADER]);
      if (hubs.length > 0) this.#options.onHubs(hubs);
      return;
    }
    if (path === STORAGE_PATH && headers[":method"] === "GET") {
      this.#handStorage(stream);
      return;
    }
    if (this.#options.notes.take(stream, headers)) return;
    const identity = headers[IDENTITY_HEADER];
    const user = await this.#options.check.read(typeof identity === "string" ? identity : undefined);
    if (stream.destroyed) return;
    if (typeof user === "string") refuse(stream, ...REFUSALS[user]);
    else if (path.length > PATH_LENGTH_MAX) refuse(stream, 414, "path and query are too long");
    else if (hasLogin(path)) refuse(stream, 403, "no login of a recorder passes through a hub");
    else this.#forward(stream, headers, path, requestHeaders(headers, user));
  }

  #describe(stream: ServerHttp2Stream): void {
    const role = stream.session === undefined ? undefined : this.#roles.get(stream.session);
    const { name, version, health, figures, revision } = this.#options.about();
    stream.respond({ ":status": 200, "content-type": "application/json" });
    const storage = this.#options.storage?.();
    const description = {
      ...(storage === undefined ? {} : { Storage: storageMark(storage) }),
      ...{ Name: name, Version: version, Health: health, Role: role ?? "commands" },
      ...{ Figures: figures, Revision: revision, Protocol: PROTOCOL },
    };
    stream.end(JSON.stringify(description));
  }

  /** Whoever asks here has shown that it is the hub: the connection is nobody else's. */
  #handStorage(stream: ServerHttp2Stream): void {
    const storage = this.#options.storage?.();
    if (storage === undefined) {
      refuse(stream, 404, "the hub may read nothing of this recorder's storage");
      return;
    }
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end(JSON.stringify(storage));
  }

  #forward(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    path: string,
    passed: Record<string, string>,
  ): void {
    const { socketPath } = this.#options;
    const isSocket = headers[":method"] === "CONNECT";
    const method = isSocket ? "GET" : headers[":method"];
    const hasBody = !isSocket && !BODILESS.has(method ?? "") && !stream.endAfterHeaders;
    const framed = bodyHeaders(passed, hasBody);
    const call = requestHttp({
      ...{ socketPath, path, method, maxHeaderSize: HEADER_BYTES_MAX },
      ...(isSocket
        ? {
            createConnection: () => this.#connect(),
            headers: { ...framed, ...upgradeHeaders() },
          }
        : { agent: this.#agent, headers: framed }),
    });
    stream.on("close", () => call.destroy());
    call.on("error", () => {
      // The API may close a connection that was kept open just as it is used again (RFC 9112, 9.3.1): nothing was answered.
      const isCut =
        call.reusedSocket && BODILESS.has(method ?? "") && !stream.destroyed && !stream.headersSent;
      if (isCut) this.#forward(stream, headers, path, passed);
      else this.#failed(stream);
    });
    call.on("response", (answer) => this.#send(stream, answer));
    call.on("upgrade", (answer, socket, head) => this.#join(stream, answer, socket, head));
    if (hasBody) pipeline(stream, call, ignore);
    else {
      call.end();
      // What a socket's client sends waits for the answer.
      if (!isSocket) stream.resume();
    }
  }

  #failed(stream: ServerHttp2Stream): void {
    if (stream.destroyed) return;
    if (!stream.headersSent) refuse(stream, 503, "the recorder does not answer");
    else stream.destroy();
  }

  #send(stream: ServerHttp2Stream, answer: IncomingMessage): void {
    if (stream.destroyed) {
      answer.destroy();
      return;
    }
    const { headers: added } = this.#options;
    stream.respond({ ":status": answer.statusCode ?? 500, ...answerHeaders(answer.headers), ...added });
    void this.#pass(answer, stream);
  }

  /** The bytes of a WebSocket (RFC 8441): the frames themselves pass through. */
  #join(stream: ServerHttp2Stream, answer: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (stream.destroyed) {
      socket.destroy();
      return;
    }
    stream.respond({ ":status": 200, ...answerHeaders(answer.headers) });
    if (head.length > 0) socket.unshift(head);
    void this.#pass(socket, stream);
    pipeline(stream, socket, ignore);
  }

  #connect(): Socket {
    return doorSocket(this.#options.socketPath, () => READ_BYTES / Math.max(1, this.#answers));
  }

  /** Sends what comes, a read at a time, each when the one before has gone. Never rejects: both ends are closed when one is. */
  async #pass(from: Readable, stream: ServerHttp2Stream): Promise<void> {
    const { pace } = this.#options;
    this.#answers += 1;
    stream.once("close", () => {
      this.#answers -= 1;
      from.destroy();
    });
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        await pace.wait(chunk.length);
        if (!(await hasGone(stream, chunk))) return;
      }
      stream.end();
    } catch {
      // The API has ended the answer before its end: so does this.
      stream.destroy();
    }
  }
}

/** Whether it has left for the hub; false: the hub has ended the request. */
async function hasGone(stream: ServerHttp2Stream, chunk: Buffer): Promise<boolean> {
  if (stream.destroyed) return false;
  return await new Promise((resolve) => {
    const ended = (): void => resolve(false);
    stream.once("close", ended);
    stream.write(chunk, (error) => {
      stream.off("close", ended);
      resolve(error == null);
    });
  });
}

/**
 * The headers with what says where the body ends, whatever the method. Without it the API would take a body for the next request on its
 * connection, which nobody has checked.
 */
function bodyHeaders(
  { "content-length": length, ...others }: Record<string, string>,
  hasBody: boolean,
): Record<string, string> {
  if (!hasBody) return others;
  // HTTP/2 has compared the length with what comes (RFC 9113, 8.1.1).
  return length === undefined
    ? { ...others, "transfer-encoding": "chunked" }
    : { ...others, "content-length": length };
}

function upgradeHeaders(): Record<string, string> {
  return {
    ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
}

function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify({ ErrorMessage: message }));
}

/** Both ends of a pipe are closed when one is; the other one reports why. */
function ignore(): void {
  // See above.
}
