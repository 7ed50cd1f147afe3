import { type Clock, type Log, stopInOrder } from "../../base/index.js";
import { AddressFollower, type CameraDevices, NetworkAddresses, readIdentity } from "../../camera/index.js";
import type { ControlServer } from "../../control/index.js";
import type { SiteStore } from "../../site/index.js";
import { registerDiscoverCommand } from "../control/index.js";
import { createDeviceService, type DeviceService } from "../shared/index.js";

export interface DeviceServiceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly site: SiteStore;
  readonly control: ControlServer;
  /** The devices of the cameras that there are. */
  readonly cameras: CameraDevices;
}

export interface RunningDeviceService extends DeviceService {
  stop(): Promise<void>;
}

/**
 * The service's: listens for devices that come and go, follows cameras to new addresses, and serves `nvrd discover`.
 */
export async function startDeviceService(options: DeviceServiceOptions): Promise<RunningDeviceService> {
  const { site, cameras, clock, log, control } = options;
  const service = createDeviceService(options);
  const finder = new NetworkAddresses(service.discovery);
  const follower = new AddressFollower({ site, devices: cameras, finder, readIdentity, clock, log });
  registerDiscoverCommand(control, service.devices, site);
  await service.discovery.start();
  follower.start();
  // Its scan ends first, so that nobody waits for it.
  const stop = (): Promise<void> => stopInOrder([service.discovery, follower], log);
  return { ...service, stop };
}
