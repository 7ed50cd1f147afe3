import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";
import { CameraFailure } from "../description/camera-failure.js";
import { parseDeviceHost } from "../description/device-host.js";
import { inspectDevice } from "../onvif/inspect-device.js";
import type { InspectDevice } from "./device-inspection.js";
import { macOf } from "./neighbours.js";

/** `inspectDevice`, kept to IPv4 where the camera's settings ask for that, and the network card that answered. */
export const inspectByFamily: InspectDevice = async ({ ipv4Only, ...access }) => {
  const address = ipv4Only ? await ipv4Address(access.address) : access.address;
  const description = await inspectDevice({ ...access, address });
  const mac = await macOf(description.host);
  return mac === "" ? description : { ...description, mac };
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
