import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log } from "../../base/index.js";
import { RTP_PAYLOAD_BYTES_DEFAULT } from "../packetize/packetizer-batch.js";
import { type MountResolver, type MountSource, resolveFromMap } from "./mount.js";
import { PacketizedTracks } from "./packetized-tracks.js";
import { ServerAuthenticator, type ServerCredentials } from "./server-authenticator.js";
import { SESSION_TIMEOUT_MS_DEFAULT, ServerConnection } from "./server-connection.js";
import { UdpPorts } from "./udp-ports.js";

/** Most connections at a time; a further one is closed at once. */
export const CONNECTIONS_MAX_DEFAULT = 256;
/** Once this share of them is in use, an address that has more than its own bound gets no further one. */
const CROWDED_SHARE = 0.5;
/** Most connections of one address at a crowded server. */
export const CONNECTIONS_PER_ADDRESS_MAX = 128;

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
  /** Serve RTP over UDP as well; false when absent. */
  readonly udp?: boolean;
  /** What of a request's URI may stand in answers, where it carries credentials in its query; all of it when absent. */
  readonly publicUri?: (uri: string) => string;
  /** Most RTP payload bytes a packet; default 1400. */
  readonly payloadBytesMax?: number;
}

/**
 * An RTSP 1.0 server (RFC 2326) that sends RTP over the RTSP connection (interleaved) and, where it is to, over UDP,
 * else answers that 461. Every viewer has a bounded queue; a slow one loses frames up to a key frame and delays nobody.
 */
export class RtspServer {
  readonly #options: RtspServerOptions;
  readonly #resolve: MountResolver;
  readonly #connections = new Set<ServerConnection>();
  /** By what sources share. */
  readonly #tracks = new WeakMap<object, PacketizedTracks>();
  /** Connections by the client's address. */
  readonly #byAddress = new Map<string, number>();
  readonly #udp: UdpPorts | undefined;
  #server: Server | undefined;
  #ticker: ClockTimer | undefined;

  constructor(options: RtspServerOptions) {
    this.#options = options;
    this.#resolve = typeof options.mounts === "function" ? options.mounts : resolveFromMap(options.mounts);
    this.#udp = options.udp === true ? new UdpPorts(options) : undefined;
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
    await this.#udp?.close();
  }

  #tick(): void {
    const monotonicUs = this.#options.clock.monotonicUs();
    for (const connection of [...this.#connections]) connection.onTick(monotonicUs);
  }

  #accept(socket: Socket): void {
    const { clock, log, credentials, publicUri = (uri: string) => uri } = this.#options;
    const address = withoutMapping(socket.remoteAddress ?? "unknown");
    const refusal = this.#refusal(address);
    if (refusal !== undefined) {
      log.warn({ address, connections: this.#connections.size }, `RTSP connection refused: ${refusal}`);
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    const connection = new ServerConnection({
      socket,
      peer: `${address}:${socket.remotePort ?? 0}`,
      address,
      localAddress: withoutMapping(socket.localAddress ?? "127.0.0.1"),
      clock,
      log,
      resolve: this.#resolve,
      tracksOf: (source, description) => this.#tracksOf(source).forFormats(description.formats),
      authenticator: credentials === undefined ? undefined : new ServerAuthenticator({ credentials, clock }),
      sessionTimeoutMs: this.#options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS_DEFAULT,
      udp: this.#udp,
      publicUri,
      onClose: (closed) => {
        if (this.#connections.delete(closed)) this.#count(address, -1);
      },
    });
    this.#connections.add(connection);
    this.#count(address, 1);
    connection.start();
  }

  #refusal(address: string): string | undefined {
    const { connectionsMax = CONNECTIONS_MAX_DEFAULT } = this.#options;
    const { size } = this.#connections;
    if (this.#server === undefined) return "the server stops";
    if (size >= connectionsMax) return `there are ${connectionsMax}, the most there may be`;
    const isCrowded = size >= connectionsMax * CROWDED_SHARE;
    if (isCrowded && (this.#byAddress.get(address) ?? 0) >= CONNECTIONS_PER_ADDRESS_MAX)
      return `there are ${CONNECTIONS_PER_ADDRESS_MAX} of this address`;
    return undefined;
  }

  #count(address: string, change: number): void {
    const count = (this.#byAddress.get(address) ?? 0) + change;
    if (count === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, count);
  }

  #tracksOf(source: MountSource): PacketizedTracks {
    const shared = source.shared ?? source;
    let tracks = this.#tracks.get(shared);
    if (tracks === undefined) {
      tracks = new PacketizedTracks(this.#options.payloadBytesMax ?? RTP_PAYLOAD_BYTES_DEFAULT);
      this.#tracks.set(shared, tracks);
    }
    return tracks;
  }
}

/** An IPv4 address as it is where a socket for both families maps it into IPv6. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/i, "");
}
