import type { us_socket_context_t, WebSocket, WebSocketBehavior } from "uWebSockets.js";
import { type Clock, noteWork, US_PER_MS, US_PER_SECOND } from "../base/index.js";
import { guarded } from "./guarded.js";

/** Maximum size of a message from a client; the library closes the connection beyond it. */
const SOCKET_MESSAGE_BYTES_MAX = 16 * 1024;
/** Messages that a client may send a second, over a longer time, and at once. */
const SOCKET_MESSAGES_PER_SECOND_MAX = 50;
export const SOCKET_MESSAGES_AT_ONCE_MAX = 250;
/** Bytes that wait for one client; a message that comes on top closes the connection. */
export const SOCKET_WAITING_BYTES_MAX = 24 * 1024 * 1024;
/** A client that says nothing for this long, not even a pong, is disconnected. The library pings before that. */
export const SOCKET_IDLE_S = 32;

/** The library's answer where nothing of a message waits. */
const SENT = 1;

/** Close codes (RFC 6455, 7.4.1). */
export const SocketClose = { goingAway: 1001, policy: 1008 } as const;

/** What the client sent to ask for a WebSocket (RFC 6455, 4.1). */
export interface SocketUpgrade {
  readonly key: string;
  /** The subprotocols that it offers, comma-separated. */
  readonly protocols: string;
  readonly extensions: string;
  readonly context: us_socket_context_t;
}

/** Receives what a client sends. An exception closes the connection. */
export interface SocketListener {
  /** `text` is undefined for a binary message that `onBytes` does not take. */
  onMessage(text: string | undefined): void;
  /** A binary message, where clients may send some; its memory is reused after this call. */
  onBytes?(bytes: Uint8Array): void;
  /** What waited for the client has been sent, all of it or a part. */
  onDrain(): void;
  /** The client has answered a ping, which had this text. */
  onPong(text: string): void;
  /** Called once, whoever closed it; nothing can be sent any more. */
  onClose(): void;
}

/** What the library keeps with a connection. */
export interface SocketData {
  readonly connection: SocketConnection;
}

export interface SocketConnectionOptions {
  /** The subprotocol, for what is said of its messages. */
  readonly protocol: string;
  readonly listener: SocketListener;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** One client over a WebSocket. Messages that the client is too slow for wait in memory, up to a limit. */
export class SocketConnection {
  readonly #options: SocketConnectionOptions;
  #library: WebSocket<SocketData> | undefined;
  #allowance = SOCKET_MESSAGES_AT_ONCE_MAX;
  #allowedUs: number;
  readonly #closeListeners: (() => void)[] = [];
  #sentBytes = 0;
  /** The library has said that something waits; asking it each time costs more than remembering. */
  #mayWait = false;

  constructor(options: SocketConnectionOptions) {
    this.#options = options;
    this.#allowedUs = options.clock.monotonicUs();
  }

  get isOpen(): boolean {
    return this.#library !== undefined;
  }

  /** Bytes that wait for the client; 0 once it has gone. */
  get waitingBytes(): number {
    return this.#mayWait ? (this.#library?.getBufferedAmount() ?? 0) : 0;
  }

  /** Bytes of all messages so far, those that wait too. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /**
   * Sends a message: text, or bytes that are copied where they cannot be sent at once. Closes the connection if too much waits
   * already. Does nothing once it is closed.
   */
  send(message: string | Uint8Array): void {
    const library = this.#library;
    if (library === undefined) return;
    this.#sentBytes += message.length;
    if (this.waitingBytes + message.length > SOCKET_WAITING_BYTES_MAX)
      this.close(SocketClose.policy, "the client reads too slowly");
    else if (library.send(message, typeof message !== "string") !== SENT) this.#mayWait = true;
  }

  /** The answer says that the client has all that was sent before. Text of at most 125 bytes. */
  ping(text: string): void {
    this.#library?.ping(text);
  }

  /** Closes the connection with a code and a reason of at most 123 bytes. Calling it twice is harmless. */
  close(code: number, reason: string): void {
    this.#library?.end(code, reason);
  }

  /** Calls `run`, and sends together what it sends. */
  together(run: () => void): void {
    if (this.#library === undefined) run();
    else this.#library.cork(run);
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener);
  }

  /** For the server: the library has opened it. */
  opened(library: WebSocket<SocketData>): void {
    this.#library = library;
  }

  /** For the server. */
  received(message: ArrayBuffer, isBinary: boolean): void {
    const { clock, listener, protocol } = this.#options;
    const startedUs = clock.monotonicUs();
    this.#guarded(() => {
      if (this.#mayReceive()) {
        if (isBinary && listener.onBytes !== undefined) listener.onBytes(new Uint8Array(message));
        else listener.onMessage(isBinary ? undefined : Buffer.from(message).toString("utf8"));
      } else this.close(SocketClose.policy, `more than ${SOCKET_MESSAGES_PER_SECOND_MAX} messages a second`);
    });
    noteWork(`messages of ${protocol}`, (clock.monotonicUs() - startedUs) / US_PER_MS);
  }

  /** For the server. */
  drained(): void {
    this.#mayWait = (this.#library?.getBufferedAmount() ?? 0) > 0;
    this.#guarded(() => this.#options.listener.onDrain());
  }

  /** For the server. */
  ponged(payload: ArrayBuffer): void {
    this.#guarded(() => this.#options.listener.onPong(Buffer.from(payload).toString("latin1")));
  }

  /** For the server: the library has closed it. */
  closed(): void {
    this.#library = undefined;
    this.#guarded(() => this.#options.listener.onClose());
    for (const listener of this.#closeListeners) this.#guarded(listener);
  }

  /** A bucket that fills steadily. */
  #mayReceive(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    const earned = ((nowUs - this.#allowedUs) * SOCKET_MESSAGES_PER_SECOND_MAX) / US_PER_SECOND;
    this.#allowedUs = nowUs;
    this.#allowance = Math.min(SOCKET_MESSAGES_AT_ONCE_MAX, this.#allowance + earned) - 1;
    return this.#allowance >= 0;
  }

  #guarded(run: () => void): void {
    guarded(run, this.#options.onFault, undefined)();
  }
}

/** How the library treats WebSockets. `onClosed`: a connection has gone, which the library does not count. */
export function socketBehavior(
  upgrade: NonNullable<WebSocketBehavior<SocketData>["upgrade"]>,
  onClosed: () => void,
): WebSocketBehavior<SocketData> {
  return {
    maxPayloadLength: SOCKET_MESSAGE_BYTES_MAX,
    idleTimeout: SOCKET_IDLE_S,
    sendPingsAutomatically: true,
    // Bounded by SocketConnection: the library would leave out messages without a word.
    maxBackpressure: 0,
    upgrade,
    open: (library) => library.getUserData().connection.opened(library),
    message: (library, message, isBinary) => library.getUserData().connection.received(message, isBinary),
    drain: (library) => library.getUserData().connection.drained(),
    pong: (library, payload) => library.getUserData().connection.ponged(payload),
    close: (library) => {
      onClosed();
      library.getUserData().connection.closed();
    },
  };
}
