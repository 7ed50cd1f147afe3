import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { CameraFailure } from "../description/camera-failure.js";
import { parseDeviceHost } from "../description/device-host.js";
import { inspectDevice } from "../onvif/inspect-device.js";
import type { InspectDevice } from "./device-inspection.js";

/** `inspectDevice`, restricted to IPv4 where the camera's settings require it. */
export const inspectByFamily: InspectDevice = async ({ ipv4Only, ...access }) => {
  if (!ipv4Only) return await inspectDevice(access);
  return await inspectDevice({ ...access, address: await ipv4Address(access.address) });
};

/** The address with its name resolved to an IPv4 address. Rejects with CameraFailure. */
async function ipv4Address(address: string): Promise<string> {
  const parsed = parseDeviceHost(address);
  if (parsed === undefined)
    throw new CameraFailure("unreachable", "the camera's address cannot be read: correct it");
  const { host } = parsed;
  if (isIPv6(host)) {
    const words = `${host} is an IPv6 address, and IPv6 is switched off for this camera: switch it on`;
    throw new CameraFailure("unreachable", words);
  }
  if (isIP(host) !== 0) return address;
  try {
    const found = await lookup(host, { family: 4 });
    return address.replace(host, found.address);
  } catch (error) {
    const words = `the name ${host} has no IPv4 address: check the address and the DNS server`;
    throw new CameraFailure("unreachable", words, { cause: error });
  }
}
