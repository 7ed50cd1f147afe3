import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../../base/index.js";
import { INTERLEAVED_HEADER_BYTES } from "../packetize/packetizer-batch.js";

/** Attempts to find an even port with the odd one above it free (RFC 3550, 11). */
const PORT_ATTEMPTS_MAX = 32;
/** Most local addresses used for UDP. */
const ADDRESSES_MAX = 64;
/** Bytes sent to a viewer in one burst: half of the full packets that fit Linux' default receive buffer. */
const BURST_BYTES = 48 * 1024;
/** Time between bursts: 96 Mbit/s per viewer. */
const BURST_PERIOD_MS = 4;
/** Most bytes of datagrams queued in the process for all viewers of one local address; further ones are dropped. */
const SEND_QUEUE_BYTES_MAX = 16 * 1024 * 1024;

/** A viewer at a pair of ports. */
export interface UdpViewer {
  /** The client's address from its RTSP connection: datagrams are sent only there. */
  readonly address: string;
  readonly clientPorts: readonly [number, number];
  /** It sent a datagram: a report, or a packet that opens a path through NAT. */
  readonly onReceived: () => void;
  /** It can take more. */
  readonly onRoom: () => void;
}

/** The pairs of server ports: one for each local address to which viewers connected. */
export class UdpPorts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pairs = new Map<string, Promise<UdpPair>>();

  constructor(options: { clock: Clock; log: Log }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Opens a path to `viewer` from `localAddress`. Rejects with NvrdError NOT_AVAILABLE if no ports are free. */
  async path(localAddress: string, viewer: UdpViewer): Promise<UdpPath> {
    let pair = this.#pairs.get(localAddress);
    if (pair === undefined) {
      if (this.#pairs.size >= ADDRESSES_MAX)
        throw new NvrdError("NOT_AVAILABLE", "too many addresses are used for UDP: ask for TCP");
      pair = UdpPair.open(localAddress, this.#log);
      this.#pairs.set(localAddress, pair);
      // After a failure the next viewer tries again.
      pair.catch(() => this.#pairs.delete(localAddress));
    }
    return new UdpPath(await pair, viewer, this.#clock);
  }

  async close(): Promise<void> {
    const pairs = [...this.#pairs.values()];
    this.#pairs.clear();
    for (const pair of await Promise.allSettled(pairs)) if (pair.status === "fulfilled") pair.value.close();
  }
}

/** An even port for RTP and the odd one above it for RTCP. */
class UdpPair {
  readonly ports: readonly [number, number];
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #viewers = new Map<string, () => void>();

  static async open(address: string, log: Log): Promise<UdpPair> {
    const spare: Socket[] = [];
    try {
      for (let attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt += 1) {
        const rtp = await bindSocket(address, 0);
        if (rtp === undefined) break;
        const { port } = rtp.address();
        const rtcp = port % 2 === 0 ? await bindSocket(address, port + 1) : undefined;
        if (rtcp !== undefined) return new UdpPair([rtp, rtcp], port, log);
        // Kept until the search ends, so that the kernel does not give the same port again.
        spare.push(rtp);
      }
    } finally {
      for (const socket of spare) socket.close();
    }
    throw new NvrdError("NOT_AVAILABLE", "no pair of UDP ports is free: ask for RTP/AVP/TCP");
  }

  private constructor(sockets: readonly [Socket, Socket], port: number, log: Log) {
    [this.#rtp, this.#rtcp] = sockets;
    this.ports = [port, port + 1];
    for (const socket of sockets) {
      socket.on("message", (_, from) => this.#viewers.get(viewerKey(from))?.());
      socket.on("error", (error) => log.warn({ error: errorText(error) }, "RTSP over UDP"));
      socket.unref();
    }
  }

  add(viewer: UdpViewer): () => void {
    const keys = viewer.clientPorts.map((port) => viewerKey({ address: viewer.address, port }));
    for (const key of keys) this.#viewers.set(key, viewer.onReceived);
    return () => {
      for (const key of keys) if (this.#viewers.get(key) === viewer.onReceived) this.#viewers.delete(key);
    };
  }

  /** Drops the datagram if too many wait for the kernel, as the network might. */
  send(kind: "rtp" | "rtcp", packet: Uint8Array, viewer: UdpViewer): void {
    const socket = kind === "rtp" ? this.#rtp : this.#rtcp;
    if (socket.getSendQueueSize() > SEND_QUEUE_BYTES_MAX) return;
    socket.send(packet, viewer.clientPorts[kind === "rtp" ? 0 : 1], viewer.address, ignoreLoss);
  }

  close(): void {
    for (const socket of [this.#rtp, this.#rtcp]) socket.close();
  }
}

/** Sends one track to one viewer, in spaced bursts, so that a key frame does not overflow the client's receive buffer. */
export class UdpPath {
  readonly #pair: UdpPair;
  readonly #viewer: UdpViewer;
  readonly #clock: Clock;
  readonly #remove: () => void;
  readonly #waiting: Buffer[] = [];
  #queuedBytes = 0;
  /** Bytes already sent of the first waiting buffer. */
  #sentBytes = 0;
  #burstBytes = 0;
  #timer: ClockTimer | undefined;
  #closed = false;

  constructor(pair: UdpPair, viewer: UdpViewer, clock: Clock) {
    this.#pair = pair;
    this.#viewer = viewer;
    this.#clock = clock;
    this.#remove = pair.add(viewer);
  }

  get clientPorts(): readonly [number, number] {
    return this.#viewer.clientPorts;
  }

  get serverPorts(): readonly [number, number] {
    return this.#pair.ports;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Contiguous packets, each with its interleaved header. */
  sendRtp(packets: Buffer): void {
    if (this.#closed) return;
    this.#waiting.push(packets);
    this.#queuedBytes += packets.length;
    this.#pump();
  }

  sendRtcp(packet: Buffer): void {
    if (!this.#closed) this.#pair.send("rtcp", packet, this.#viewer);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
    this.#waiting.length = 0;
    this.#queuedBytes = 0;
    this.#remove();
  }

  #pump(): void {
    for (let packets = this.#waiting[0]; packets !== undefined; packets = this.#waiting[0]) {
      while (this.#sentBytes < packets.length) {
        if (this.#burstBytes >= BURST_BYTES) {
          this.#waitForNextBurst();
          return;
        }
        const start = this.#sentBytes + INTERLEAVED_HEADER_BYTES;
        const end = start + packets.readUInt16BE(this.#sentBytes + 2);
        this.#pair.send("rtp", packets.subarray(start, end), this.#viewer);
        this.#burstBytes += end - start;
        this.#sentBytes = end;
      }
      this.#waiting.shift();
      this.#queuedBytes -= packets.length;
      this.#sentBytes = 0;
    }
    this.#waitForNextBurst();
  }

  /** Allows the next burst after a period; one timer while packets are sent. */
  #waitForNextBurst(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#burstBytes = 0;
      if (this.#waiting.length === 0) return;
      this.#pump();
      this.#viewer.onRoom();
    }, BURST_PERIOD_MS);
  }
}

/** Undefined if address or port are not available. */
async function bindSocket(address: string, port: number): Promise<Socket | undefined> {
  const isV6 = isIPv6(address.split("%", 1)[0] ?? "");
  const socket = createSocket({
    type: isV6 ? "udp6" : "udp4",
    ...(isV6 ? { ipv6Only: true } : {}),
    // Addresses are numeric: Node's lookup would cost each datagram a turn of the event loop.
    lookup: (host, _, callback) => callback(null, host, isV6 ? 6 : 4),
  });
  try {
    // With this lookup it may start to listen within the call.
    const listening = once(socket, "listening");
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch {
    // The caller tries another port, and fails when none is left.
    socket.close();
    return undefined;
  }
}

function viewerKey({ address, port }: Pick<RemoteInfo, "address" | "port">): string {
  return `${address} ${port}`;
}

/** Send errors are ignored, like losses on the network. */
function ignoreLoss(): void {
  // The session of an unreachable viewer ends by timeout.
}
