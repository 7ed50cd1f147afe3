import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { Inspection } from "./inspection.js";
import { descriptionOfAnswer } from "./node-onvif-answer.js";
import { askByNodeOnvif } from "./node-onvif-process.js";

interface InspectOptions extends DeviceAccess {
  readonly signal?: AbortSignal;
}

/** Failures of reading that another client may not have. */
const FALLBACK_KINDS = new Set(["bad-answer", "refused", "no-stream", "interrupted"]);
/** node-onvif does not escape the user name in XML. */
const PLAIN_LOGIN = /^[^<>&\p{Cc}]*$/u;

/**
 * Reads the description of an ONVIF device. Sends only read requests. A login is sent only to an address that answered as an
 * ONVIF device, and a wrong password at most once per login method of the device. If our own client cannot read an ONVIF
 * device, node-onvif tries once.
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
      error instanceof CameraFailure && FALLBACK_KINDS.has(error.kind)
        ? await readByNodeOnvif(options, inspection)
        : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/** Reads with node-onvif where it is reliable: plain HTTP, with a WS-Security token or no login, one process at a time. */
async function readByNodeOnvif(
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
