import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import { RTP_PAYLOAD_BYTES_DEFAULT } from "../packetizer-batch.js";
import { type MountResolver, type MountSource, resolveFromMap } from "./mount.js";
import { PacketizedTracks } from "./packetized-tracks.js";
import { ServerAuthenticator, type ServerCredentials } from "./server-authenticator.js";
import { SESSION_TIMEOUT_MS_DEFAULT, ServerConnection } from "./server-connection.js";

/** Most connections at a time; a further one is closed at once. */
export const CONNECTIONS_MAX_DEFAULT = 256;

const TICK_MS = 1000;
const KEEP_ALIVE_DELAY_MS = 30_000;

export interface RtspServerOptions {
  /** Address to listen on: an IPv4 or IPv6 address of this machine. */
  readonly listen: string;
  /** 0 lets the kernel choose. */
  readonly port: number;
  /** Sources by path (`/street`), or a function that finds them. */
  readonly mounts: ReadonlyMap<string, MountSource> | MountResolver;
  readonly clock: Clock;
  readonly log: Log;
  /** Without credentials everybody may watch. */
  readonly credentials?: ServerCredentials;
  /** Default 60000 ms. */
  readonly sessionTimeoutMs?: number;
  readonly connectionsMax?: number;
  /** Most RTP payload bytes a packet; default 1400. */
  readonly payloadBytesMax?: number;
}

/**
 * An RTSP 1.0 server (RFC 2326) that sends RTP over the RTSP connection (interleaved). UDP is answered 461. Every
 * viewer has a bounded queue; a slow one loses frames up to a key frame and delays nobody.
 */
export class RtspServer {
  readonly #options: RtspServerOptions;
  readonly #resolve: MountResolver;
  readonly #connections = new Set<ServerConnection>();
  readonly #tracks = new WeakMap<MountSource, PacketizedTracks>();
  #server: Server | undefined;
  #ticker: ClockTimer | undefined;

  constructor(options: RtspServerOptions) {
    this.#options = options;
    this.#resolve = typeof options.mounts === "function" ? options.mounts : resolveFromMap(options.mounts);
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Listens; rejects with the system's error when the address or port cannot be had. */
  async start(): Promise<{ port: number }> {
    const server = createServer({ allowHalfOpen: false }, (socket) => this.#accept(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: this.#options.listen, port: this.#options.port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    server.on("error", (error) => this.#options.log.error({ error: errorText(error) }, "RTSP server"));
    this.#ticker = this.#options.clock.setInterval(() => this.#tick(), TICK_MS);
    return { port: (server.address() as AddressInfo).port };
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    this.#ticker?.clear();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of [...this.#connections]) connection.close("the server stops");
    await closed;
  }

  #tick(): void {
    const monotonicUs = this.#options.clock.monotonicUs();
    for (const connection of [...this.#connections]) connection.onTick(monotonicUs);
  }

  #accept(socket: Socket): void {
    const { clock, log, credentials, connectionsMax = CONNECTIONS_MAX_DEFAULT } = this.#options;
    if (this.#connections.size >= connectionsMax || this.#server === undefined) {
      log.warn({ connectionsMax }, "RTSP connection refused: too many connections");
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    const connection = new ServerConnection({
      socket,
      peer: `${socket.remoteAddress ?? "unknown"}:${socket.remotePort ?? 0}`,
      localAddress: (socket.localAddress ?? "127.0.0.1").replace(/^::ffff:/i, ""),
      clock,
      log,
      resolve: this.#resolve,
      tracksOf: (source, description) => this.#tracksOf(source).forFormats(description.formats),
      authenticator: credentials === undefined ? undefined : new ServerAuthenticator({ credentials, clock }),
      sessionTimeoutMs: this.#options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS_DEFAULT,
      onClose: (closed) => this.#connections.delete(closed),
    });
    this.#connections.add(connection);
    connection.start();
  }

  #tracksOf(source: MountSource): PacketizedTracks {
    let tracks = this.#tracks.get(source);
    if (tracks === undefined) {
      tracks = new PacketizedTracks(this.#options.payloadBytesMax ?? RTP_PAYLOAD_BYTES_DEFAULT);
      this.#tracks.set(source, tracks);
    }
    return tracks;
  }
}
