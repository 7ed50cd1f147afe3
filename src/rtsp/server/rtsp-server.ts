import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log, RequestTurns } from "../../base/index.js";
import { RTP_PAYLOAD_BYTES_DEFAULT } from "../packetize/packetizer-batch.js";
import { type MountResolver, type MountSource, resolveFromMap } from "./mount.js";
import { PacketizedTracks } from "./packetized-tracks.js";
import { ServerAuthenticator, type ServerCredentials } from "./server-authenticator.js";
import { SESSION_TIMEOUT_MS_DEFAULT, ServerConnection } from "./server-connection.js";
import type { Strangers } from "./strangers.js";
import { UdpPorts } from "./udp-ports.js";

/** Most connections at a time; further ones are closed at once. */
export const CONNECTIONS_MAX_DEFAULT = 256;
/** Once this share of them is in use, CONNECTIONS_PER_ADDRESS_MAX applies. */
const CROWDED_SHARE = 0.5;
/** How much of them strangers may have: the rest is for addresses that somebody has logged in from. */
const STRANGERS_SHARE = 7 / 8;
/** Most connections of one address at a crowded server. */
export const CONNECTIONS_PER_ADDRESS_MAX = 128;

/** What a connection takes of the main thread, in milliseconds, beside what is asked on it. */
const CONNECTION_MS = 0.25;

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
  /** Default: everybody may watch. */
  readonly credentials?: ServerCredentials;
  /** Default 60000 ms. */
  readonly sessionTimeoutMs?: number;
  readonly connectionsMax?: number;
  /** Addresses that nobody has logged in from: others have a share of the connections of their own. All, when absent. */
  readonly strangers?: Strangers;
  /** Serve RTP over UDP too; default: false. */
  readonly udp?: boolean;
  /** A request's URI as it may be repeated in responses, for URIs with credentials in the query; default: unchanged. */
  readonly publicUri?: (uri: string) => string;
  /** Most RTP payload bytes per packet; default 1400. */
  readonly payloadBytesMax?: number;
}

/**
 * An RTSP 1.0 server (RFC 2326) that sends RTP over the RTSP connection (interleaved) and, if enabled, over UDP;
 * otherwise UDP is answered with 461. Every viewer has a bounded queue: a slow one loses frames up to a key frame and
 * delays nobody.
 */
export class RtspServer {
  readonly #options: RtspServerOptions;
  readonly #resolve: MountResolver;
  readonly #connections = new Set<ServerConnection>();
  /** By `MountSource.shared`. */
  readonly #tracks = new WeakMap<object, PacketizedTracks>();
  /** Connections by the client's address. */
  readonly #byAddress = new Map<string, number>();
  readonly #udp: UdpPorts | undefined;
  readonly #turns: RequestTurns;
  #server: Server | undefined;
  #ticker: ClockTimer | undefined;

  constructor(options: RtspServerOptions) {
    this.#options = options;
    this.#turns = new RequestTurns(options.clock);
    this.#resolve = typeof options.mounts === "function" ? options.mounts : resolveFromMap(options.mounts);
    this.#udp = options.udp === true ? new UdpPorts(options) : undefined;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Listens; rejects with the system's error if address or port are not available. */
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
    for (const connection of [...this.#connections]) connection.close("the server is stopping");
    await closed;
    await this.#udp?.close();
  }

  #tick(): void {
    const monotonicUs = this.#options.clock.monotonicUs();
    for (const connection of [...this.#connections]) connection.onTick(monotonicUs);
  }

  #accept(socket: Socket): void {
    const { clock, log, credentials, publicUri = (uri: string) => uri } = this.#options;
    const address = unmappedAddress(socket.remoteAddress ?? "unknown");
    const { strangers } = this.#options;
    strangers?.spent(address, CONNECTION_MS);
    if (strangers?.drops(address) === true) {
      socket.destroy();
      return;
    }
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
      localAddress: unmappedAddress(socket.localAddress ?? "127.0.0.1"),
      clock,
      log,
      resolve: this.#resolve,
      tracksOf: (source, description) => this.#tracksOf(source).forFormats(description.formats),
      authenticator: credentials === undefined ? undefined : new ServerAuthenticator({ credentials, clock }),
      sessionTimeoutMs: this.#options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS_DEFAULT,
      udp: this.#udp,
      publicUri,
      turns: this.#turns,
      strangers,
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
    if (this.#server === undefined) return "the server is stopping";
    const isCrowded = size >= connectionsMax * CROWDED_SHARE;
    if (isCrowded && (this.#byAddress.get(address) ?? 0) >= CONNECTIONS_PER_ADDRESS_MAX)
      return `this address has ${CONNECTIONS_PER_ADDRESS_MAX} connections already`;
    const most = this.#isKnown(address) ? connectionsMax : Math.ceil(connectionsMax * STRANGERS_SHARE);
    if (size < most || this.#makeRoom(this.#isKnown(address))) return undefined;
    return `all ${most} connections are in use`;
  }

  #isKnown(address: string): boolean {
    return this.#options.strangers?.has(address) === false;
  }

  /**
   * Closes the oldest connection that does not play: one of a stranger, or for a user of another one. Whether there was one.
   */
  #makeRoom(forUser: boolean): boolean {
    const idle = [...this.#connections].filter(({ isPlaying }) => !isPlaying);
    const oldest = idle.find(({ address }) => !this.#isKnown(address)) ?? (forUser ? idle[0] : undefined);
    oldest?.close("others need its place, and it does not play");
    return oldest !== undefined;
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

/** The IPv4 address of an IPv4-mapped IPv6 address. */
function unmappedAddress(address: string): string {
  return address.replace(/^::ffff:/i, "");
}
