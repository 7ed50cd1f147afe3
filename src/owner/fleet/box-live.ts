import type { ClientHttp2Stream } from "node:http2";
import { clientFrame, closePayload, headOf, OPCODES, WebSocketFrames } from "../../fleet/index.js";
import { SocketClose } from "../../http/index.js";

/** With more waiting for the box, the socket is given up. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** Feeds of a box whose numbers are remembered: each stream that changes has another one, and the oldest is over. */
const FEEDS_MAX = 1024;
/** Of a binary message of the live socket, and where its feed is. */
const HEADER_BYTES = 32;
const FEED_OFFSET = 4;

/** A text message of the live socket, as far as it is looked at here. */
export interface LiveMessage {
  readonly type: string;
  readonly id?: unknown;
  readonly [member: string]: unknown;
}

export interface BoxLiveOptions {
  /** Begins the WebSocket of the box's live socket. */
  readonly open: () => Promise<ClientHttp2Stream>;
  /** What the client said of itself. */
  readonly hello: string;
  readonly onMessage: (message: LiveMessage) => void;
  /** A binary message; its feed is another number. */
  readonly onMedia: (bytes: Buffer) => void;
  readonly onPing: (text: string) => void;
  /** Another number for a feed of the box. */
  readonly nextFeed: () => number;
  /** Calls `run`, and sends together what it sends. */
  readonly together: (run: () => void) => void;
  /** Whether the client has so much waiting that nothing more is taken of the box. */
  readonly isFull: () => boolean;
  /** It has ended, or could not be opened; not after `close`. */
  readonly onEnd: (reason: string) => void;
}

/** A hub's client of the live socket of one box. What a box sends is not to be believed: what cannot be read ends it. */
export class BoxLive {
  readonly #options: BoxLiveOptions;
  readonly #waiting: string[] = [];
  /** Numbers of the box's feeds, as the client knows them. */
  readonly #feeds = new Map<number, number>();
  readonly #frames: WebSocketFrames;
  #stream: ClientHttp2Stream | undefined;
  #isEnded = false;

  constructor(options: BoxLiveOptions) {
    this.#options = options;
    this.#frames = new WebSocketFrames({
      onMessage: (payload, isBinary) =>
        isBinary ? this.#takeMedia(payload) : this.#takeText(payload.toString("utf8")),
      onPing: (payload) => options.onPing(payload.toString("latin1")),
      onClose: (_code, reason) => this.#end(reason),
    });
    void this.#open();
  }

  send(message: object): void {
    const text = JSON.stringify(message);
    if (this.#stream === undefined) this.#waiting.push(text);
    else this.#write(OPCODES.text, Buffer.from(text));
  }

  /** The client has what was sent before. */
  pong(text: string): void {
    if (this.#stream !== undefined) this.#write(OPCODES.pong, Buffer.from(text, "latin1"));
  }

  /** Something of what waited for the client was sent. */
  drained(): void {
    if (!this.#options.isFull()) this.#stream?.resume();
  }

  close(): void {
    this.#isEnded = true;
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#write(OPCODES.close, closePayload(SocketClose.goingAway, ""));
    stream.close();
  }

  async #open(): Promise<void> {
    try {
      const stream = await this.#options.open();
      const { status } = await headOf(stream);
      if (status !== 200 || this.#isEnded) {
        stream.close();
        this.#end(`it answers with status ${status}`);
        return;
      }
      this.#stream = stream;
      stream.on("data", (chunk: Buffer) => this.#take(chunk));
      stream.once("close", () => this.#end("the connection to it has ended"));
      for (const text of [this.#options.hello, ...this.#waiting.splice(0)])
        this.#write(OPCODES.text, Buffer.from(text));
    } catch (error) {
      this.#end(error instanceof Error ? error.message : "it cannot be asked");
    }
  }

  #take(chunk: Buffer): void {
    if (this.#isEnded) return;
    try {
      this.#options.together(() => this.#frames.push(chunk));
      if (this.#options.isFull()) this.#stream?.pause();
    } catch {
      // Viewers get a message that it has ended, and it is opened anew.
      this.#end("it sent what is no live socket's");
    }
  }

  #takeText(text: string): void {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string")
      throw new TypeError("a message without a type");
    const message = value as LiveMessage;
    const { type, feed } = message;
    if (type !== "stream" || typeof feed !== "number") this.#options.onMessage(message);
    else this.#options.onMessage({ ...message, feed: this.#feedOf(feed) });
  }

  #feedOf(feed: number): number {
    const known = this.#feeds.get(feed);
    if (known !== undefined) return known;
    const [oldest] = this.#feeds.keys();
    if (oldest !== undefined && this.#feeds.size >= FEEDS_MAX) this.#feeds.delete(oldest);
    const next = this.#options.nextFeed();
    this.#feeds.set(feed, next);
    return next;
  }

  /** A feed's number that means nothing to the client any more: should the box send that feed again, it gets another one. */
  forgetFeed(number: number): void {
    for (const [feed, known] of this.#feeds) if (known === number) this.#feeds.delete(feed);
  }

  /** The number is put into the message itself: its memory is this connection's own. */
  #takeMedia(payload: Buffer): void {
    const feed =
      payload.length < HEADER_BYTES ? undefined : this.#feeds.get(payload.readUInt32BE(FEED_OFFSET));
    if (feed === undefined) return;
    payload.writeUInt32BE(feed, FEED_OFFSET);
    this.#options.onMedia(payload);
  }

  #write(opcode: number, payload: Uint8Array): void {
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed || stream.writableEnded) return;
    if (stream.writableLength > UNSENT_BYTES_MAX) this.#end("it takes too little");
    else stream.write(clientFrame(opcode, payload));
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stream?.close();
    this.#options.onEnd(reason);
  }
}
