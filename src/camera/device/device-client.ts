import type { Clock } from "../../base/index.js";
import type { AcceptsKey } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { readDeviceTime } from "../onvif/device-clock.js";
import { parseDeviceUrl } from "../soap/device-url.js";
import { SoapClient } from "../soap/soap-client.js";
import type { DeviceQuestion } from "./device-inspection.js";

export interface DeviceClientOptions {
  readonly question: DeviceQuestion;
  /** What the device said: its services lie where it was reached. */
  readonly description: Pick<DeviceDescription, "services" | "clockOffsetMs" | "loginClock" | "tookDigest">;
  readonly acceptsKey: AcceptsKey;
  readonly clock: Clock;
  /** Milliseconds a call may take; the client's own bound when absent. */
  readonly callTimeoutMs?: number;
}

/** A client for a known device: with the configured login, and the device's own clock. */
export function deviceClient({
  question,
  description,
  acceptsKey,
  clock,
  callTimeoutMs,
}: DeviceClientOptions): SoapClient {
  const { address, login, password, secureOnly, externalPorts } = question;
  const service = description.services.device;
  const url = parseDeviceUrl(service, ["http", "https"]);
  const client = new SoapClient({
    address,
    login,
    password,
    clock,
    secureOnly,
    externalPorts,
    acceptsKey,
    digestOnly: description.tookDigest,
    ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    readClocks: async (asker) => {
      if (url === undefined) return [];
      return (await readDeviceTime(asker, { url, address: service, signal: undefined })).clocks;
    },
  });
  client.clocks = [description.loginClock ?? { source: "told", offsetMs: description.clockOffsetMs ?? 0 }];
  return client;
}

/**
 * Calls an operation that every user of the device may call. If another operation is refused afterwards, the password is not
 * the reason. Rejects with CameraFailure.
 */
export async function proveLogin(
  client: SoapClient,
  { services }: Pick<DeviceDescription, "services">,
  signal?: AbortSignal,
): Promise<void> {
  await client.call({
    address: services.device,
    service: "device",
    operation: "GetDeviceInformation",
    signal,
  });
}
