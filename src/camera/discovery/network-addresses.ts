import type { AddressFinder } from "../device/address-follower.js";
import type { Discovery } from "./discovery.js";
import { deviceHostname } from "./discovery-address.js";

/** Where devices are by their identity, as discovery hears them. */
export class NetworkAddresses implements AddressFinder {
  readonly #discovery: Discovery;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** One that two addresses claim is not found: which of them it is cannot be told from here. */
  async find(identity: string): Promise<string | undefined> {
    const [device, ...others] = await this.#discovery.devicesOf(identity);
    return device === undefined || others.length > 0 ? undefined : deviceHostname(device);
  }

  onMoved(listener: (identity: string, address: string) => void): void {
    this.#discovery.onSeen((device) => listener(device.identity, deviceHostname(device)));
  }
}
