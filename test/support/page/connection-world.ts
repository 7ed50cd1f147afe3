import type { ClientMessage, ServerMessage } from "../../../src/contract/answer/index.js";
import type {
  ConnectionEnvironment,
  SocketListener,
} from "../../../src/page/player/connection-environment.js";
import { type ConnectionReport, LiveConnection } from "../../../src/page/player/live-connection.js";
import type { MediaHeader } from "../../../src/page/player/media-header.js";
import type { WatchListener } from "../../../src/page/player/watch.js";
import { mediaMessage } from "./live-media.js";

/** One socket that the connection opened, seen from the service. */
export class FakeSocket {
  readonly sent: ClientMessage[] = [];
  isClosed = false;
  readonly #listener: SocketListener;

  constructor(listener: SocketListener) {
    this.#listener = listener;
  }

  open(): void {
    this.#listener.onOpen();
  }

  say(message: ServerMessage): void {
    this.#listener.onText(JSON.stringify(message));
  }

  welcome(time = 0): void {
    this.open();
    this.say({
      type: "welcome",
      version: "1",
      time,
      limits: { watches: 64, playbackChannels: 16, decks: 2 },
    });
  }

  media(header: Partial<MediaHeader>, body: Uint8Array = new Uint8Array(8)): void {
    this.#listener.onMedia(mediaMessage(header, body));
  }

  fail(): void {
    this.isClosed = true;
    this.#listener.onClose();
  }

  /** Messages of one type that came. */
  of<Type extends ClientMessage["type"]>(type: Type): Extract<ClientMessage, { type: Type }>[] {
    return this.sent.filter(
      (message): message is Extract<ClientMessage, { type: Type }> => message.type === type,
    );
  }
}

/** A connection with a clock and sockets of the test. */
export class ConnectionWorld {
  nowMs = 1_000_000;
  refused = 0;
  /** What the service told of its time: that, and when it was asked for and answered. */
  readonly serviceTimes: (readonly [serviceMs: number, askedMs: number, answeredMs: number])[] = [];
  readonly sockets: FakeSocket[] = [];
  readonly reports: ConnectionReport[] = [];
  readonly connection: LiveConnection;
  #timers: { atMs: number; call: () => void }[] = [];

  constructor() {
    const environment: ConnectionEnvironment = {
      open: (listener) => {
        const socket = new FakeSocket(listener);
        this.sockets.push(socket);
        return {
          send: (text) => void socket.sent.push(JSON.parse(text) as ClientMessage),
          close: () => {
            socket.isClosed = true;
          },
        };
      },
      nowMs: () => this.nowMs,
      after: (ms, call) => {
        const timer = { atMs: this.nowMs + ms, call };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
      random: () => 1,
      codecs: () => ["avc1"],
      onRefused: () => {
        this.refused += 1;
      },
      onServiceTime: (...times) => void this.serviceTimes.push(times),
    };
    this.connection = new LiveConnection(environment, (report) => void this.reports.push(report));
  }

  get socket(): FakeSocket {
    const last = this.sockets.at(-1);
    if (last === undefined) throw new Error("no socket was opened");
    return last;
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Lets time pass, timer by timer. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.call();
    }
    this.nowMs = untilMs;
  }

  /** The device sleeps: the clock goes on, timers do not. */
  sleep(ms: number): void {
    this.nowMs += ms;
  }
}

/** A watch's listener that writes down what it is sent. */
export function recordingListener(): WatchListener & { readonly heard: unknown[][] } {
  const heard: unknown[][] = [];
  const note =
    (name: string) =>
    (...values: unknown[]): void =>
      void heard.push([name, ...values]);
  return {
    heard,
    onStream: ({ feed }) => note("stream")(feed),
    onInit: (bytes) => note("init")(bytes.length),
    onFragment: ({ sequence }) => note("fragment")(sequence),
    onProblem: ({ reason }) => note("problem")(reason),
    onDropped: note("dropped"),
    onEnded: ({ code }) => note("ended")(code),
    onGap: ({ from, to }) => note("gap")(from, to),
  };
}
