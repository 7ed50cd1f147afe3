import type { AddressFinder } from "../device/address-follower.js";
import type { Discovery } from "./discovery.js";
import { deviceHostname } from "./discovery-address.js";

/** Finds the addresses of devices by their identity, by discovery. */
export class NetworkAddresses implements AddressFinder {
  readonly #discovery: Discovery;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Undefined if two addresses claim the identity, because it is unknown which one is genuine. */
  async find(identity: string): Promise<string | undefined> {
    const [device, ...others] = await this.#discovery.devicesOf(identity);
    return device === undefined || others.length > 0 ? undefined : deviceHostname(device);
  }

  onMoved(listener: (identity: string, address: string) => void): void {
    this.#discovery.onSeen((device) => listener(device.identity, deviceHostname(device)));
  }
}
