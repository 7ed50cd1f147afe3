import { type Clock, type Guid, type Log, Semaphore } from "../../base/index.js";
import { type Camera, type Site, type SiteStore, storedSettings } from "../../site/index.js";
import type { DeviceDescription } from "../description/device-description.js";
import { DeviceInspection, type DeviceQuestion, type InspectDevice } from "./device-inspection.js";
import type { DeviceMemory } from "./device-memory.js";
import type { LoginBudgets } from "./login-budget.js";
import { connectionOf, type DeviceKnowledge, deviceOf } from "./stream-address.js";

/** Devices asked concurrently. Those that do not answer must not delay the others for long. */
const ASKED_AT_ONCE_MAX = 16;
/** More than a configuration has cameras. */
const DEVICES_WAITING_MAX = 4096;

export interface CameraDevicesOptions {
  readonly site: SiteStore;
  readonly inspect: InspectDevice;
  readonly budgets: LoginBudgets;
  readonly memory: DeviceMemory;
  readonly clock: Clock;
  /** 0 to 1, for the spread of waits. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * The ONVIF devices behind the cameras, each asked once, however many cameras and streams it has. Follows the configuration
 * before the streams do.
 */
export class CameraDevices {
  readonly #options: CameraDevicesOptions;
  readonly #turns = new Semaphore({ atOnce: ASKED_AT_ONCE_MAX, waitingMax: DEVICES_WAITING_MAX });
  readonly #inspections = new Map<string, DeviceInspection>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: CameraDevicesOptions) {
    this.#options = options;
  }

  /** Called when what is known of a device has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts asking the devices that are new in the configuration, and stops for those that were removed. */
  follow(site: Site): void {
    const wanted = new Set<string>();
    for (const camera of site.cameras) {
      if (camera.disabled || connectionOf(camera) !== "onvif") continue;
      const question = questionOf(camera);
      const key = JSON.stringify(question);
      wanted.add(key);
      if (!this.#inspections.has(key)) this.#begin(key, question);
    }
    for (const key of [...this.#inspections.keys()]) if (!wanted.has(key)) this.#remove(key);
  }

  async stop(): Promise<void> {
    for (const key of [...this.#inspections.keys()]) this.#remove(key);
    await Promise.all(this.#stopping);
  }

  /** The device of a camera; undefined if it does not use ONVIF, or is not followed. */
  inspection(camera: Camera): DeviceInspection | undefined {
    return this.#inspections.get(JSON.stringify(questionOf(camera)));
  }

  knowledge(camera: Camera): DeviceKnowledge {
    return this.inspection(camera) ?? NOTHING_KNOWN;
  }

  /** What the device of a channel reported in this run of the service. */
  description(channelId: Guid): DeviceDescription | undefined {
    const camera = this.#options.site.current.cameras.find((candidate) => candidate.id === channelId);
    return camera === undefined ? undefined : this.inspection(camera)?.description;
  }

  #begin(key: string, question: DeviceQuestion): void {
    const { inspect, budgets, memory, clock, random, log } = this.#options;
    const { address: device, login, password } = question;
    const inspection = new DeviceInspection({
      question,
      inspect,
      gate: budgets.gate({ device, login, password }),
      turns: this.#turns,
      remembered: memory.get(device),
      clock,
      random,
      log,
      onChange: () => {
        const { description } = inspection;
        if (description !== undefined) memory.set(device, description);
        for (const listener of this.#listeners) listener();
      },
    });
    this.#inspections.set(key, inspection);
    inspection.start();
  }

  #remove(key: string): void {
    const inspection = this.#inspections.get(key);
    this.#inspections.delete(key);
    if (inspection === undefined) return;
    const stopping = inspection.stop();
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }
}

const NOTHING_KNOWN: DeviceKnowledge = { profiles: undefined, failure: undefined };

/** How the device behind a camera is asked. */
export function questionOf(camera: Camera): DeviceQuestion {
  const { login, password } = camera.connection;
  const { secureConnectionOnly: secureOnly, ipv6Enabled, externalPorts } = storedSettings(camera).connection;
  return { address: deviceOf(camera), login, password, secureOnly, ipv4Only: !ipv6Enabled, externalPorts };
}
