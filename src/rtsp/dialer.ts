import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { isIP, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";

/** Where to connect, and how. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** RTSP over TLS. */
  readonly secure: boolean;
  /**
   * Refuse certificates that no known authority signed. Off by default: cameras carry self-signed ones, and the
   * recorder has nothing to check them against.
   */
  readonly verifyCertificate: boolean;
}

/** What a connection tells its owner. */
export interface SocketEvents {
  connected(): void;
  /** Memory for the next read; never empty. */
  target(): Buffer;
  /** `byteLength` bytes have been read into the last target. `filled`: there was no room for more. */
  received(byteLength: number, filled: boolean): void;
  /** Once, last; with the error that ended the connection, if one did. */
  closed(error: Error | undefined): void;
}

/** A stream connection, as the RTSP client needs it. */
export interface ClientSocket {
  /** Address of the peer; empty until connected. */
  readonly remoteAddress: string;
  readonly localAddress: string;
  /** Bytes written that the kernel has not taken yet. */
  readonly unsentBytes: number;
  write(bytes: Buffer): void;
  /** Stops and starts reading from the kernel. */
  setReading(on: boolean): void;
  /** Sends what is written, then closes; nothing is told any more. */
  end(): void;
  /** Closes at once; nothing is told any more. */
  destroy(): void;
}

/** Makes connections. Passed in, so that tests play cameras without a network. */
export interface Dialer {
  dial(endpoint: Endpoint, events: SocketEvents): ClientSocket;
  datagramSocket(family: 4 | 6): DatagramSocket;
}

/** How long `end` waits for the peer to take what was written before it destroys the socket. */
const LINGER_MS = 1000;

/** Connections of the machine's network. */
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
  #error: Error | undefined;
  #silent = false;

  constructor(endpoint: Endpoint, events: SocketEvents) {
    this.#events = events;
    // The function-buffer form: the kernel writes straight into the memory frames will lie in.
    const onread = {
      buffer: () => events.target(),
      callback: (byteLength: number, buffer: Uint8Array) => {
        if (!this.#silent) events.received(byteLength, byteLength === buffer.length);
        return true;
      },
    };
    const { host, port } = endpoint;
    if (endpoint.secure) {
      const serverName = isIP(host) === 0 ? { servername: host } : {};
      // `onread` is passed on to net.Socket; the type of tls.connect does not say so.
      const options = { host, port, ...serverName, rejectUnauthorized: endpoint.verifyCertificate, onread };
      this.#socket = tlsConnect(options);
    } else {
      this.#socket = netConnect({ host, port, noDelay: true, onread });
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
    if (on) this.#socket.resume();
    else this.#socket.pause();
  }

  end(): void {
    this.#silent = true;
    this.#socket.resume();
    this.#socket.setTimeout(LINGER_MS, () => this.#socket.destroy());
    this.#socket.end(() => this.#socket.destroy());
  }

  destroy(): void {
    this.#silent = true;
    this.#socket.destroy();
  }

  #closed(): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#socket.destroy();
    this.#events.closed(this.#error);
  }
}
