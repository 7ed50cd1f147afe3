import { STREAM_SCHEME } from "../../rtsp/index.js";
import type { Camera } from "../../site/index.js";
import { parseDeviceHost } from "../description/device-host.js";
import { parseDeviceUrl } from "../soap/device-url.js";
import { type FoundDevice, type ListedDevice, MOVED_MS } from "./discovery-table.js";

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
  /** Where other devices with the same identity answer: makers are known that give all their devices one. */
  readonly twins: readonly string[];
  /** Whether it is another device than a camera elsewhere that has its identity. Absent: none is known to be. */
  readonly isAnother?: ((camera: Camera) => boolean) | undefined;
}

/**
 * The cameras of a device: those with its identity, less those where a twin of it answers, and those that are known to be its twins. Of cameras without an identity,
 * those with its Hostname, or with its host if no other device shares that host and the Hostname names no other port.
 */
export function camerasOf(
  { identity, hostname, twins, isAnother = () => false }: DevicePlace,
  cameras: readonly Camera[],
  sharesHost: boolean,
): Camera[] {
  return cameras.filter((camera) => {
    const { connection } = camera;
    const known = connection.deviceIdentity;
    if (known !== undefined && identity !== "") {
      if (known !== identity) return false;
      const isHere = isOnePlace(connection.hostname, hostname);
      if (isHere) return true;
      return !twins.some((twin) => isOnePlace(connection.hostname, twin)) && !isAnother(camera);
    }
    if (connection.hostname.toLowerCase() === hostname.toLowerCase()) return true;
    return !sharesHost && isOnePlace(connection.hostname, hostname);
  });
}

/** Where other devices answer that say that they are the same one. */
export function twinsOf(device: ListedDevice, devices: readonly ListedDevice[]): readonly string[] {
  const { identity } = device;
  if (identity === "") return [];
  const others = devices.filter((other) => other.identity === identity && placeOf(other) !== placeOf(device));
  // One that was heard long before the other has moved.
  const areTwo = (other: ListedDevice): boolean => Math.abs(other.heardAgoMs - device.heardAgoMs) < MOVED_MS;
  return others.filter(areTwo).map(deviceHostname);
}

function placeOf({ address, port }: FoundDevice): string {
  return `${address} ${port}`;
}

/** Whether two Hostnames have one host, and name no two ports. */
function isOnePlace(one: string, other: string): boolean {
  if (hostnameHost(one) !== hostnameHost(other)) return false;
  const [ours, theirs] = [servicePort(one), servicePort(other)];
  return ours === undefined || theirs === undefined || ours === theirs;
}

/** The port of the device service in a Hostname; undefined if there is none. */
function servicePort(hostname: string): number | undefined {
  return STREAM_SCHEME.test(hostname) ? undefined : parseDeviceHost(hostname)?.port;
}
