import type { DevicePlace, PlaceFinder } from "../device/device-search.js";
import type { Discovery } from "./discovery.js";
import { deviceHostname } from "./discovery-address.js";
import type { FoundDevice } from "./discovery-table.js";

/** Where devices are, as discovery hears them. */
export class NetworkAddresses implements PlaceFinder {
  readonly #discovery: Discovery;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  async look(): Promise<readonly DevicePlace[]> {
    return (await this.#discovery.answering()).map(placeOf);
  }

  known(): readonly DevicePlace[] {
    return this.#discovery.known().map(placeOf);
  }

  onSeen(listener: (place: DevicePlace) => void): void {
    this.#discovery.onSeen((device) => listener(placeOf(device)));
  }
}

function placeOf(device: FoundDevice): DevicePlace {
  const { identity, address: host, names } = device;
  return { identity, host, hostname: deviceHostname(device), model: names.model };
}
