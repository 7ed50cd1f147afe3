import type { Socket as DatagramSocket } from "node:dgram";
import type { Authenticator } from "../authentication.js";
import type { PeerKey } from "./peer-key.js";

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
  /**
   * With `secure`: asked with the key that the peer has proven to own, before anything is sent. False: the connection ends. Absent:
   * any key is good.
   */
  readonly acceptsKey?: ((key: PeerKey) => boolean) | undefined;
  /** Through HTTP, with `secure` through HTTPS; absent: RTSP itself. */
  readonly tunnel?: TunnelEntry | undefined;
}

/** Where a tunnel begins at the camera. */
export interface TunnelEntry {
  /** Path and query of its requests. */
  readonly target: string;
  /** Answers the camera's challenges at the level of HTTP, over all connections. */
  readonly login: Authenticator;
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
