import { type Clock, type Log, NvrdError } from "../../base/index.js";
import {
  type DeviceInspector,
  type DeviceReading,
  type LoginAttempt,
  readDevices,
} from "../device/device-adding.js";
import { RefusedLogins } from "../device/refused-logins.js";
import type { DiscoveredDevice, Discovery, ScanQuestion } from "./discovery.js";
import type { ScanProgress } from "./discovery-scan.js";

/** The devices on the network, as who adds cameras needs them. */
export interface DeviceDirectory {
  /** See `Discovery.scan`. */
  scan(question: ScanQuestion, onProgress?: (progress: ScanProgress) => void): Promise<DiscoveredDevice[]>;
  /** What was heard before, at once. */
  known(): DiscoveredDevice[];
  /**
   * Reads devices with their logins, each once; answers in their order. Rejects with NvrdError NOT_AVAILABLE while
   * others are being read: the same password twice at a time would count twice on the device.
   */
  read(logins: readonly LoginAttempt[]): Promise<DeviceReading[]>;
}

export interface NetworkDevicesOptions {
  readonly discovery: Discovery;
  readonly inspect: DeviceInspector;
  readonly clock: Clock;
  readonly log: Log;
}

/** The devices that discovery finds and ONVIF reads. */
export class NetworkDevices implements DeviceDirectory {
  readonly #options: NetworkDevicesOptions;
  readonly #refused = new RefusedLogins();
  #isReading = false;

  constructor(options: NetworkDevicesOptions) {
    this.#options = options;
  }

  scan(question: ScanQuestion, onProgress?: (progress: ScanProgress) => void): Promise<DiscoveredDevice[]> {
    return this.#options.discovery.scan(question, onProgress);
  }

  known(): DiscoveredDevice[] {
    return this.#options.discovery.known();
  }

  async read(logins: readonly LoginAttempt[]): Promise<DeviceReading[]> {
    if (this.#isReading) {
      throw new NvrdError("NOT_AVAILABLE", "other devices are being added", { retryAfterMs: 10_000 });
    }
    this.#isReading = true;
    try {
      return await readDevices(logins, { ...this.#options, refused: this.#refused });
    } finally {
      this.#isReading = false;
    }
  }
}
