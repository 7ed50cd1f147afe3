import { type Clock, type Log, NvrdError } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import { type DeviceTraits, isTwin, isTwinByCard, traitsOf } from "../description/device-traits.js";
import {
  type DeviceInspector,
  type DeviceReading,
  type ItselfReader,
  type LoginAttempt,
  type ReadingListener,
  readDevices,
} from "../device/device-adding.js";
import { macNow } from "../device/neighbours.js";
import { RefusedLogins } from "../device/refused-logins.js";
import type { DiscoveredDevice, Discovery, ScanListener, ScanQuestion } from "./discovery.js";
import { MOVED_MS } from "./discovery-table.js";

/** The devices on the network, for adding cameras. */
export interface DeviceDirectory {
  /** See `Discovery.scan`. */
  scan(question: ScanQuestion, onProgress?: ScanListener): Promise<DiscoveredDevice[]>;
  /** The devices known so far, without a scan. */
  known(): DiscoveredDevice[];
  /**
   * Whether a found device is another one than the camera, whose identity it has, as its network card says, or because the camera
   * answers where it is.
   */
  isAnother(device: DiscoveredDevice, camera: Camera): boolean;
  /** Whether a device that was read elsewhere is another one than the camera, whose identity it has. */
  isTwin(camera: Camera, description: DeviceDescription): boolean;
  /**
   * Reads devices with their logins, each once; returns the readings in the same order. Rejects with NvrdError NOT_AVAILABLE
   * while another call is running: the device would count the same wrong password twice. `onReading` gets each as it comes.
   */
  read(logins: readonly LoginAttempt[], onReading?: ReadingListener): Promise<DeviceReading[]>;
}

export interface NetworkDevicesOptions {
  readonly discovery: Discovery;
  readonly inspect: DeviceInspector;
  /** Recognizes the recorder itself; absent: no recorder runs here. */
  readonly ownDevices?: ItselfReader;
  /** What the device of a camera has shown of itself; default: nothing is known. */
  readonly traits?: (camera: Camera) => DeviceTraits | undefined;
  /** Whether a camera's device answers where the camera is; default: that is not known. */
  readonly answers?: (camera: Camera) => boolean;
  /** The network card behind an address; default: as the kernel has it. */
  readonly macAt?: (host: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Devices found by discovery and read over ONVIF. */
export class NetworkDevices implements DeviceDirectory {
  readonly #options: NetworkDevicesOptions;
  readonly #refused = new RefusedLogins();
  #isReading = false;

  constructor(options: NetworkDevicesOptions) {
    this.#options = options;
  }

  scan(question: ScanQuestion, onProgress?: ScanListener): Promise<DiscoveredDevice[]> {
    return this.#options.discovery.scan(question, onProgress);
  }

  known(): DiscoveredDevice[] {
    return this.#options.discovery.known();
  }

  isAnother({ address, heardAgoMs }: DiscoveredDevice, camera: Camera): boolean {
    const { traits, macAt = macNow } = this.#options;
    const known = traits?.(camera);
    const heard = { mac: macAt(address), isHeardNow: heardAgoMs < MOVED_MS };
    return isTwinByCard(known, heard, this.#answers(camera));
  }

  isTwin(camera: Camera, description: DeviceDescription): boolean {
    const known = this.#options.traits?.(camera);
    if (known === undefined) return false;
    return isTwin(known, traitsOf(description, known.announced), this.#answers(camera));
  }

  #answers(camera: Camera): boolean {
    return this.#options.answers?.(camera) ?? false;
  }

  async read(logins: readonly LoginAttempt[], onReading?: ReadingListener): Promise<DeviceReading[]> {
    if (this.#isReading) {
      throw new NvrdError("NOT_AVAILABLE", "other devices are being added", { retryAfterMs: 10_000 });
    }
    this.#isReading = true;
    try {
      return await readDevices(logins, { ...this.#options, refused: this.#refused, onReading });
    } finally {
      this.#isReading = false;
    }
  }
}
