import type { Clock, Log } from "../../base/index.js";
import {
  type DeviceInspector,
  Discovery,
  inspectByFamily,
  inspectDevice,
  NetworkDevices,
  type NetworkDevicesOptions,
  type OwnDevice,
  OwnDevices,
  openReader,
  SYSTEM_NETWORK,
} from "../../camera/index.js";

/** Finding and reading devices. */
interface DeviceService {
  readonly discovery: Discovery;
  readonly devices: NetworkDevices;
}

export interface DeviceServiceOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The recorder that runs here: it is not found, nor added. */
  readonly own?: () => OwnDevice | undefined;
  /** What the devices of cameras have shown of themselves. */
  readonly traits?: NetworkDevicesOptions["traits"];
  /** Whether they answer where cameras are. */
  readonly answers?: NetworkDevicesOptions["answers"];
}

/** Uses the machine's network. Discovery is not started; scans work without. */
export function createDeviceService(options: DeviceServiceOptions): DeviceService {
  const { clock, log, own = () => undefined, traits, answers } = options;
  const ownDevices = new OwnDevices({ own, network: SYSTEM_NETWORK, clock });
  const readOpenly = openReader(inspectDevice, clock);
  const discovery = new Discovery({ network: SYSTEM_NETWORK, clock, log, readOpenly, ownDevices });
  // With the network card, which distinguishes what has one identity.
  const inspect: DeviceInspector = (access) => inspectByFamily({ ...access, ipv4Only: false });
  const devices = new NetworkDevices({
    ...{ discovery, inspect, ownDevices, clock, log },
    ...(traits === undefined ? {} : { traits }),
    ...(answers === undefined ? {} : { answers }),
  });
  return { discovery, devices };
}
