import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { isIP, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { directReader, NOTHING_NOW, type SocketInternals, socketInternals } from "./direct-receive.js";

/** Where to connect, and how. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** RTSP over TLS. */
  readonly secure: boolean;
  /**
   * Refuse certificates that no known authority signed. Off by default: cameras have self-signed ones, which the
   * recorder cannot check.
   */
  readonly verifyCertificate: boolean;
  /** Resolve the name to IPv4 addresses only; default: any. */
  readonly ipv4Only?: boolean;
}

/** Events of a connection. */
export interface SocketEvents {
  connected(): void;
  /** Memory for the next read; never empty. */
  target(): Buffer;
  /**
   * `byteLength` bytes have been read into the last target. `filled`: the target is full. False: nothing more is read
   * until reading is started again.
   */
  received(byteLength: number, filled: boolean): boolean;
  /** Called once, as the last event; with the error that ended the connection, if any. */
  closed(error: Error | undefined): void;
}

/** A TCP or TLS connection, as the RTSP client needs it. */
export interface ClientSocket {
  /** Address of the peer; empty until connected. */
  readonly remoteAddress: string;
  readonly localAddress: string;
  /** Written bytes that the kernel has not accepted yet. */
  readonly unsentBytes: number;
  write(bytes: Buffer): void;
  /** Stops and starts reading from the kernel. */
  setReading(on: boolean): void;
  /** Whether `readNow` works for it while reading is stopped. */
  readonly canReadNow: boolean;
  /**
   * While reading is stopped: reads what the kernel has buffered, and calls `received` for it within this call. False
   * if that is not possible; then start reading for a while.
   */
  readNow(): boolean;
  /** Sends what was written, then closes; no further events. */
  end(): void;
  /** Closes at once; no further events. */
  destroy(): void;
}

/** Creates connections. Passed in, so that tests can simulate cameras without a network. */
export interface Dialer {
  dial(endpoint: Endpoint, events: SocketEvents): ClientSocket;
  datagramSocket(family: 4 | 6): DatagramSocket;
}

/**
 * Most reads of one `readNow`, each of at least 32 KiB: the rest waits for the next call, and TCP flow control slows
 * the peer.
 */
const READS_MAX = 32;
/** How long `end` waits for the peer to receive what was written before it destroys the socket. */
const LINGER_MS = 1000;

/** Connections over the machine's network. */
export class NetworkDialer implements Dialer {
  dial(endpoint: Endpoint, events: SocketEvents): ClientSocket {
    return new NetworkSocket(endpoint, events);
  }

  datagramSocket(family: 4 | 6): DatagramSocket {
    return createSocket({ type: family === 4 ? "udp4" : "udp6", reuseAddr: false });
  }
}

class NetworkSocket implements ClientSocket {
  readonly #socket: Socket;
  readonly #events: SocketEvents;
  readonly #secure: boolean;
  /** The event loop's next target, unless `#isBehind`. */
  #target: Buffer | undefined;
  /** `readNow` has read since: the event loop's next target is out of date. */
  #isBehind = false;
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
      // tls.connect passes `onread` on to net.Socket; its type omits that.
      const rejectUnauthorized = endpoint.verifyCertificate;
      const options = { host, port, family, ...serverName, rejectUnauthorized, onread };
      this.#socket = tlsConnect(options);
    } else {
      this.#socket = netConnect({ host, port, family, noDelay: true, onread });
    }
    this.#socket.once(endpoint.secure ? "secureConnect" : "connect", () => {
      if (!this.#silent) events.connected();
    });
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
    if (this.#socket.writable) this.#socket.write(bytes);
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

  #closed(): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#socket.destroy();
    this.#events.closed(this.#error);
  }
}
