import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import * as v from "valibot";
import { type Clock, type ClockTimer, type Guid, NvrdError, US_PER_MS } from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { HUB_NAME } from "../join/hub-name.js";
import { readPlace } from "../link/hub-places.js";
import type { LinkRole } from "../link/link-messages.js";
import { BOXES_MAX } from "./box-keeping.js";
import { UNACKNOWLEDGED_BYTES_MAX, wholeAnswer } from "./box-link.js";
import {
  BOX_HEADER,
  PEER_MESSAGE_BYTES_MAX,
  PRESENT_PATH,
  type PresentBox,
  presentLine,
  ROLE_HEADER,
} from "./peer-messages.js";

const CONNECT_MS_MAX = 10_000;
const PING_MS = 3000;
const PONG_MS_MAX = 6000;
const RETRY_MS = 1000;
const ANSWER_MS_MAX = 5000;
const SESSION_MEGABYTES_MAX = 64;
/** Of all requests over one connection. */
const CONNECTION_BYTES_MAX = 64 * 1024 * 1024;

export interface PeerLinkOptions {
  /** `host:port`. */
  readonly peer: string;
  /** The certificate of the authority, PEM. */
  readonly authority: string;
  readonly own: () => KeyAndCertificate;
  /** A box is connected there, or is not any more. */
  readonly onBox: (id: Guid) => void;
  /** It is connected to, for the first time or again. */
  readonly onOpen: (link: PeerLink) => void;
  readonly clock: Clock;
}

/** A hub's connection to another one, opened anew whenever it ends: which boxes are there, and requests to them. */
export class PeerLink {
  readonly #options: PeerLinkOptions;
  readonly #present = new Map<Guid, PresentBox>();
  #socket: TLSSocket | undefined;
  #session: ClientHttp2Session | undefined;
  #timer: ClockTimer | undefined;
  #pings: ClockTimer | undefined;
  #isStopped = false;
  /** Since when there is no connection, monotonic. */
  #lostUs: number;

  constructor(options: PeerLinkOptions) {
    this.#options = options;
    this.#lostUs = options.clock.monotonicUs();
    this.#dial();
  }

  get isOpen(): boolean {
    return this.#session !== undefined && !this.#session.destroyed && !this.#session.closed;
  }

  /** For how long there was no connection; 0: there is one. */
  get lostMs(): number {
    return this.isOpen ? 0 : (this.#options.clock.monotonicUs() - this.#lostUs) / US_PER_MS;
  }

  box(id: Guid): PresentBox | undefined {
    return this.#present.get(id);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
    this.#socket?.destroy();
  }

  /** Begins a request to a box that is connected there. Throws NvrdError NOT_AVAILABLE. */
  open(
    id: Guid,
    headers: OutgoingHttpHeaders,
    { role, hasBody }: { readonly role: LinkRole; readonly hasBody: boolean },
  ): ClientHttp2Stream {
    return this.#required.request(
      { ...headers, [BOX_HEADER]: id, [ROLE_HEADER]: role },
      { endStream: !hasBody },
    );
  }

  /** Asks the other hub itself. Rejects with NvrdError NOT_AVAILABLE. */
  async ask(path: string, body: object): Promise<unknown> {
    const stream = this.#required.request({ ":path": path, ":method": "POST" });
    stream.on("error", () => stream.destroy());
    stream.end(JSON.stringify(body));
    const limits = { bytesMax: PEER_MESSAGE_BYTES_MAX, ms: ANSWER_MS_MAX, clock: this.#options.clock };
    const { status, body: said } = await wholeAnswer(stream, limits);
    if (status !== 200) throw new NvrdError("NOT_AVAILABLE", `another hub answers with status ${status}`);
    return JSON.parse(said.toString("utf8"));
  }

  get #required(): ClientHttp2Session {
    if (this.#session !== undefined && this.isOpen) return this.#session;
    throw new NvrdError("NOT_AVAILABLE", "the hub that has this recorder's connection is not reached");
  }

  #dial(): void {
    const { peer, authority, own, clock } = this.#options;
    const { key, certificate } = own();
    const place = readPlace(peer) ?? { host: "", port: 0 };
    const socket = connect({
      ...{ ...place, ca: authority, cert: certificate, key, servername: HUB_NAME },
      ...{ minVersion: "TLSv1.3", ALPNProtocols: ["h2"] },
    });
    this.#socket = socket;
    socket.setNoDelay(true);
    this.#timer = clock.setTimeout(() => socket.destroy(), CONNECT_MS_MAX);
    // Why there is none is in the end.
    socket.on("error", () => socket.destroy());
    socket.once("secureConnect", () => this.#connected(socket));
    socket.once("close", () => this.#ended());
  }

  #connected(socket: TLSSocket): void {
    this.#timer?.clear();
    const session = connectHttp2("https://hub", {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: UNACKNOWLEDGED_BYTES_MAX },
      maxSessionMemory: SESSION_MEGABYTES_MAX,
    });
    session.on("error", () => session.destroy());
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_BYTES_MAX));
    // Before its settings have come, nobody knows whether it takes WebSockets.
    session.once("remoteSettings", () => this.#follow(session));
    this.#pings = this.#options.clock.setInterval(() => this.#ping(session, socket), PING_MS);
  }

  #follow(session: ClientHttp2Session): void {
    if (session.destroyed) return;
    this.#session = session;
    this.#options.onOpen(this);
    const stream = session.request({ ":path": PRESENT_PATH });
    stream.setEncoding("utf8");
    stream.on("error", () => stream.destroy());
    stream.once("close", () => session.destroy());
    let rest = "";
    stream.on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > PEER_MESSAGE_BYTES_MAX || !lines.every((line) => this.#note(line))) session.destroy();
    });
  }

  /** Whether the line could be read. */
  #note(line: string): boolean {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), presentLine), line);
    if (!read.success || this.#present.size > BOXES_MAX) return false;
    const { Box: id, Here } = read.output;
    if (Here === null) this.#present.delete(id);
    else this.#present.set(id, Here);
    this.#options.onBox(id);
    return true;
  }

  #ping(session: ClientHttp2Session, socket: TLSSocket): void {
    if (session.destroyed) return;
    const late = this.#options.clock.setTimeout(() => socket.destroy(), PONG_MS_MAX);
    if (!session.ping(() => late.clear())) late.clear();
  }

  #ended(): void {
    const { clock, onBox } = this.#options;
    this.#timer?.clear();
    this.#pings?.clear();
    this.#session?.destroy();
    if (this.#session !== undefined) this.#lostUs = clock.monotonicUs();
    this.#session = undefined;
    const gone = [...this.#present.keys()];
    this.#present.clear();
    for (const id of gone) onBox(id);
    if (!this.#isStopped) this.#timer = clock.setTimeout(() => this.#dial(), RETRY_MS * (1 + Math.random()));
  }
}
