import { type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import { discoveryQuery } from "../../contract/query/index.js";
import { DatagramBudget, INVITED } from "./discovery-budget.js";
import { DetailsReader, type DeviceDetails, type OpenReader } from "./discovery-details.js";
import { DiscoveryListener } from "./discovery-listener.js";
import { type DiscoveryMessage, isOnvifDevice } from "./discovery-message.js";
import { type DiscoveryNetwork, type LanAddress, reachedAt } from "./discovery-network.js";
import { parseAddressRange } from "./discovery-range.js";
import { DiscoveryScan, type ScanProgress, type ScanRequest } from "./discovery-scan.js";
import {
  type AnnouncementSource,
  DeviceTable,
  type FoundDevice,
  type ListedDevice,
} from "./discovery-table.js";
import type { OwnDevices } from "./own-device.js";

/** Maximum duration of a scan in seconds. */
export const SCAN_SECONDS_MAX = discoveryQuery.timeout.max;
const SCAN_SECONDS_DEFAULT = 5;
/** Maximum number of concurrent scans; equal ones are shared. */
const SCANS_MAX = 4;
/** A range with more hosts is scanned alone, because its requests need many connections. */
const SMALL_RANGE_HOSTS = 16;
/** Hosts of a range finished per second, when most do not exist. */
const HOSTS_PER_SECOND = 16;
const FIND_MS = 4_500;
const PROGRESS_INTERVAL_MS = 250;
/** Scans that a Hello from another address starts are not closer than this: anybody can say Hello. */
const MOVED_SCAN_INTERVAL_US = 10_000_000;

/** The parameters of a scan as received, unchecked. */
export interface ScanQuestion {
  /** Name or address of an interface. */
  readonly interface?: string | undefined;
  /** Address, range or network. */
  readonly address?: string | undefined;
  /** 0 returns the known devices at once. */
  readonly timeoutSeconds?: number | undefined;
}

/** A device as shown to users: what it announced, and what it reports over HTTP. */
export interface DiscoveredDevice extends ListedDevice {
  readonly details: DeviceDetails | undefined;
}

export interface DiscoveryOptions {
  readonly network: DiscoveryNetwork;
  readonly clock: Clock;
  readonly log: Log;
  readonly readOpenly: OpenReader;
  /** Recognizes the recorder itself; absent: no recorder runs here. */
  readonly ownDevices?: Pick<OwnDevices, "isFound" | "hasIdentity">;
}

/** Gets the progress of a scan, and what has answered so far. */
export type ScanListener = (progress: ScanProgress, soFar: () => DiscoveredDevice[]) => void;

/** A device sent Hello, or was heard from a new address. Anybody may claim an identity: verify it. */
export type SeenListener = (device: FoundDevice) => void;

/** Finds the ONVIF devices on the machine's networks, and receives their Hello and Bye messages while it runs. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #table: DeviceTable;
  /** Of answers to scans. What comes uninvited has a budget of its own, and takes nothing from them. */
  readonly #scanBudget: DatagramBudget;
  readonly #details: DetailsReader;
  readonly #listener: DiscoveryListener;
  readonly #scans = new Map<string, DiscoveryScan>();
  readonly #seenListeners = new Set<SeenListener>();
  #movedScanUs = Number.NEGATIVE_INFINITY;

  constructor(options: DiscoveryOptions) {
    const { network, clock, log } = options;
    this.#options = options;
    this.#table = new DeviceTable(clock);
    this.#scanBudget = new DatagramBudget(clock, INVITED);
    this.#details = new DetailsReader(options.readOpenly, clock);
    const onMessage = (message: DiscoveryMessage, source: AnnouncementSource) => this.#hear(message, source);
    const budget = new DatagramBudget(clock);
    this.#listener = new DiscoveryListener({ network, budget, clock, log, onMessage });
  }

  /** Starts listening for Hello and Bye. Scans also work without. */
  async start(): Promise<void> {
    await this.#listener.start();
  }

  async stop(): Promise<void> {
    const running = [...this.#scans.values()];
    for (const scan of running) scan.stop();
    await Promise.all(running.map((scan) => scan.devices()));
    await this.#listener.stop();
  }

  /**
   * Searches for devices; a running equal scan is shared; `onProgress` gets the progress, and the devices so far. Rejects with
   * NvrdError BAD_REQUEST, NOT_FOUND (no such interface) or NOT_AVAILABLE (too many scans at a time).
   */
  async scan(question: ScanQuestion, onProgress?: ScanListener): Promise<DiscoveredDevice[]> {
    const request = readQuestion(question);
    if (request.timeoutMs === 0) return this.known();
    const scan = this.#scanFor(question, request);
    const reportProgress = (): void => onProgress?.(scan.progress, () => this.#described(scan.soFar));
    const timer = this.#options.clock.setInterval(reportProgress, PROGRESS_INTERVAL_MS);
    try {
      return this.#described(await scan.devices());
    } finally {
      timer.clear();
    }
  }

  /** The devices heard in the last day that have not sent Bye. */
  known(): DiscoveredDevice[] {
    return this.#described(this.#table.devices());
  }

  /** The devices that answer now, by a scan. What each says of itself is to be verified before it is believed. */
  async answering(): Promise<ListedDevice[]> {
    const question = { timeoutSeconds: FIND_MS / 1000 };
    return await this.#scanFor(question, readQuestion(question)).devices();
  }

  /**
   * Calls `listener` for each device that sends Hello, or is heard from a new address. Returns a function that unsubscribes.
   */
  onSeen(listener: SeenListener): () => void {
    this.#seenListeners.add(listener);
    return () => this.#seenListeners.delete(listener);
  }

  #scanFor(question: ScanQuestion, request: ScanRequest): DiscoveryScan {
    const key = JSON.stringify([question.interface ?? "", question.address ?? ""]);
    const running = this.#scans.get(key);
    if (running !== undefined) return running;
    const isLarge = (request.range?.hosts.length ?? 0) > SMALL_RANGE_HOSTS;
    if (this.#scans.size >= SCANS_MAX || (isLarge && this.#scans.size > 0)) {
      throw new NvrdError("NOT_AVAILABLE", "other scans for cameras are running", { retryAfterMs: 10_000 });
    }
    const { network, clock, log } = this.#options;
    const scan = new DiscoveryScan({
      request,
      addresses: addressesOf(network.addresses(), request.interfaceName),
      network,
      budget: this.#scanBudget,
      table: this.#table,
      details: this.#details,
      clock,
      log,
      onSeen: (device) => this.#seen(device),
      isItself: (device) => this.#isItself(device),
    });
    this.#scans.set(key, scan);
    void scan.devices().finally(() => this.#scans.delete(key));
    return scan;
  }

  #hear(message: DiscoveryMessage, source: AnnouncementSource): void {
    for (const device of message.devices) {
      if (message.kind === "bye") this.#table.leave(device.identity, source.address);
      else if (isOnvifDevice(device)) {
        const place = reachedAt(source, device.xaddrs, this.#options.network);
        const found = this.#table.deviceOf(device, place);
        if (!this.#isItself(found)) this.#note(found, message.kind);
      }
    }
  }

  /** A device sends Hello when it joins a network, so a Hello is reported even from a known address. */
  #note(device: FoundDevice, kind: "hello" | "match"): void {
    const noted = this.#table.note(device);
    if (noted === "new" || (noted === "known" && kind === "hello")) this.#seen(device);
    if (noted !== "refused" && this.#table.isElsewhere(device)) this.#lookWhereItIs();
  }

  /** A device is heard at another address: a scan finds which of them it has left. */
  #lookWhereItIs(): void {
    const { clock, log } = this.#options;
    if (clock.monotonicUs() - this.#movedScanUs < MOVED_SCAN_INTERVAL_US) return;
    this.#movedScanUs = clock.monotonicUs();
    this.answering().catch((error: unknown) => {
      log.debug({ error: errorText(error) }, "no scan for a device that was heard at another address");
    });
  }

  #isItself(device: FoundDevice): boolean {
    return this.#options.ownDevices?.isFound(device) ?? false;
  }

  #seen(device: FoundDevice): void {
    if (device.identity === "") return;
    for (const listener of this.#seenListeners) listener(device);
  }

  /** Adds the details of each device. A device that was also found by its address alone is listed once. */
  #described(devices: readonly ListedDevice[]): DiscoveredDevice[] {
    const described = devices.map((device): DiscoveredDevice => {
      const details = this.#details.detailsOf(device);
      return { ...device, identity: device.identity || (details?.identity ?? ""), details };
    });
    const named = new Set(devices.filter(({ identity }) => identity !== "").map(placeOf));
    return described.filter(
      (device, index) =>
        (devices[index]?.identity !== "" || !named.has(placeOf(device))) &&
        // Behind a forwarded port it is known by what it reports.
        this.#options.ownDevices?.hasIdentity(device.identity) !== true,
    );
  }
}

function placeOf({ address, port }: ListedDevice): string {
  return `${address} ${port}`;
}

function readQuestion(question: ScanQuestion): ScanRequest {
  const range = question.address === undefined ? undefined : parseAddressRange(question.address);
  const hosts = range?.hosts.length ?? 0;
  const fallback = Math.min(SCAN_SECONDS_MAX, SCAN_SECONDS_DEFAULT + Math.ceil(hosts / HOSTS_PER_SECOND));
  const seconds = question.timeoutSeconds ?? fallback;
  if (!(seconds >= 0 && seconds <= SCAN_SECONDS_MAX)) {
    throw new NvrdError("BAD_REQUEST", `timeout: 0 to ${SCAN_SECONDS_MAX} seconds`);
  }
  return { interfaceName: question.interface, range, timeoutMs: Math.round(seconds * 1000) };
}

function addressesOf(all: readonly LanAddress[], wanted: string | undefined): readonly LanAddress[] {
  if (wanted === undefined) return all;
  const chosen = all.filter(
    ({ interfaceName, address }) => interfaceName === wanted || address === wanted.split("%")[0],
  );
  if (chosen.length === 0) {
    const names = [...new Set(all.map(({ interfaceName }) => interfaceName))].join(", ");
    throw new NvrdError("NOT_FOUND", "interface: no interface has this name or address", {
      hint: `this machine has ${names || "none"}`,
    });
  }
  return chosen;
}
