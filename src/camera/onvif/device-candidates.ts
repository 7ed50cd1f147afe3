import { isIPv6 } from "node:net";
import type { ExternalPort } from "../../site/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import { type DeviceScheme, type DeviceUrl, parseDeviceUrl, plainHost } from "../soap/device-url.js";

/** Path of the device service, fixed by ONVIF Core, 5.1.1. */
const DEVICE_PATH = "/onvif/device_service";

/**
 * Ports on which cameras offer ONVIF, most frequent first: nearly all use 80; Reolink and Dahua clones 8000, many encoders
 * 8080, TP-Link 2020, XM boards 8899.
 */
const USUAL_PORTS: readonly (readonly [DeviceScheme, number])[] = [
  ["http", 80],
  ["https", 443],
  ["http", 8000],
  ["http", 8080],
  ["http", 2020],
  ["http", 8899],
];

type AddressOptions = Pick<DeviceAccess, "address" | "secureOnly" | "externalPorts">;

/** Addresses of the device service to try, in order. Throws CameraFailure if `address` is invalid. */
export function deviceCandidates(options: AddressOptions): DeviceUrl[] {
  const text = options.address.trim();
  const isSecureOnly = options.secureOnly === true;
  if (/^[a-z]+:\/\//i.test(text)) return [ofUrl(text, isSecureOnly)];
  const { host, port } = hostAndPort(text);
  if (port !== undefined) {
    const schemes: DeviceScheme[] = isSecureOnly
      ? ["https"]
      : port === 443
        ? ["https", "http"]
        : ["http", "https"];
    return schemes.map((scheme) => ({ scheme, host, port, target: DEVICE_PATH }));
  }
  return USUAL_PORTS.filter(([scheme]) => !isSecureOnly || scheme === "https").map(([scheme, usual]) => ({
    scheme,
    host,
    port: externalPort(usual, options.externalPorts ?? []),
    target: DEVICE_PATH,
  }));
}

function ofUrl(text: string, isSecureOnly: boolean): DeviceUrl {
  const url = parseDeviceUrl(text, ["http", "https"]);
  if (url === undefined) throw unusable();
  if (isSecureOnly && url.scheme === "http") {
    const message =
      "the address begins with http://, and the settings ask for a secure connection: write https://";
    throw new CameraFailure("insecure", message);
  }
  return url.target === "" || url.target === "/" ? { ...url, target: DEVICE_PATH } : url;
}

function hostAndPort(text: string): { readonly host: string; readonly port: number | undefined } {
  const bare = plainHost(text);
  if (isIPv6(bare)) return { host: bare, port: undefined };
  const url = parseDeviceUrl(`http://${text}`, ["http"]);
  if (url === undefined || url.target !== "") throw unusable();
  return { host: url.host, port: /:\d+$/.test(text) ? url.port : undefined };
}

function externalPort(port: number, ports: readonly ExternalPort[]): number {
  return ports.find((entry) => entry.integratedPort === port)?.externalPort ?? port;
}

function unusable(): CameraFailure {
  const message = "the camera's address cannot be used: write a host name or IP address, perhaps with :port";
  return new CameraFailure("unreachable", message);
}
