import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../../base/index.js";
import { INTERLEAVED_HEADER_BYTES } from "../packetize/packetizer-batch.js";

/** Attempts to find an even port with the odd one above it free (RFC 3550, 11). */
const PORT_ATTEMPTS_MAX = 32;
/** Addresses of this machine that viewers reach it at by UDP. */
const ADDRESSES_MAX = 64;
/** Bytes a viewer is sent in one go: half of what a receive buffer of Linux' default size holds of full packets. */
const BURST_BYTES = 48 * 1024;
/** After a burst the rest waits so long: 96 Mbit/s a viewer. */
const BURST_PERIOD_MS = 4;
/** Most datagrams that wait in the process for the kernel, of all viewers of one address, in bytes; further ones are lost. */
const SEND_QUEUE_BYTES_MAX = 16 * 1024 * 1024;

/** A viewer's place at a pair of ports. */
export interface UdpViewer {
  /** The client's address, as its RTSP connection has it: datagrams go nowhere else. */
  readonly address: string;
  readonly clientPorts: readonly [number, number];
  /** It sent something: a report, or a packet that opens the way. */
  readonly onHeard: () => void;
  /** It can take more. */
  readonly onRoom: () => void;
}

/** The pairs of UDP ports that viewers are sent from: one for each address of this machine that they came to. */
export class UdpPorts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pairs = new Map<string, Promise<UdpPair>>();

  constructor(options: { clock: Clock; log: Log }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** A way to `viewer` from `localAddress`. Rejects with NvrdError NOT_AVAILABLE when no ports can be had. */
  async path(localAddress: string, viewer: UdpViewer): Promise<UdpPath> {
    let pair = this.#pairs.get(localAddress);
    if (pair === undefined) {
      if (this.#pairs.size >= ADDRESSES_MAX)
        throw new NvrdError("NOT_AVAILABLE", "too many addresses are used for UDP: ask for TCP");
      pair = UdpPair.open(localAddress, this.#log);
      this.#pairs.set(localAddress, pair);
      // A pair that could not be had is tried again by the next viewer.
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
        const rtp = await bound(address, 0);
        if (rtp === undefined) break;
        const { port } = rtp.address();
        const rtcp = port % 2 === 0 ? await bound(address, port + 1) : undefined;
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
    for (const key of keys) this.#viewers.set(key, viewer.onHeard);
    return () => {
      for (const key of keys) if (this.#viewers.get(key) === viewer.onHeard) this.#viewers.delete(key);
    };
  }

  /** A datagram that the kernel does not take soon is lost, as on the way. */
  send(kind: "rtp" | "rtcp", packet: Uint8Array, viewer: UdpViewer): void {
    const socket = kind === "rtp" ? this.#rtp : this.#rtcp;
    if (socket.getSendQueueSize() > SEND_QUEUE_BYTES_MAX) return;
    socket.send(packet, viewer.clientPorts[kind === "rtp" ? 0 : 1], viewer.address, ignoreLoss);
  }

  close(): void {
    for (const socket of [this.#rtp, this.#rtcp]) socket.close();
  }
}

/** One track's way to one viewer: bursts are spread, so that a key frame does not overrun the client's receive buffer. */
export class UdpPath {
  readonly #pair: UdpPair;
  readonly #viewer: UdpViewer;
  readonly #clock: Clock;
  readonly #leave: () => void;
  readonly #waiting: Buffer[] = [];
  #queuedBytes = 0;
  /** Bytes of the first one that waits that were sent. */
  #sentBytes = 0;
  #burstBytes = 0;
  #timer: ClockTimer | undefined;
  #closed = false;

  constructor(pair: UdpPair, viewer: UdpViewer, clock: Clock) {
    this.#pair = pair;
    this.#viewer = viewer;
    this.#clock = clock;
    this.#leave = pair.add(viewer);
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

  /** Packets behind one another, each with its interleaved header. */
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
    this.#leave();
  }

  #pump(): void {
    for (let packets = this.#waiting[0]; packets !== undefined; packets = this.#waiting[0]) {
      while (this.#sentBytes < packets.length) {
        if (this.#burstBytes >= BURST_BYTES) {
          this.#rest();
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
    this.#rest();
  }

  /** The next burst is allowed a period later; one timer while anything is sent. */
  #rest(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#burstBytes = 0;
      if (this.#waiting.length === 0) return;
      this.#pump();
      this.#viewer.onRoom();
    }, BURST_PERIOD_MS);
  }
}

/** Undefined where the address or port cannot be had. */
async function bound(address: string, port: number): Promise<Socket | undefined> {
  const isV6 = isIPv6(address.split("%", 1)[0] ?? "");
  const socket = createSocket({
    type: isV6 ? "udp6" : "udp4",
    ...(isV6 ? { ipv6Only: true } : {}),
    // Addresses are numbers here: the library's look-up would cost each datagram a turn of the event loop.
    lookup: (host, _, callback) => callback(null, host, isV6 ? 6 : 4),
  });
  try {
    // With such a look-up it may listen within the call.
    const listening = once(socket, "listening");
    socket.bind({ address, port, exclusive: true });
    await listening;
    return socket;
  } catch {
    // The caller tries another port, and says so when none is left.
    socket.close();
    return undefined;
  }
}

function viewerKey({ address, port }: Pick<RemoteInfo, "address" | "port">): string {
  return `${address} ${port}`;
}

/** What is lost on the way is lost: UDP tells nobody, and the viewer's reports do. */
function ignoreLoss(): void {
  // An unreachable viewer is ended by its session's time-out.
}
