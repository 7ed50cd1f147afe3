import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { Inspection } from "./inspection.js";
import { descriptionOfAnswer } from "./node-onvif-answer.js";
import { askByNodeOnvif } from "./node-onvif-process.js";

export interface InspectOptions extends DeviceAccess {
  readonly signal?: AbortSignal;
}

/** Failures of reading, which another client may not have. */
const MAY_READ_OTHERWISE = new Set(["bad-answer", "refused", "no-stream", "interrupted"]);
/** node-onvif writes the user name into XML as it is. */
const PLAIN_LOGIN = /^[^<>&\p{Cc}]*$/u;

/**
 * Reads what an ONVIF device is and has. Sends nothing but questions, a login only to what answered as an ONVIF device,
 * and a wrong password at most once by each method that the device takes. A device that speaks ONVIF and that our own
 * client cannot read is tried once by node-onvif.
 *
 * Rejects with CameraFailure: `unauthorized`, `locked`, `not-activated`, `clock-off`, `unreachable`, `insecure`, `busy`,
 * `not-onvif`, `bad-answer`, `interrupted`, `refused`, `no-stream`.
 */
export async function inspectDevice(options: InspectOptions): Promise<DeviceDescription> {
  const inspection = new Inspection(options, options.signal);
  try {
    return await inspection.run();
  } catch (error) {
    const other =
      error instanceof CameraFailure && MAY_READ_OTHERWISE.has(error.kind)
        ? await readOtherwise(options, inspection)
        : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/** By node-onvif, where it can be relied on: HTTP in clear, WS-Security's token or no login, one process at a time. */
async function readOtherwise(
  options: InspectOptions,
  inspection: Inspection,
): Promise<DeviceDescription | undefined> {
  const { contact, takesTokens } = inspection;
  if (contact === undefined || contact.url.scheme !== "http" || !takesTokens) return undefined;
  if (options.secureOnly === true || !PLAIN_LOGIN.test(options.login)) return undefined;
  const { login, password, clock, signal } = options;
  const { address, url: reached, correction } = contact;
  const message = await askByNodeOnvif({ address, login, password, clock, signal });
  const read = descriptionOfAnswer(message, { address, reached, correction });
  return read === undefined ? undefined : { ...read, clockOffsetMs: contact.offsetMs };
}
