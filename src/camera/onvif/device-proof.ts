import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceShown } from "../description/device-traits.js";
import { deviceUrlText } from "../soap/device-url.js";
import { SoapClient } from "../soap/soap-client.js";
import { contactDevice, readIdentityAt } from "./device-contact.js";
import { normalIdentity } from "./device-identity.js";

/** What a device shows of itself, and whether it took the login for it. */
export interface DeviceProof extends DeviceShown {
  /** False: it asks for no login, or none is configured. */
  readonly tookLogin: boolean;
}

/**
 * Who answers at an address that a camera may have moved to: asked without a login, then as its user. The login goes by
 * Digest or WS-Security's digest alone, whatever the device asks for. Rejects with CameraFailure.
 */
export async function proveDevice(access: DeviceAccess, signal?: AbortSignal): Promise<DeviceProof> {
  const client = new SoapClient({ ...access, digestOnly: true });
  try {
    const { url, clocks } = await contactDevice(client, access, signal);
    client.clocks = clocks;
    const address = deviceUrlText(url);
    const openIdentity = await readIdentityAt(client, address, signal);
    const device = { address, service: "device", signal } as const;
    const information = await optional(client, () =>
      client.call({ ...device, operation: "GetDeviceInformation" }),
    );
    const reference =
      openIdentity === undefined
        ? await optional(client, () =>
            client.call({ ...device, operation: "GetEndpointReference", asUser: true }),
          )
        : undefined;
    const memberOf = (name: string): string => information?.text(name) ?? "";
    return {
      identity: openIdentity ?? normalIdentity(reference?.text("GUID") ?? ""),
      manufacturer: memberOf("Manufacturer"),
      model: memberOf("Model"),
      serial: memberOf("SerialNumber"),
      hardwareId: memberOf("HardwareId"),
      tookLogin: client.isLoginAccepted,
    };
  } finally {
    client.close();
  }
}

/** A device need not have each operation; one that refuses the login has the last word. */
async function optional<T>(client: SoapClient, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CameraFailure) || client.refusal !== undefined) throw error;
    if (error.kind === "unauthorized" || error.kind === "locked") throw error;
    return undefined;
  }
}
