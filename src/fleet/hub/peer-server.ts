import type { ClientHttp2Stream } from "node:http2";
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { pipeline } from "node:stream";
import type { TLSSocket } from "node:tls";
import * as v from "valibot";
import { errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import { LINK_ROLES, type LinkRole } from "../link/link-messages.js";
import { UNACKNOWLEDGED_BYTES_MAX } from "./box-link.js";
import {
  BOX_HEADER,
  CHANGED_PATH,
  changedRequest,
  PEER_MESSAGE_BYTES_MAX,
  PRESENT_PATH,
  type PresentBox,
  type PresentLine,
  ROLE_HEADER,
  SESSION_PATH,
  SHARED_HEADER,
  sessionRequest,
  TICKET_PATH,
  TOKEN_PATH,
  ticketRequest,
  tokenRequest,
} from "./peer-messages.js";

/** Requests of one other hub at once. */
const STREAMS_MAX = 4096;
const SESSION_MEGABYTES_MAX = 64;
/** Another hub that has so much of the list not taken yet is disconnected, and comes again. */
const UNTAKEN_BYTES_MAX = 16 * 1024 * 1024;

/** What a hub does for the other ones. */
export interface PeerHost {
  /** The boxes that are connected here. */
  present(): Iterable<readonly [Guid, PresentBox]>;
  /** Begins a request to a box that is connected here. Throws NvrdError NOT_AVAILABLE. */
  openHere(
    id: Guid,
    headers: OutgoingHttpHeaders,
    options: { readonly role: LinkRole; readonly hasBody: boolean },
  ): ClientHttp2Stream;
  /** Serves the live socket of a box that is connected here to the other hub's viewers; false: nothing is shared here. Rejects with NvrdError NOT_AVAILABLE. */
  serveLive(id: Guid, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<boolean>;
  /** Takes a token of a code that was made here; false: there is none. */
  takeToken(token: string): boolean;
  giveTokenBack(token: string): void;
  /** What all hubs keep of a box was changed by another one. */
  changedElsewhere(id: Guid): void;
  /** A session has ended at another hub, or is another one. */
  sessionElsewhere(key: string): void;
  /** Takes what is remembered here of a login that was begun, as text; undefined: there is none. */
  takeTicket(key: string): string | undefined;
}

/** A hub's end of connections that other hubs have opened. */
export class PeerServer {
  readonly #host: PeerHost;
  readonly #log: Log;
  readonly #server: Http2Server;
  readonly #followers = new Set<ServerHttp2Stream>();

  constructor(host: PeerHost, log: Log) {
    this.#host = host;
    this.#log = log;
    this.#server = createServer({
      settings: {
        enableConnectProtocol: true,
        maxConcurrentStreams: STREAMS_MAX,
        initialWindowSize: UNACKNOWLEDGED_BYTES_MAX,
      },
      maxSessionMemory: SESSION_MEGABYTES_MAX,
    });
    this.#server.on("session", (session) => session.on("error", () => session.destroy()));
    this.#server.on("stream", (stream, headers) => {
      stream.on("error", () => stream.destroy());
      void this.#take(stream, headers);
    });
  }

  /** Serves over a connection of another hub, which has shown its certificate. */
  serve(socket: TLSSocket): void {
    this.#server.emit("connection", socket);
  }

  /** A box is connected here, says something else of itself, or is not connected any more. */
  announce(id: Guid, here: PresentBox | undefined): void {
    for (const stream of this.#followers) this.#write(stream, { Box: id, Here: here ?? null });
  }

  close(): void {
    for (const stream of this.#followers) stream.destroy();
    this.#server.close();
  }

  /** Never rejects. */
  async #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    try {
      const box = headers[BOX_HEADER];
      const isShared = typeof box === "string" && headers[SHARED_HEADER] !== undefined;
      if (isShared && (await this.#host.serveLive(box, stream, headers))) return;
      if (typeof box === "string") this.#relay(stream, headers, box);
      else if (headers[":path"] === PRESENT_PATH) this.#follow(stream);
      else answer(stream, 200, await this.#handle(headers[":path"], stream));
    } catch (error) {
      const isGone = error instanceof NvrdError && error.code === "NOT_AVAILABLE";
      this.#log.debug({ reason: errorText(error) }, "a request of another hub is not answered");
      answer(stream, isGone ? 503 : 400, { ErrorMessage: errorText(error) });
    }
  }

  #follow(stream: ServerHttp2Stream): void {
    stream.respond({ ":status": 200, "content-type": "application/x-ndjson" });
    this.#followers.add(stream);
    stream.once("close", () => this.#followers.delete(stream));
    for (const [Box, Here] of this.#host.present()) this.#write(stream, { Box, Here });
  }

  #write(stream: ServerHttp2Stream, line: PresentLine): void {
    if (stream.destroyed) return;
    if (stream.writableLength > UNTAKEN_BYTES_MAX) stream.session?.destroy();
    else stream.write(`${JSON.stringify(line)}\n`);
  }

  async #handle(path: string | undefined, stream: ServerHttp2Stream): Promise<object> {
    const said: unknown = JSON.parse(await bodyOf(stream));
    if (path === TOKEN_PATH) {
      const { Token, GiveBack } = v.parse(tokenRequest, said);
      if (!GiveBack) return { IsTaken: this.#host.takeToken(Token) };
      this.#host.giveTokenBack(Token);
      return { IsTaken: false };
    }
    if (path === TICKET_PATH)
      return { Kept: this.#host.takeTicket(v.parse(ticketRequest, said).Ticket) ?? null };
    if (path === SESSION_PATH) {
      this.#host.sessionElsewhere(v.parse(sessionRequest, said).Session);
      return {};
    }
    if (path !== CHANGED_PATH)
      throw new NvrdError("BAD_REQUEST", "another hub asks for what is not known here", { hint: "" });
    this.#host.changedElsewhere(v.parse(changedRequest, said).Box);
    return {};
  }

  /** A request to a box that is connected here; never on to a third hub. */
  #relay(
    stream: ServerHttp2Stream,
    { [BOX_HEADER]: _box, [ROLE_HEADER]: named, [SHARED_HEADER]: _shared, ...headers }: IncomingHttpHeaders,
    id: Guid,
  ): void {
    const role = LINK_ROLES.find((each) => each === named) ?? "commands";
    const box = this.#host.openHere(id, headers, { role, hasBody: !stream.endAfterHeaders });
    box.on("error", () => box.destroy());
    box.once("response", (answered) => {
      if (stream.destroyed) return;
      stream.respond(answered);
      pipeline(box, stream, ignore);
    });
    box.once("close", () => stream.close());
    stream.once("close", () => box.close());
    if (!stream.endAfterHeaders) pipeline(stream, box, ignore);
  }
}

async function bodyOf(stream: ServerHttp2Stream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > PEER_MESSAGE_BYTES_MAX) throw new RangeError("the message is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answer(stream: ServerHttp2Stream, status: number, said: object): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify(said));
}

/** Both ends of a pipe are closed when one is; the other says why. */
function ignore(): void {
  // See above.
}
