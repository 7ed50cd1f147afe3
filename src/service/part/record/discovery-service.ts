import { type Clock, type Log, STREAM_TYPES, stopInOrder } from "../../../base/index.js";
import {
  AddressFollower,
  type Discovery,
  macOf,
  NetworkAddresses,
  type NetworkDevices,
  type OwnDevice,
  proveDevice,
} from "../../../camera/index.js";
import type { ControlServer } from "../../../host/control/index.js";
import type { Camera, SiteStore } from "../../../site/index.js";
import { registerDiscoverCommand } from "../../control/index.js";
import { createDeviceService } from "../../shared/index.js";
import type { CameraService } from "./camera-service.js";

export interface DiscoveryServiceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly site: SiteStore;
  readonly control: ControlServer;
  /** See `DeviceServiceOptions`. */
  readonly own: () => OwnDevice | undefined;
  /** The cameras that there are. */
  readonly cameras: Pick<CameraService, "devices" | "notes" | "budgets" | "streams">;
}

/** Listens for announcements of devices, follows cameras to new addresses, and handles `nvrd discover`. */
export class DiscoveryService {
  /** The devices on the network, for the API. */
  readonly devices: NetworkDevices;
  readonly #discovery: Discovery;
  readonly #follower: AddressFollower;
  readonly #log: Log;

  constructor(options: DiscoveryServiceOptions) {
    const { site, cameras, clock, log, control } = options;
    const { discovery, devices } = createDeviceService({
      ...options,
      traits: (camera) => cameras.notes.of(camera)?.device,
      answers: (camera) => answersAtHome(camera, cameras),
    });
    this.devices = devices;
    this.#discovery = discovery;
    this.#log = log;
    const finder = new NetworkAddresses(discovery);
    const { devices: known, notes, budgets } = cameras;
    const shared = { site, devices: known, notes, budgets, clock, log };
    this.#follower = new AddressFollower({ ...shared, finder, prove: proveDevice, macOf });
    registerDiscoverCommand(control, devices, site);
  }

  async start(): Promise<void> {
    await this.#discovery.start();
    this.#follower.start();
  }

  /** The scan ends first, so that nothing waits for it. */
  async stop(): Promise<void> {
    await stopInOrder([this.#discovery, this.#follower], this.#log);
  }
}

/** A camera's device was described in this run, and nothing says since that it is away, or another one. */
function answersAtHome(camera: Camera, { devices, streams }: DiscoveryServiceOptions["cameras"]): boolean {
  const inspection = devices.inspection(camera);
  if (inspection?.description === undefined || inspection.failingMs > 0) return false;
  const isLost = STREAM_TYPES.some((type) => streams.stream(camera.id, type)?.state.state === "lost");
  return !isLost && !devices.isReplaced(camera);
}
