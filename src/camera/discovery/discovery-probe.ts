import type { Socket } from "node:dgram";
import { type Clock, errorText, type Log, newGuid, pauseUnlessAborted } from "../../base/index.js";
import type { DatagramBudget } from "./discovery-budget.js";
import { type DiscoveryMessage, PROBE_TYPES, probeMessage, readDatagram } from "./discovery-message.js";
import { type DiscoveryNetwork, type LanAddress, plainAddress } from "./discovery-network.js";
import type { AnnouncementSource } from "./discovery-table.js";

/** WS-Discovery 2005/04, 2.4. */
export const DISCOVERY_PORT = 3702;
export const MULTICAST_IPV4 = "239.255.255.250";
export const MULTICAST_IPV6 = "ff02::c";
/** When probes are sent, from the start of a scan. They are repeated because datagrams get lost and devices start up. */
const ROUND_TIMES_MS: readonly number[] = [0, 400, 1_500, 4_000, 10_000, 25_000];
/** Delay between the probes of a round, so that the answers of many devices do not coincide. */
const PROBE_GAP_MS = 60;
/** Receive buffer: it holds the answers of some thousand devices while the recorder is busy, where the system allows it. */
const RECEIVE_BYTES = 8 * 1024 * 1024;
/** Datagrams of a socket that wait to be read; further ones are dropped. */
const WAITING_MAX = 8192;
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Datagrams that are read in one turn of the event loop. */
const READ_AT_ONCE = 32;
/** Hops: the LAN only (WS-Discovery 2005/04, 2.4 with SOAP-over-UDP). */
const MULTICAST_HOPS = 1;

/** Receives the answers. */
export type MessageListener = (message: DiscoveryMessage, source: AnnouncementSource) => void;

export interface ProbeOptions {
  readonly network: DiscoveryNetwork;
  readonly budget: DatagramBudget;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the probe. */
  readonly signal: AbortSignal;
  readonly onMessage: MessageListener;
}

/**
 * Probes all devices reachable from one local address, repeatedly until `signal`. It has its own socket, so that probes leave
 * over that interface and the answers arrive there. An unusable address is logged.
 */
export async function probeMulticast(own: LanAddress, options: ProbeOptions): Promise<void> {
  const { clock, log, signal } = options;
  const group = own.family === "IPv4" ? MULTICAST_IPV4 : `${MULTICAST_IPV6}%${own.interfaceName}`;
  let socket: Socket | undefined;
  try {
    socket = await openSocket(own, options);
    const startUs = clock.monotonicUs();
    for (const roundMs of ROUND_TIMES_MS) {
      const passedMs = (clock.monotonicUs() - startUs) / 1000;
      await pauseUnlessAborted(clock, Math.max(0, roundMs - passedMs), signal);
      for (const type of PROBE_TYPES) {
        if (signal.aborted) return;
        await sendDatagram(socket, probeMessage(type, newGuid()), group).catch((error: unknown) => {
          // The cable may be unplugged now; the next round tries again.
          log.debug({ interface: own.interfaceName, error: errorText(error) }, "probe not sent");
        });
        await pauseUnlessAborted(clock, PROBE_GAP_MS, signal);
      }
    }
    await untilAborted(signal);
  } catch (error) {
    log.info(
      { interface: own.interfaceName, address: own.address, error: errorText(error) },
      "cannot probe here",
    );
  } finally {
    socket?.close();
  }
}

/** A bound socket whose messages go to the listener. `own`: undefined leaves the local address to the routing table. */
export async function openSocket(
  own: LanAddress | undefined,
  options: ProbeOptions,
  family: "IPv4" | "IPv6" = own?.family ?? "IPv4",
): Promise<Socket> {
  const { network } = options;
  const socket = network.createSocket({ family, reuse: false });
  try {
    await bind(socket, own);
    socket.setRecvBufferSize(RECEIVE_BYTES);
    if (own !== undefined) setMulticast(socket, own);
  } catch (error) {
    socket.close();
    throw error;
  }
  hear(socket, own?.interfaceName ?? "", options);
  return socket;
}

type Hearing = Pick<ProbeOptions, "budget" | "log" | "onMessage">;

/** Passes the messages of a socket to the listener, within the budget. */
export function hear(socket: Socket, interfaceName: string, options: Hearing): void {
  const { log } = options;
  const waiting = new WaitingDatagrams((datagram, from) => {
    const address = plainAddress(from);
    const { budget, onMessage } = options;
    if (!budget.takes(address, datagram.length)) return;
    const { message, tokens } = readDatagram(datagram);
    budget.charge(address, { tokens, devices: message?.devices.length ?? 0 });
    if (message !== undefined) onMessage(message, { address, interfaceName });
  });
  socket.on("error", (error) => log.debug({ error: errorText(error) }, "discovery socket"));
  socket.on("message", (datagram, from) => waiting.add(datagram, from.address));
}

/**
 * Datagrams in the order in which they came. They are taken from the socket at once and read in small parts: the system keeps few,
 * and thousands may come at once.
 */
class WaitingDatagrams {
  readonly #read: (datagram: Buffer, address: string) => void;
  #waiting: { readonly datagram: Buffer; readonly address: string }[] = [];
  #next = 0;
  #bytes = 0;

  constructor(read: (datagram: Buffer, address: string) => void) {
    this.#read = read;
  }

  add(datagram: Buffer, address: string): void {
    const isFull = this.#waiting.length - this.#next >= WAITING_MAX;
    if (isFull || this.#bytes + datagram.length > WAITING_BYTES_MAX) return;
    if (this.#waiting.length === 0) setImmediate(() => this.#readSome());
    this.#waiting.push({ datagram, address });
    this.#bytes += datagram.length;
  }

  #readSome(): void {
    const some = this.#waiting.slice(this.#next, this.#next + READ_AT_ONCE);
    this.#next += some.length;
    for (const { datagram, address } of some) {
      this.#bytes -= datagram.length;
      this.#read(datagram, address);
    }
    if (this.#next < this.#waiting.length) {
      setImmediate(() => this.#readSome());
      return;
    }
    this.#waiting = [];
    this.#next = 0;
  }
}

export function sendDatagram(socket: Socket, message: Buffer, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(message, DISCOVERY_PORT, address, (error) => (error === null ? resolve() : reject(error)));
  });
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function bind(socket: Socket, own: LanAddress | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    // A link-local address needs its zone to identify the interface (RFC 4007, 11).
    const address = own?.family === "IPv6" ? `${own.address}%${own.interfaceName}` : own?.address;
    const bound = (): void => {
      socket.removeListener("error", reject);
      resolve();
    };
    if (address === undefined) socket.bind(0, bound);
    else socket.bind(0, address, bound);
  });
}

function setMulticast(socket: Socket, own: LanAddress): void {
  socket.setMulticastInterface(own.family === "IPv4" ? own.address : `::%${own.interfaceName}`);
  socket.setMulticastTTL(MULTICAST_HOPS);
  // Simulated cameras may run on this machine.
  socket.setMulticastLoopback(true);
}
