import { type Clock, endsUnlessAborted, errorText, type Log } from "../../base/index.js";
import type { DatagramBudget } from "./discovery-budget.js";
import type { DetailsReader } from "./discovery-details.js";
import {
  type DeviceAnnouncement,
  type DiscoveryMessage,
  isOnvifDevice,
  scopeNames,
} from "./discovery-message.js";
import { type DiscoveryNetwork, type LanAddress, reachedAt } from "./discovery-network.js";
import { type ProbeOptions, probeMulticast, untilAborted } from "./discovery-probe.js";
import type { AddressRange } from "./discovery-range.js";
import { sweepRange } from "./discovery-sweep.js";
import {
  type AnnouncementSource,
  DeviceTable,
  type FoundDevice,
  type ListedDevice,
} from "./discovery-table.js";

/** What a scan probes, and for how long. */
export interface ScanRequest {
  /** The interface to probe on, by name or by one of its addresses; undefined: all. */
  readonly interfaceName: string | undefined;
  /** Hosts to probe individually; undefined: multicast. */
  readonly range: AddressRange | undefined;
  readonly timeoutMs: number;
}

/** The progress of a scan. */
export interface ScanProgress {
  readonly found: number;
  /** 0 to 1. */
  readonly part: number;
}

export interface ScanOptions {
  readonly request: ScanRequest;
  /** The local addresses to probe from. */
  readonly addresses: readonly LanAddress[];
  readonly network: DiscoveryNetwork;
  readonly budget: DatagramBudget;
  /** The table of the service, which also gets all answers. */
  readonly table: DeviceTable;
  readonly details: DetailsReader;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each device that was not in the table of the service. */
  readonly onSeen: (device: FoundDevice) => void;
  /** Whether it is the recorder: that is left out. */
  readonly isItself: (device: FoundDevice) => boolean;
}

/** One search for devices, bounded in time; several callers may wait for it. */
export class DiscoveryScan {
  readonly #options: ScanOptions;
  readonly #heard: DeviceTable;
  readonly #end = new AbortController();
  readonly #startUs: number;
  readonly #reads = new Set<Promise<void>>();
  readonly #finished: Promise<void>;
  #sweptPart = 0;

  /** Starts at once. */
  constructor(options: ScanOptions) {
    this.#options = options;
    this.#heard = new DeviceTable(options.clock);
    this.#startUs = options.clock.monotonicUs();
    this.#finished = this.#run();
  }

  /** Resolves with the devices that answered, when the time is over or all hosts were probed. */
  async devices(): Promise<ListedDevice[]> {
    await this.#finished;
    return this.#heard.devices();
  }

  /** The devices that have answered so far. */
  get soFar(): ListedDevice[] {
    return this.#heard.devices();
  }

  /** Forgets, in the table of the service, where devices were that answered from elsewhere. */
  #forgetLeft(): void {
    const { request, table } = this.#options;
    // Only who asked everybody, over every interface, knows who does not answer any more.
    if (request.range !== undefined || request.interfaceName !== undefined) return;
    table.forgetLeft(this.#heard.devices(), this.#startUs);
  }

  get progress(): ScanProgress {
    const { range, timeoutMs } = this.#options.request;
    const timePart = (this.#options.clock.monotonicUs() - this.#startUs) / 1000 / timeoutMs;
    const part = range === undefined ? timePart : Math.max(timePart, this.#sweptPart);
    return { found: this.#heard.size, part: Math.min(1, part) };
  }

  /** Ends it early. */
  stop(): void {
    this.#end.abort();
  }

  async #run(): Promise<void> {
    const { request, clock } = this.#options;
    let isStopped = true;
    const timer = clock.setTimeout(() => {
      isStopped = false;
      this.#end.abort();
    }, request.timeoutMs);
    try {
      if (request.range === undefined) await this.#askAll();
      else await this.#askEach(request.range);
      await this.#readsDone();
      if (!isStopped) this.#forgetLeft();
    } finally {
      timer.clear();
      this.#end.abort();
    }
  }

  async #askAll(): Promise<void> {
    const probes = this.#options.addresses.map((own) => probeMulticast(own, this.#probeOptions()));
    await Promise.all([...probes, untilAborted(this.#end.signal)]);
  }

  async #askEach(range: AddressRange): Promise<void> {
    const { request, addresses } = this.#options;
    await sweepRange({
      ...this.#probeOptions(),
      range,
      own: request.interfaceName === undefined ? undefined : addresses[0],
      hasAnswered: (host) => this.#heard.hasAddress(host),
      onService: (host, service) => {
        const names = scopeNames([]);
        const seenUs = this.#options.clock.monotonicUs();
        const place = { identity: "", address: host, ...service, interfaceName: "" };
        const found: FoundDevice = { ...place, names, types: [], seenUs };
        if (this.#options.isItself(found)) return;
        this.#heard.note(found);
        this.#readDetails(found);
      },
      onProgress: (done, of) => {
        this.#sweptPart = done / of;
      },
    });
  }

  /**
   * Each probe gets its own signal that follows the scan's: a machine has many addresses, and Node warns when one signal has
   * many listeners.
   */
  #probeOptions(): ProbeOptions {
    const { network, budget, clock, log } = this.#options;
    const onMessage = (message: DiscoveryMessage, source: AnnouncementSource): void => {
      if (message.kind === "match") for (const device of message.devices) this.#take(device, source);
    };
    const signal = AbortSignal.any([this.#end.signal]);
    return { network, budget, clock, log, signal, onMessage };
  }

  #take(device: DeviceAnnouncement, source: AnnouncementSource): void {
    if (!isOnvifDevice(device)) return;
    const place = reachedAt(source, device.xaddrs, this.#options.network);
    const found = this.#heard.deviceOf(device, place);
    if (this.#options.isItself(found)) return;
    const noted = this.#heard.note(found);
    if (this.#options.table.note(found) === "new") this.#options.onSeen(found);
    if (noted === "new") this.#readDetails(found);
  }

  #readDetails(device: FoundDevice): void {
    const { details, log } = this.#options;
    const read = details
      .read(device, this.#end.signal)
      .catch((error: unknown) => log.debug({ error: errorText(error) }, "details not read"))
      .finally(() => this.#reads.delete(read));
    this.#reads.add(read);
  }

  async #readsDone(): Promise<void> {
    await endsUnlessAborted(Promise.all(this.#reads), this.#end.signal);
  }
}
