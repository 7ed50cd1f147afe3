import type { Camera } from "../../site/index.js";
import { parseDeviceHost } from "../description/device-host.js";
import type { FoundDevice } from "./discovery-table.js";

const USUAL_PATH = "/onvif/device_service";

/**
 * A found device's address as a camera object's Hostname and as `inspectDevice` take it: the host, with the port where it
 * is not 80, or the whole address of the device service where that is not where it usually is.
 */
export function deviceHostname({ address, port, isSecure, path }: FoundDevice): string {
  const host = address.includes(":") ? `[${address}]` : address;
  if (path !== USUAL_PATH) return `${isSecure ? "https" : "http"}://${host}:${port}${path}`;
  if (isSecure) return `https://${host}${port === 443 ? "" : `:${port}`}`;
  return port === 80 ? address : `${host}:${port}`;
}

/** The host in a Hostname, lower case, IPv6 without brackets: also of a stream's URL. Empty when it has none. */
export function hostnameHost(hostname: string): string {
  const rtsp =
    /^rtsps?:\/\//i.test(hostname) && URL.canParse(hostname) ? new URL(hostname).hostname : undefined;
  const host = rtsp?.replace(/^\[|\]$/g, "") ?? parseDeviceHost(hostname)?.host ?? "";
  return host.toLowerCase();
}

export interface DevicePlace {
  /** Endpoint reference; empty when it is not known. */
  readonly identity: string;
  readonly hostname: string;
}

/**
 * The cameras that stand for a device: those with its identity; of those without one, those with its Hostname, or with
 * its host where no other device shares that and no other port is named.
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

/** The port of the device service that a Hostname names; undefined: none is named. */
function servicePort(hostname: string): number | undefined {
  return /^rtsps?:/i.test(hostname) ? undefined : parseDeviceHost(hostname)?.port;
}
