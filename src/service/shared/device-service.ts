import type { Clock, Log } from "../../base/index.js";
import {
  type DeviceInspector,
  Discovery,
  inspectByFamily,
  inspectDevice,
  NetworkDevices,
  openReader,
  SYSTEM_NETWORK,
} from "../../camera/index.js";

/** Finding and reading devices. */
export interface DeviceService {
  readonly discovery: Discovery;
  readonly devices: NetworkDevices;
}

/** Uses the machine's network. Discovery is not started; scans work without. */
export function createDeviceService(options: { readonly clock: Clock; readonly log: Log }): DeviceService {
  const { clock, log } = options;
  const readOpenly = openReader(inspectDevice, clock);
  const discovery = new Discovery({ network: SYSTEM_NETWORK, clock, log, readOpenly });
  // With the network card, which tells apart what has one identity.
  const inspect: DeviceInspector = (access) => inspectByFamily({ ...access, ipv4Only: false });
  const devices = new NetworkDevices({ discovery, inspect, clock, log });
  return { discovery, devices };
}
