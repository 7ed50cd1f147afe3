import { tmpdir } from "node:os";
import type { Clock, Log } from "../../../src/base/index.js";
import {
  CameraDevices,
  CameraNotes,
  DeviceMemory,
  type InspectDevice,
  LoginBudgets,
} from "../../../src/camera/index.js";
import type { SiteStore } from "../../../src/site/index.js";

export interface DeviceParts {
  readonly site: SiteStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the memory of devices lies; none is read where it is not started. */
  readonly dataDir?: string;
  readonly inspect?: InspectDevice;
}

/** The ONVIF devices behind cameras, asked by `inspect`; where no camera is one, nobody is asked. */
export function testDevices({ site, clock, log, dataDir, inspect }: DeviceParts): {
  devices: CameraDevices;
  memory: DeviceMemory;
  notes: CameraNotes;
  budgets: LoginBudgets;
} {
  const random = (): number => 0;
  const memory = new DeviceMemory({ dataDir: dataDir ?? tmpdir(), clock, log });
  const notes = new CameraNotes({ dataDir: dataDir ?? tmpdir(), clock, log });
  const budgets = new LoginBudgets({ clock, random });
  const nobody: InspectDevice = () => Promise.reject(new Error("no device was to be asked"));
  const options = { site, clock, log, memory, notes, budgets, random, inspect: inspect ?? nobody };
  return { devices: new CameraDevices(options), memory, notes, budgets };
}

/** For cameras that are not found by ONVIF. */
export function noDevices(parts: DeviceParts): CameraDevices {
  return testDevices(parts).devices;
}
