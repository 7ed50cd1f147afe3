import type { Socket } from "node:dgram";
import { errorText, newGuid, pauseUnlessAborted } from "../../base/index.js";
import { probeMessage } from "./discovery-message.js";
import type { LanAddress } from "./discovery-network.js";
import { openSocket, type ProbeOptions, sendDatagram } from "./discovery-probe.js";
import type { AddressRange } from "./discovery-range.js";
import { type FoundService, probeService, SERVICE_PORTS } from "./discovery-service-probe.js";

/** Unicast probes per second: a rate at which small switches do not lose address resolution requests. */
const PROBES_PER_SECOND = 250;
const BURST = 25;
/** A device answers a probe within half a second (WS-Discovery 2005/04, APP_MAX_DELAY), and may be slower. */
const ANSWER_WAIT_MS = 1_000;
/** Hosts whose ports are probed concurrently, each with all its ports. */
const HOSTS_PROBED_AT_ONCE = 48;

export interface SweepOptions extends ProbeOptions {
  readonly range: AddressRange;
  /** The interface to probe on; undefined: chosen by the routing table. */
  readonly own: LanAddress | undefined;
  /** Whether a host has answered already. */
  readonly hasAnswered: (host: string) => boolean;
  readonly onService: (host: string, service: FoundService) => void;
  /** Called with the number of finished hosts and the total. */
  readonly onProgress: (done: number, of: number) => void;
}

/**
 * Probes the hosts of a range individually: a WS-Discovery probe to each, at a bounded rate, then HTTP requests to the ports of
 * those that did not answer. Ends when all were probed, or with `signal`.
 */
export async function sweepRange(options: SweepOptions): Promise<void> {
  const { range, clock, signal } = options;
  const sockets = await openSockets(options);
  try {
    if (range.port === undefined) {
      await probeEach(options, sockets);
      await pauseUnlessAborted(clock, ANSWER_WAIT_MS, signal);
    }
    await probePorts(options);
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

/** A name is probed over IPv4; the socket resolves it. */
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
        // No route, or an unknown name: the requests to its ports fail, too.
        log.debug({ host, error: errorText(error) }, "probe not sent");
      }
      sent += 1;
      if (sent % BURST === 0) await pauseUnlessAborted(clock, (BURST / PROBES_PER_SECOND) * 1000, signal);
    }
    if (range.hosts.length === 1) await pauseUnlessAborted(clock, ANSWER_WAIT_MS / 2, signal);
  }
}

async function probePorts(options: SweepOptions): Promise<void> {
  const { range, signal, onProgress } = options;
  const waiting = [...range.hosts];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined && !signal.aborted; host = waiting.shift()) {
      await probePortsOf(host, options);
      done += 1;
      onProgress(done, range.hosts.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(HOSTS_PROBED_AT_ONCE, waiting.length) }, work));
}

async function probePortsOf(host: string, options: SweepOptions): Promise<void> {
  const { range, signal, hasAnswered, onService } = options;
  if (hasAnswered(host) && range.port === undefined) return;
  const ports = range.port === undefined ? SERVICE_PORTS : [range.port];
  const found = await Promise.all(ports.map((port) => probeService(host, port, signal)));
  // One device usually serves several ports: the first of the list is used.
  const service = found.find((service) => service !== undefined);
  if (service !== undefined) onService(host, service);
}
