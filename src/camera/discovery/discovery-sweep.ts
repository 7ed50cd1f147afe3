import type { Socket } from "node:dgram";
import { errorText, newGuid, pauseUnlessAborted } from "../../base/index.js";
import { LOOK_PORTS, lookForService, type ServiceLook } from "./discovery-http-look.js";
import { probeMessage } from "./discovery-message.js";
import type { LanAddress } from "./discovery-network.js";
import { openSocket, type ProbeOptions, sendDatagram } from "./discovery-probe.js";
import type { AddressRange } from "./discovery-range.js";

/** Probes a second to single addresses: what a small switch's address resolution takes without losing some. */
const PROBES_PER_SECOND = 250;
const BURST = 25;
/** A device answers a probe within half a second (WS-Discovery 2005/04, APP_MAX_DELAY), and may be slow besides. */
const ANSWER_WAIT_MS = 1_000;
/** Addresses whose ports are looked at at the same time, each with all of its ports. */
const LOOKS_AT_ONCE = 48;

export interface SweepOptions extends ProbeOptions {
  readonly range: AddressRange;
  /** The interface to ask over; undefined: the one that the routes choose. */
  readonly own: LanAddress | undefined;
  /** Whether a host has answered already. */
  readonly hasAnswered: (host: string) => boolean;
  readonly onService: (host: string, service: ServiceLook) => void;
  /** Gets how many hosts are done with, of how many. */
  readonly onProgress: (done: number, of: number) => void;
}

/**
 * Asks the hosts of a range one by one: a probe to each, at a bounded rate, then a look at the ports of those that kept
 * still. Ends when all were asked, or with `signal`.
 */
export async function sweepRange(options: SweepOptions): Promise<void> {
  const { range, clock, signal } = options;
  const sockets = await openSockets(options);
  try {
    if (range.port === undefined) {
      await probeEach(options, sockets);
      await pauseUnlessAborted(clock, ANSWER_WAIT_MS, signal);
    }
    await lookAtEach(options);
  } finally {
    for (const socket of sockets.values()) socket.close();
  }
}

type Sockets = ReadonlyMap<"IPv4" | "IPv6", Socket>;

async function openSockets(options: SweepOptions): Promise<Sockets> {
  const sockets = new Map<"IPv4" | "IPv6", Socket>();
  const families = new Set(options.range.hosts.map(familyOf));
  for (const family of families) {
    const own = options.own?.family === family ? options.own : undefined;
    try {
      sockets.set(family, await openSocket(own, options, family));
    } catch (error) {
      options.log.info({ family, error: errorText(error) }, "no unicast probe");
    }
  }
  return sockets;
}

/** A name is asked over IPv4: it is looked up by the socket itself. */
function familyOf(host: string): "IPv4" | "IPv6" {
  return host.includes(":") ? "IPv6" : "IPv4";
}

async function probeEach(options: SweepOptions, sockets: Sockets): Promise<void> {
  const { range, clock, log, signal, hasAnswered } = options;
  let sent = 0;
  for (const type of ["dn:NetworkVideoTransmitter", undefined] as const) {
    for (const host of range.hosts) {
      const socket = sockets.get(familyOf(host));
      if (signal.aborted || socket === undefined) return;
      if (hasAnswered(host)) continue;
      try {
        await sendDatagram(socket, probeMessage(type, newGuid()), host);
      } catch (error) {
        // No route, or a name that is none: the look at its ports tells the same.
        log.debug({ host, error: errorText(error) }, "probe not sent");
      }
      sent += 1;
      if (sent % BURST === 0) await pauseUnlessAborted(clock, (BURST / PROBES_PER_SECOND) * 1000, signal);
    }
    if (range.hosts.length === 1) await pauseUnlessAborted(clock, ANSWER_WAIT_MS / 2, signal);
  }
}

async function lookAtEach(options: SweepOptions): Promise<void> {
  const { range, signal, onProgress } = options;
  const waiting = [...range.hosts];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined && !signal.aborted; host = waiting.shift()) {
      await lookAt(host, options);
      done += 1;
      onProgress(done, range.hosts.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LOOKS_AT_ONCE, waiting.length) }, work));
}

async function lookAt(host: string, options: SweepOptions): Promise<void> {
  const { range, signal, hasAnswered, onService } = options;
  if (hasAnswered(host) && range.port === undefined) return;
  const ports = range.port === undefined ? LOOK_PORTS : [range.port];
  const looks = await Promise.all(ports.map((port) => lookForService(host, port, signal)));
  // One device usually serves several ports: the first of the list counts.
  const service = looks.find((look) => look !== undefined);
  if (service !== undefined) onService(host, service);
}
