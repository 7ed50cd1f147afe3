import type { ExternalPort } from "../../site/index.js";
import { type DeviceScheme, type DeviceUrl, deviceUrlText, parseDeviceUrl } from "../soap/device-url.js";

interface AddressCorrectionOptions {
  /** The address at which the device service answered. */
  readonly reached: DeviceUrl;
  readonly externalPorts: readonly ExternalPort[];
}

const HTTP: readonly DeviceScheme[] = ["http", "https"];
const RTSP: readonly DeviceScheme[] = ["rtsp", "rtsps"];

/**
 * Corrects the addresses that a device reports. Behind NAT, with a wrong network configuration, or with two interfaces, a
 * device reports a host other than the one at which it was reached; that host is replaced. Ports are mapped as configured; the
 * device's own HTTP port is mapped by the reported address of the device service. If the device was reached over TLS, its other
 * services are also called over TLS, so that no password is sent unencrypted.
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

  /** Hosts and ports that were corrected, for a warning. */
  get corrected(): readonly string[] {
    return [...this.#corrected];
  }

  /** Takes the address that the device reports for its device service: that port corresponds to the one we reached. */
  learnDevice(address: string): void {
    const url = parseDeviceUrl(address, HTTP);
    if (url?.scheme === this.#reached.scheme) this.#advertisedPort = url.port;
  }

  /** The address of a service or snapshot; undefined if invalid. A bare path is a path on this device. */
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

  /** The address of a stream; undefined if invalid. */
  rtsp(address: string): string | undefined {
    const url = parseDeviceUrl(address, RTSP);
    return url === undefined ? undefined : this.#correct(url, undefined);
  }

  /** The address of a stream through HTTP, from one of HTTP or RTSP; undefined if invalid. */
  tunnel(address: string): string | undefined {
    const url = parseDeviceUrl(address, [...HTTP, ...RTSP]);
    if (url === undefined) return undefined;
    // A device that names rtsp:// means its own HTTP port, at which it was reached; TLS stays TLS.
    const isNamed = HTTP.includes(url.scheme) && (url.scheme === "https" || this.#reached.scheme === "http");
    const through = isNamed ? this.http(address) : deviceUrlText({ ...this.#reached, target: url.target });
    return through === undefined ? undefined : `rtsp+${through}`;
  }

  #correct(url: DeviceUrl, learnedPort: number | undefined): string {
    const port = learnedPort ?? this.#ports.get(url.port) ?? url.port;
    const { host } = this.#reached;
    if (url.host.toLowerCase() !== host.toLowerCase()) this.#corrected.add(url.host);
    else if (port !== url.port) this.#corrected.add(`port ${url.port}`);
    return deviceUrlText({ ...url, host, port });
  }
}
