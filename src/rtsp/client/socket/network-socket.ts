import { isIP, connect as netConnect, type Socket } from "node:net";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import { DirectSender } from "../../message/direct-send.js";
import { keyChangedWords, RtspFailure } from "../rtsp-failure.js";
import type { ClientSocket, Endpoint, SocketEvents } from "./client-socket.js";
import { directReader, NOTHING_NOW, type SocketInternals, socketInternals } from "./direct-receive.js";
import { CAMERA_TLS, peerKeyOf } from "./peer-key.js";

/**
 * Most reads of one `readNow`, each of at least 32 KiB: the rest waits for the next call, and TCP flow control slows
 * the peer.
 */
const READS_MAX = 32;
/** How long `end` waits for the peer to receive what was written before it destroys the socket. */
const LINGER_MS = 1000;

/** One TCP or TLS connection. */
export class NetworkSocket implements ClientSocket {
  readonly #socket: Socket;
  readonly #events: SocketEvents;
  readonly #secure: boolean;
  /** The event loop's next target, unless `#isBehind`. */
  #target: Buffer | undefined;
  /** `readNow` has read since: the event loop's next target is out of date. */
  #isBehind = false;
  /** Of a connection without TLS, once it is there. */
  #sender: DirectSender | undefined;
  #error: Error | undefined;
  #silent = false;

  constructor(endpoint: Endpoint, events: SocketEvents) {
    this.#events = events;
    this.#secure = endpoint.secure;
    // `buffer` is a function, so that the kernel writes directly into the memory of the frames.
    const onread = {
      buffer: () => {
        this.#target = events.target();
        return this.#target;
      },
      callback: (byteLength: number) => {
        if (!this.#silent) events.received(byteLength, byteLength === this.#target?.length);
        return true;
      },
    };
    const { host, port } = endpoint;
    const family = endpoint.ipv4Only === true ? 4 : 0;
    if (endpoint.secure) {
      const serverName = isIP(host) === 0 ? { servername: host } : {};
      const rules = endpoint.verifyCertificate ? {} : CAMERA_TLS;
      // tls.connect passes `onread` on to net.Socket; its type omits that.
      const options = { host, port, family, ...serverName, ...rules, onread };
      const socket = tlsConnect(options);
      this.#socket = socket;
      socket.once("secureConnect", () => this.#proven(socket, endpoint));
    } else {
      this.#socket = netConnect({ host, port, family, noDelay: true, onread });
      this.#socket.once("connect", () => {
        this.#sender = new DirectSender(this.#socket);
        if (!this.#silent) events.connected();
      });
    }
    this.#socket.on("error", (error) => {
      this.#error ??= error;
    });
    this.#socket.on("end", () => this.#closed());
    this.#socket.on("close", () => this.#closed());
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get localAddress(): string {
    return this.#socket.localAddress ?? "";
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  write(bytes: Buffer): void {
    if (!this.#socket.writable) return;
    const sentBytes = this.#sender?.send(bytes) ?? 0;
    if (sentBytes < bytes.length) this.#socket.write(bytes.subarray(sentBytes));
  }

  setReading(on: boolean): void {
    if (!on) {
      this.#socket.pause();
      return;
    }
    this.#catchUp();
    this.#socket.resume();
  }

  get canReadNow(): boolean {
    return !this.#secure && directReader !== undefined;
  }

  readNow(): boolean {
    if (this.#secure || directReader === undefined || !this.#socket.isPaused()) return false;
    for (let reads = 0; reads < READS_MAX && !this.#silent; reads += 1) {
      const internals = socketInternals(this.#socket);
      if (internals === undefined) return false;
      this.#isBehind = true;
      const target = this.#events.target();
      const byteLength = directReader(internals.fd, target);
      if (byteLength === NOTHING_NOW) return true;
      // End of stream, or an error: the event loop also sees it, and reports it in order.
      if (byteLength <= 0) return false;
      if (!this.#events.received(byteLength, byteLength === target.length)) return true;
      if (byteLength < target.length) return true;
    }
    return true;
  }

  end(): void {
    this.#silent = true;
    // Bytes that still arrive must not be written to memory that its owner has released.
    this.#isBehind = true;
    this.#catchUp();
    this.#socket.resume();
    this.#socket.setTimeout(LINGER_MS, () => this.#socket.destroy());
    this.#socket.end(() => this.#socket.destroy());
  }

  destroy(): void {
    this.#silent = true;
    this.#socket.destroy();
  }

  /** Node asks for the next target right after a read: after `readNow` it needs another. */
  #catchUp(): void {
    const internals: SocketInternals | undefined = this.#isBehind ? socketInternals(this.#socket) : undefined;
    if (internals === undefined) return;
    this.#isBehind = false;
    this.#target = this.#events.target();
    internals.useUserBuffer(this.#target);
  }

  /** The peer owns the key of its certificate: is it the one that is expected? Nothing was sent yet. */
  #proven(socket: TLSSocket, { acceptsKey, host, port }: Endpoint): void {
    if (this.#silent) return;
    const key = peerKeyOf(socket);
    if (acceptsKey !== undefined && (key === undefined || !acceptsKey(key))) {
      const place = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
      this.#error = new RtspFailure("key-changed", keyChangedWords(place));
      this.#closed();
    } else this.#events.connected();
  }

  #closed(): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#socket.destroy();
    this.#events.closed(this.#error);
  }
}
