import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { RtspFailure, statusFailure, unauthorizedFailure } from "../rtsp-failure.js";
import type { ClientSocket, Endpoint, SocketEvents, TunnelEntry } from "./client-socket.js";
import { ChunkRemover, type HttpHead, HttpHeadReader, isChunked, writeTunnelRequest } from "./tunnel-http.js";

/** The camera sends the tunnel elsewhere. */
export class TunnelRedirect extends RtspFailure {
  readonly location: string;

  constructor(location: string) {
    super("rejected", "the camera redirects its tunnel more often than is followed: check its address");
    this.location = location;
  }
}

/**
 * What a POST announces at first: years of requests and reports, because many cameras take one POST for a tunnel. Where that is
 * refused, the length that QuickTime announced, and another POST behind it.
 */
export const POST_BYTES_FIRST = 1_073_741_823;
export const POST_BYTES_SMALL = 32_766;
/** Refusals that may be about the length (400, 411 and 413). */
const LENGTH_REFUSED: ReadonlySet<number> = new Set([400, 411, 413]);
const REDIRECTED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What servers answer that know no tunnels. */
const NO_TUNNEL: ReadonlySet<number> = new Set([400, 405, 406, 415, 454, 455, 461, 501, 505, 551]);
const UNAUTHORIZED = 401;
/** Challenges answered for one request: the first, and one for a stale nonce. */
const CHALLENGES_ANSWERED_MAX = 2;
/** Most bytes kept until the camera sends something: they are sent again where a POST is refused or broken off. */
const UNHEARD_BYTES_MAX = 64 * 1024;
/** For what a POST is answered; its body is nobody's. */
const POST_TARGET_BYTES = 4096;
const USER_AGENT = "nvrd";

export interface TunnelOptions {
  readonly endpoint: Endpoint;
  readonly tunnel: TunnelEntry;
  readonly events: SocketEvents;
  /** Makes each connection of the tunnel. */
  readonly dial: (endpoint: Endpoint, events: SocketEvents) => ClientSocket;
}

/**
 * A connection to an RTSP server through HTTP or HTTPS: the answer to a GET is read as if it were the connection, in the memory where
 * frames are built; what is written goes out in base64 as the body of a POST, which is opened again where the camera closes it.
 */
export class TunnelSocket implements ClientSocket {
  readonly #endpoint: Endpoint;
  readonly #entry: TunnelEntry;
  readonly #place: string;
  readonly #events: SocketEvents;
  readonly #dial: TunnelOptions["dial"];
  /** Letters and digits only, and no more than 22: some cameras keep no longer ones. */
  readonly #cookie = randomBytes(11).toString("hex");
  #get: ClientSocket;
  #head: HttpHeadReader | undefined;
  #chunks: ChunkRemover | undefined;
  #target: Buffer = Buffer.alloc(0);
  #getChallenges = 0;
  #post: TunnelPost | undefined;
  #postChallenges = 0;
  #postBytes = POST_BYTES_FIRST;
  #isConnected = false;
  #isClosed = false;
  /** Written since the camera last sent something, as it goes out. */
  #unheard: Buffer[] = [];
  #unheardBytes = 0;
  #wasSentAgain = false;

  constructor({ endpoint, tunnel, events, dial }: TunnelOptions) {
    this.#endpoint = endpoint;
    this.#entry = tunnel;
    const host = endpoint.host.replace(/%.*$/, "");
    this.#place = `${isIPv6(host) ? `[${host}]` : host}:${endpoint.port}`;
    this.#events = events;
    this.#dial = dial;
    this.#get = this.#openGet();
  }

  get remoteAddress(): string {
    return this.#get.remoteAddress;
  }

  get localAddress(): string {
    return this.#get.localAddress;
  }

  get unsentBytes(): number {
    return this.#post?.unsentBytes ?? 0;
  }

  get canReadNow(): boolean {
    return this.#get.canReadNow;
  }

  setReading(on: boolean): void {
    this.#get.setReading(on);
  }

  readNow(): boolean {
    return this.#get.readNow();
  }

  write(bytes: Buffer): void {
    if (this.#isClosed) return;
    const text = Buffer.from(bytes.toString("base64"), "latin1");
    this.#unheard.push(text);
    this.#unheardBytes += text.length;
    if (this.#unheardBytes > UNHEARD_BYTES_MAX) this.#heard();
    this.#send(text);
  }

  end(): void {
    this.#isClosed = true;
    this.#post?.end();
    this.#get.end();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#post?.destroy();
    this.#get.destroy();
  }

  #openGet(): ClientSocket {
    this.#head = new HttpHeadReader();
    const { login, target } = this.#entry;
    const authorization = login.authorization("GET", target);
    const socket = this.#dial(this.#endpoint, {
      connected: () => {
        const head = this.#request("GET", authorization);
        if (head !== undefined) socket.write(head);
      },
      target: () => {
        this.#target = this.#events.target();
        return this.#target;
      },
      received: (byteLength, filled) => this.#received(byteLength, filled, authorization !== undefined),
      closed: (error) => this.#fail(error),
    });
    return socket;
  }

  /** Undefined when it cannot be sent; then the tunnel has ended. */
  #request(method: "GET" | "POST", authorization: string | undefined): Buffer | undefined {
    const common = { place: this.#place, cookie: this.#cookie, userAgent: USER_AGENT, authorization };
    const length = method === "POST" ? { contentLength: this.#postBytes } : {};
    try {
      return writeTunnelRequest({ method, target: this.#entry.target, ...common, ...length });
    } catch (error) {
      const words = `${method} of the tunnel to ${this.#place} cannot be sent: a value has control characters`;
      this.#fail(new RtspFailure("protocol", words, { cause: error }));
      return undefined;
    }
  }

  #received(byteLength: number, filled: boolean, sentLogin: boolean): boolean {
    if (this.#isClosed) return false;
    if (this.#head !== undefined) return this.#readHead(this.#head, byteLength, filled, sentLogin);
    return this.#deliver(byteLength, filled);
  }

  #readHead(reader: HttpHeadReader, byteLength: number, filled: boolean, sentLogin: boolean): boolean {
    const taken = reader.take(Buffer.from(this.#target.subarray(0, byteLength)));
    if (taken === undefined) return true;
    if (taken === "not-http") {
      const words = `${this.#place} does not speak HTTP: check the port of the tunnel`;
      return this.#fail(new RtspFailure("protocol", words));
    }
    const { head, body } = taken;
    if (head.status >= 300) return this.#getRefused(head, sentLogin);
    if (sentLogin) this.#entry.login.accepted();
    this.#head = undefined;
    this.#chunks = isChunked(head) ? new ChunkRemover() : undefined;
    body.copy(this.#target);
    this.#openPost();
    if (this.#isClosed) return false;
    return body.length === 0 || this.#deliver(body.length, filled);
  }

  #deliver(byteLength: number, filled: boolean): boolean {
    const bytes = this.#chunks?.remove(this.#target.subarray(0, byteLength)) ?? byteLength;
    if (this.#chunks?.isOver === true && bytes === 0) return this.#fail(undefined);
    if (bytes > 0) this.#heard();
    return this.#events.received(bytes, filled);
  }

  /** The camera has read what it was sent: it answers. */
  #heard(): void {
    if (this.#unheardBytes === 0) return;
    this.#unheard = [];
    this.#unheardBytes = 0;
    this.#wasSentAgain = false;
  }

  #getRefused(head: HttpHead, sentLogin: boolean): boolean {
    if (head.status !== UNAUTHORIZED) return this.#fail(this.#refusal(head, "GET"));
    const verdict = this.#entry.login.challenged(head, sentLogin);
    this.#getChallenges += 1;
    if (verdict !== "retry" || this.#getChallenges > CHALLENGES_ANSWERED_MAX)
      return this.#fail(unauthorizedFailure(verdict));
    // On a connection of its own: what follows the challenge's head on this one need not be read.
    this.#get.destroy();
    this.#get = this.#openGet();
    return false;
  }

  #refusal({ status, headers }: HttpHead, method: string): RtspFailure {
    const location = headers.get("location")?.[0] ?? "";
    if (REDIRECTED.has(status) && location !== "") return new TunnelRedirect(location);
    if (NO_TUNNEL.has(status)) {
      const words = `${this.#place} offers no RTSP over HTTP (${status}): use rtsp://, or switch it on in the camera`;
      return new RtspFailure("transport", words, { rtspStatus: status });
    }
    return statusFailure(status, "", `${method} of the tunnel`);
  }

  #openPost(): void {
    const authorization = this.#entry.login.authorization("POST", this.#entry.target);
    const head = this.#request("POST", authorization);
    if (head === undefined) return;
    const post: TunnelPost = new TunnelPost({
      dial: (events) => this.#dial(this.#endpoint, events),
      head,
      bytesMax: this.#postBytes,
      connected: () => {
        if (this.#isConnected || this.#isClosed) return;
        this.#isConnected = true;
        this.#events.connected();
      },
      answered: (head) => {
        if (this.#post === post) this.#postAnswered(head, authorization !== undefined);
      },
      closed: (error) => {
        if (this.#post === post) this.#postClosed(error);
      },
    });
    this.#post = post;
  }

  #send(text: Buffer): void {
    if (this.#post?.takes(text.length) !== true) {
      // A POST that has all that it announced is complete: the rest is another one's.
      this.#post?.end();
      this.#openPost();
    }
    this.#post?.write(text);
  }

  /** Most cameras never answer a POST; those that do say 200, at once or at its end. */
  #postAnswered(head: HttpHead, sentLogin: boolean): void {
    if (head.status < 300) return;
    if (head.status === UNAUTHORIZED) {
      const verdict = this.#entry.login.challenged(head, sentLogin);
      this.#postChallenges += 1;
      if (verdict === "retry" && this.#postChallenges <= CHALLENGES_ANSWERED_MAX) this.#sendAgain();
      else this.#fail(unauthorizedFailure(verdict));
      return;
    }
    if (LENGTH_REFUSED.has(head.status) && this.#postBytes !== POST_BYTES_SMALL) {
      this.#postBytes = POST_BYTES_SMALL;
      this.#sendAgain();
      return;
    }
    this.#fail(this.#refusal(head, "POST"));
  }

  /** Some cameras close each POST once they have read it: then nothing is lost, and the next request opens another. */
  #postClosed(error: Error | undefined): void {
    this.#post = undefined;
    if (error === undefined) return;
    if (!this.#isConnected || error instanceof RtspFailure || (this.#wasSentAgain && this.#unheardBytes > 0))
      this.#fail(error);
    else if (this.#unheardBytes > 0) {
      this.#wasSentAgain = true;
      this.#sendAgain();
    }
  }

  #sendAgain(): void {
    this.#post?.destroy();
    this.#openPost();
    for (const text of this.#unheard) this.#send(text);
  }

  #fail(error: Error | undefined): false {
    if (this.#isClosed) return false;
    this.destroy();
    this.#events.closed(error);
    return false;
  }
}

interface PostOptions {
  readonly dial: (events: SocketEvents) => ClientSocket;
  readonly head: Buffer;
  /** What its head announces. */
  readonly bytesMax: number;
  connected(): void;
  answered(head: HttpHead): void;
  /** The connection ended by itself. */
  closed(error: Error | undefined): void;
}

/** One POST of a tunnel. */
class TunnelPost {
  readonly #socket: ClientSocket;
  readonly #answer = new HttpHeadReader();
  readonly #target = Buffer.allocUnsafe(POST_TARGET_BYTES);
  #waiting: Buffer[] | undefined = [];
  #left: number;
  #isAnswered = false;
  #isEnding = false;

  constructor(options: PostOptions) {
    this.#left = options.bytesMax;
    this.#socket = options.dial({
      connected: () => {
        this.#socket.write(options.head);
        for (const text of this.#waiting ?? []) this.#socket.write(text);
        this.#waiting = undefined;
        if (this.#isEnding) this.#socket.end();
        else options.connected();
      },
      target: () => this.#target,
      received: (byteLength) => {
        if (this.#isAnswered) return true;
        const taken = this.#answer.take(Buffer.from(this.#target.subarray(0, byteLength)));
        if (taken === undefined) return true;
        this.#isAnswered = true;
        if (taken !== "not-http") options.answered(taken.head);
        return true;
      },
      closed: (error) => options.closed(error),
    });
  }

  get unsentBytes(): number {
    return this.#socket.unsentBytes + (this.#waiting ?? []).reduce((sum, text) => sum + text.length, 0);
  }

  takes(byteLength: number): boolean {
    return byteLength <= this.#left;
  }

  write(text: Buffer): void {
    this.#left -= text.length;
    if (this.#waiting === undefined) this.#socket.write(text);
    else this.#waiting.push(text);
  }

  /** Sends what was written, then closes. */
  end(): void {
    if (this.#waiting === undefined) this.#socket.end();
    else this.#isEnding = true;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
