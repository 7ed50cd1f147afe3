import type { ExternalPort } from "../../site/index.js";
import { type DeviceScheme, type DeviceUrl, deviceUrlText, parseDeviceUrl } from "./device-url.js";

export interface AddressCorrectionOptions {
  /** Where the device service was reached. */
  readonly reached: DeviceUrl;
  readonly externalPorts: readonly ExternalPort[];
}

const HTTP: readonly DeviceScheme[] = ["http", "https"];
const RTSP: readonly DeviceScheme[] = ["rtsp", "rtsps"];

/**
 * Makes addresses that a device names reachable. Behind NAT, with a wrong network set-up, or with two interfaces, a
 * device names a host that is not where it was reached: the host is replaced by that. Ports follow the configured
 * mapping, and for the device's own web port what its device service says of itself. Where it was reached over TLS, its
 * other services are asked over TLS too, so that a password is not sent in clear after all.
 */
export class AddressCorrection {
  readonly #reached: DeviceUrl;
  readonly #ports: ReadonlyMap<number, number>;
  #advertisedPort: number | undefined;
  #corrected = new Set<string>();

  constructor(options: AddressCorrectionOptions) {
    this.#reached = options.reached;
    this.#ports = new Map(options.externalPorts.map((entry) => [entry.integratedPort, entry.externalPort]));
  }

  /** Hosts and ports that were found wrong, for a warning. */
  get corrected(): readonly string[] {
    return [...this.#corrected];
  }

  /** Takes the address that the device gives for its device service: its port is the one we reached. */
  learnDevice(address: string): void {
    const url = parseDeviceUrl(address, HTTP);
    if (url?.scheme === this.#reached.scheme) this.#advertisedPort = url.port;
  }

  /** A service's or snapshot's address; undefined when it is none. A bare path is taken as one of this device. */
  http(address: string): string | undefined {
    const text = address.trim();
    const url = text.startsWith("/")
      ? parseDeviceUrl(deviceUrlText({ ...this.#reached, target: text }), HTTP)
      : parseDeviceUrl(text, HTTP);
    if (url === undefined) return undefined;
    if (text.startsWith("/")) return deviceUrlText(url);
    if (this.#reached.scheme === "https" && url.scheme === "http") {
      return deviceUrlText({ ...this.#reached, target: url.target });
    }
    const isDevicePort = url.scheme === this.#reached.scheme && url.port === this.#advertisedPort;
    return this.#correct(url, isDevicePort ? this.#reached.port : undefined);
  }

  /** A stream's address; undefined when it is none. */
  rtsp(address: string): string | undefined {
    const url = parseDeviceUrl(address, RTSP);
    return url === undefined ? undefined : this.#correct(url, undefined);
  }

  #correct(url: DeviceUrl, learnedPort: number | undefined): string {
    const port = learnedPort ?? this.#ports.get(url.port) ?? url.port;
    const { host } = this.#reached;
    if (url.host.toLowerCase() !== host.toLowerCase()) this.#corrected.add(url.host);
    else if (port !== url.port) this.#corrected.add(`port ${url.port}`);
    return deviceUrlText({ ...url, host, port });
  }
}
