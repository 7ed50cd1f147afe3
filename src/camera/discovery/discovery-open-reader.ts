import type { Clock } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceInspector } from "../device/device-adding.js";
import { readIdentity } from "../onvif/device-contact.js";
import { deviceHostname } from "./discovery-address.js";
import type { DeviceDetails, OpenReader } from "./discovery-details.js";

/** Timeout of a call to a device during discovery. */
const CALL_MS_MAX = 1_500;

/** Reads what a device reports without a login. Most report nothing, which is not an error. */
export function openReader(inspect: DeviceInspector, clock: Clock): OpenReader {
  return async (device, signal) => {
    const address = deviceHostname(device);
    const access = { address, login: "", password: "", clock, callTimeoutMs: CALL_MS_MAX };
    try {
      const described = await inspect({ ...access, signal });
      const { manufacturer, model, identity = "", profiles } = described;
      return {
        manufacturer,
        model,
        identity,
        profiles: profiles.map(({ name, codec, width, height }) => ({
          name,
          format: codec ?? "",
          width,
          height,
        })),
      };
    } catch (error) {
      if (!(error instanceof CameraFailure)) throw error;
      const itself = device.identity === "" ? await identityAlone({ ...access, signal }) : undefined;
      return itself ?? (isUnanswered(error) ? "unanswered" : undefined);
    }
  };
}

function isUnanswered({ lostCause }: CameraFailure): boolean {
  return lostCause === "unreachable" || lostCause === "interrupted";
}

/** A device that was found by its address may report its identity even if it reports nothing else. */
async function identityAlone({
  signal,
  ...access
}: DeviceAccess & { readonly signal: AbortSignal }): Promise<DeviceDetails | undefined> {
  try {
    const identity = await readIdentity(access, signal);
    return identity === undefined ? undefined : { manufacturer: "", model: "", identity, profiles: [] };
  } catch (error) {
    if (error instanceof CameraFailure) return undefined;
    throw error;
  }
}
