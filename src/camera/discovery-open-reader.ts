import type { Clock } from "../base/index.js";
import { CameraFailure } from "./camera-failure.js";
import type { DeviceInspector } from "./device-adding.js";
import { deviceHostname } from "./discovery-address.js";
import type { OpenReader } from "./discovery-details.js";

/** A device that is only looked at gets no more time than this for a call. */
const CALL_MS_MAX = 1_500;

/** Reads what a device shows without a login; most show nothing, and that is no error. */
export function openReader(inspect: DeviceInspector, clock: Clock): OpenReader {
  return async (device, signal) => {
    const address = deviceHostname(device);
    try {
      const described = await inspect({
        address,
        login: "",
        password: "",
        clock,
        signal,
        callTimeoutMs: CALL_MS_MAX,
      });
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
      if (error instanceof CameraFailure) return undefined;
      throw error;
    }
  };
}
