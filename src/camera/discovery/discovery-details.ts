import { type Clock, Semaphore } from "../../base/index.js";
import { type FoundDevice, TABLE_DEVICES_MAX } from "./discovery-table.js";

/** A media profile that a device reports without a login. */
export interface OpenProfile {
  readonly name: string;
  /** As spelled in the configuration API; empty for any other format. */
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** What a device reports over HTTP without a login. */
export interface DeviceDetails {
  readonly manufacturer: string;
  readonly model: string;
  /** Empty if not reported. */
  readonly identity: string;
  readonly profiles: readonly OpenProfile[];
}

/**
 * Asks a device for what it reports without a login; undefined if nothing, `unanswered` if it did not answer in time: a busy camera,
 * or a busy recorder. Never rejects.
 */
export type OpenReader = (
  device: FoundDevice,
  signal: AbortSignal,
) => Promise<DeviceDetails | undefined | "unanswered">;

/** Devices asked concurrently. */
const READS_AT_ONCE = 12;
const READ_TIMEOUT_MS = 4_000;
/** What a device answered, and that it wants a login, is cached this long: an installer runs one scan after another. */
const KEPT_US = 120_000_000;
const DEVICES_KEPT_MAX = 1024;

interface Kept {
  readonly details: DeviceDetails | undefined;
  readonly untilUs: number;
}

/** Reads from found devices what they report without a login. Results are cached; concurrency is bounded. */
export class DetailsReader {
  readonly #read: OpenReader;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: TABLE_DEVICES_MAX });

  constructor(read: OpenReader, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The cached result. */
  detailsOf(device: FoundDevice): DeviceDetails | undefined {
    return this.#kept.get(keyOf(device))?.details;
  }

  /** Reads a device unless there is a recent result; resolves when done, or aborted by `signal`. */
  async read(device: FoundDevice, signal: AbortSignal): Promise<void> {
    const key = keyOf(device);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilUs > this.#clock.monotonicUs()) return;
    const running = this.#running.get(key) ?? this.#begin(key, device, signal);
    await running;
  }

  #begin(key: string, device: FoundDevice, signal: AbortSignal): Promise<void> {
    // Those that wait do not listen for the end: they are many, and each looks at it in its turn.
    const reading = this.#turns.run(async () => {
      if (!signal.aborted) await this.#readOne(key, device, signal);
    });
    const running = reading.finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #readOne(key: string, device: FoundDevice, signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    const details = await this.#read(device, limited);
    // Aborted by the end of the scan, or too late: this is no result, and the next scan asks again.
    if (details !== "unanswered" && (details !== undefined || !signal.aborted)) this.#keep(key, details);
  }

  #keep(key: string, details: DeviceDetails | undefined): void {
    this.#kept.delete(key);
    this.#kept.set(key, { details, untilUs: this.#clock.monotonicUs() + KEPT_US });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > DEVICES_KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function keyOf({ address, port, identity }: FoundDevice): string {
  return `${address} ${port} ${identity}`;
}
