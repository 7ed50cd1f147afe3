import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import { parseDeviceHost } from "../description/device-host.js";
import { readIdentity } from "../onvif/device-contact.js";
import { type DiscoveryNetwork, isOwnAddress } from "./discovery-network.js";
import type { FoundDevice } from "./discovery-table.js";

/** The recorder, as it is met on the network. */
export interface OwnDevice {
  /** Its endpoint reference, normalized. */
  readonly identity: string;
  /** Of its web servers; 0: off. */
  readonly ports: readonly number[];
}

export interface OwnDevicesOptions {
  /** Undefined: no recorder runs here. */
  readonly own: () => OwnDevice | undefined;
  readonly network: Pick<DiscoveryNetwork, "addresses" | "ipv6Networks">;
  readonly clock: Clock;
  /** The addresses of a name; for tests. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Timeout of a question to what may be the recorder, in milliseconds. */
const CALL_MS_MAX = 2000;

/** Knows the recorder among the devices of the network: it is no camera of itself. */
export class OwnDevices {
  readonly #options: OwnDevicesOptions;

  constructor(options: OwnDevicesOptions) {
    this.#options = options;
  }

  hasIdentity(identity: string | undefined): boolean {
    return identity !== undefined && identity !== "" && identity === this.#options.own()?.identity;
  }

  /** Whether what was found is the recorder: by its endpoint reference, or at its address and port. */
  isFound({ identity, address, port }: Pick<FoundDevice, "identity" | "address" | "port">): boolean {
    if (this.hasIdentity(identity)) return true;
    const ports = this.#options.own()?.ports ?? [];
    // Simulated cameras at 127.0.0.0/8 have other ports, and identities of their own.
    return identity === "" && ports.includes(port) && isOwnAddress(address, this.#options.network);
  }

  /** Whether an address leads to this machine. The name of a host is looked up. */
  async isHere(address: string): Promise<boolean> {
    const host = parseDeviceHost(address)?.host;
    if (host === undefined) return false;
    const { network, resolve = addressesOf } = this.#options;
    const addresses = isIP(host.split("%")[0] ?? "") === 0 ? await resolve(host) : [host];
    return addresses.some((each) => isOwnAddress(each, network));
  }

  /** Whether the recorder answers at an address: directly, by a forwarded port, or behind a proxy. It is sent no login. */
  async answersAt(address: string, signal: AbortSignal): Promise<boolean> {
    if (this.#options.own() === undefined) return false;
    const access = { address, login: "", password: "", clock: this.#options.clock };
    try {
      return this.hasIdentity(await readIdentity({ ...access, callTimeoutMs: CALL_MS_MAX }, signal));
    } catch (error) {
      if (error instanceof CameraFailure) return false;
      throw error;
    }
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    // An unknown name leads nowhere; reading the device says so.
    return [];
  }
}
