import type { DeviceAccess } from "../device-access.js";
import type { DeviceDescription } from "../device-description.js";
import { Inspection } from "./inspection.js";

export interface InspectOptions extends DeviceAccess {
  readonly signal?: AbortSignal;
}

/**
 * Reads what an ONVIF device is and has. Sends nothing but questions, a login only to what answered as an ONVIF device,
 * and a wrong password at most once by each method that the device takes.
 *
 * Rejects with CameraFailure: `unauthorized`, `locked`, `not-activated`, `clock-off`, `unreachable`, `insecure`, `busy`,
 * `not-onvif`, `bad-answer`, `interrupted`, `refused`, `no-stream`.
 */
export async function inspectDevice(options: InspectOptions): Promise<DeviceDescription> {
  return await new Inspection(options, options.signal).run();
}
