import { type Clock, Semaphore } from "../../base/index.js";
import type { ListedDevice } from "./discovery-table.js";

/** A media profile that a device shows without a login. */
export interface OpenProfile {
  readonly name: string;
  /** As the configuration API spells it; empty when it is none of these. */
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** What a device tells over HTTP without a login. */
export interface DeviceDetails {
  readonly manufacturer: string;
  readonly model: string;
  /** Empty where it does not tell. */
  readonly identity: string;
  readonly profiles: readonly OpenProfile[];
}

/** Asks a device what it shows without a login; undefined when that is nothing. Never rejects. */
export type OpenReader = (device: ListedDevice, signal: AbortSignal) => Promise<DeviceDetails | undefined>;

/** Devices asked at the same time. */
const READS_AT_ONCE = 12;
/** Most devices that a scan finds. */
const READS_WAITING_MAX = 4096;
const READ_TIMEOUT_MS = 4_000;
/** What was read holds this long, what could not be read too: a scan follows a scan while an installer works. */
const KEPT_US = 120_000_000;
const DEVICES_KEPT_MAX = 1024;

interface Kept {
  readonly details: DeviceDetails | undefined;
  readonly untilUs: number;
}

/** Reads of found devices what they show without a login, each once in a while, a bounded number at a time. */
export class DetailsReader {
  readonly #read: OpenReader;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: READS_WAITING_MAX });

  constructor(read: OpenReader, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** What is known by now. */
  detailsOf(device: ListedDevice): DeviceDetails | undefined {
    return this.#kept.get(keyOf(device))?.details;
  }

  /** Reads a device unless that was done lately; resolves when it is done, or `signal` ends it. */
  async read(device: ListedDevice, signal: AbortSignal): Promise<void> {
    const key = keyOf(device);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilUs > this.#clock.monotonicUs()) return;
    const running = this.#running.get(key) ?? this.#begin(key, device, signal);
    await running;
  }

  #begin(key: string, device: ListedDevice, signal: AbortSignal): Promise<void> {
    const reading = this.#turns.run(() => this.#readOne(key, device, signal), signal);
    const running = reading.finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #readOne(key: string, device: ListedDevice, signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    const details = await this.#read(device, limited);
    // Ended by the scan's end, it says nothing of the device.
    if (details !== undefined || !signal.aborted) this.#keep(key, details);
  }

  #keep(key: string, details: DeviceDetails | undefined): void {
    this.#kept.delete(key);
    this.#kept.set(key, { details, untilUs: this.#clock.monotonicUs() + KEPT_US });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > DEVICES_KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function keyOf({ address, port, identity }: ListedDevice): string {
  return `${address} ${port} ${identity}`;
}
