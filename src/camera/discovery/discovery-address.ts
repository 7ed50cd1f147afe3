import { STREAM_SCHEME } from "../../rtsp/index.js";
import type { Camera } from "../../site/index.js";
import { parseDeviceHost } from "../description/device-host.js";
import { parseDeviceUrl } from "../soap/device-url.js";
import type { FoundDevice } from "./discovery-table.js";

const STREAM_SCHEMES = ["rtsp", "rtsps", "rtsp+http", "rtsp+https"] as const;
const USUAL_PATH = "/onvif/device_service";

/**
 * A found device's address in the form of a camera object's Hostname, which `inspectDevice` accepts too: the host, with the
 * port if it is not 80, or the URL of the device service if its path is not the usual one.
 */
export function deviceHostname({ address, port, isSecure, path }: FoundDevice): string {
  const host = address.includes(":") ? `[${address}]` : address;
  if (path !== USUAL_PATH) return `${isSecure ? "https" : "http"}://${host}:${port}${path}`;
  if (isSecure) return `https://${host}${port === 443 ? "" : `:${port}`}`;
  return port === 80 ? address : `${host}:${port}`;
}

/** The host in a Hostname or stream URL, lower case, IPv6 without brackets. Empty if there is none. */
export function hostnameHost(hostname: string): string {
  const rtsp = STREAM_SCHEME.test(hostname) ? parseDeviceUrl(hostname, STREAM_SCHEMES) : undefined;
  const host = rtsp?.host ?? parseDeviceHost(hostname)?.host ?? "";
  return host.toLowerCase();
}

export interface DevicePlace {
  /** Endpoint reference; empty if unknown. */
  readonly identity: string;
  readonly hostname: string;
}

/**
 * The cameras of a device: those with its identity. Of cameras without an identity, those with its Hostname, or with its host
 * if no other device shares that host and the Hostname names no other port.
 */
export function camerasOf(
  { identity, hostname }: DevicePlace,
  cameras: readonly Camera[],
  sharesHost: boolean,
): Camera[] {
  const host = hostnameHost(hostname);
  return cameras.filter(({ connection }) => {
    const known = connection.deviceIdentity;
    if (known !== undefined && identity !== "") return known === identity;
    if (connection.hostname.toLowerCase() === hostname.toLowerCase()) return true;
    if (sharesHost || hostnameHost(connection.hostname) !== host) return false;
    const [ours, theirs] = [servicePort(connection.hostname), servicePort(hostname)];
    return ours === undefined || theirs === undefined || ours === theirs;
  });
}

/** The port of the device service in a Hostname; undefined if there is none. */
function servicePort(hostname: string): number | undefined {
  return STREAM_SCHEME.test(hostname) ? undefined : parseDeviceHost(hostname)?.port;
}
