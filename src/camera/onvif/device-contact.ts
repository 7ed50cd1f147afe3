import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import { type DeviceUrl, deviceUrlText } from "../soap/device-url.js";
import { isPortClosed } from "../soap/network-failure.js";
import { SoapClient } from "../soap/soap-client.js";
import { deviceCandidates } from "./device-candidates.js";
import { type DeviceTime, readDeviceTime, unknownTime } from "./device-clock.js";
import { normalIdentity } from "./device-identity.js";

/**
 * Finds the candidate address at which the device answers ONVIF, without a login. Tries the next candidate only if a port is
 * closed or something else answers on it. Rejects with the most informative CameraFailure.
 */
export async function contactDevice(
  client: SoapClient,
  access: DeviceAccess,
  signal: AbortSignal | undefined,
): Promise<DeviceTime> {
  const failures: CameraFailure[] = [];
  const candidates = deviceCandidates(access);
  for (const url of candidates) {
    try {
      return await answersAt(client, url, signal);
    } catch (error) {
      if (!(error instanceof CameraFailure)) throw error;
      failures.push(error);
      if (!mayBeElsewhere(error)) break;
    }
  }
  const meaningful = failures.find((failure) => !isPortClosed(failure) && failure.kind !== "insecure");
  const closed = failures.filter(isPortClosed);
  if (meaningful === undefined && closed.length > 1 && candidates.length > 2)
    throw allClosed(candidates, closed);
  throw meaningful ?? failures[0] ?? new CameraFailure("unreachable", "the camera's address cannot be used");
}

function mayBeElsewhere(failure: CameraFailure): boolean {
  return (
    isPortClosed(failure) || ["not-onvif", "bad-answer", "insecure", "interrupted"].includes(failure.kind)
  );
}

async function answersAt(
  client: SoapClient,
  url: DeviceUrl,
  signal: AbortSignal | undefined,
): Promise<DeviceTime> {
  const address = deviceUrlText(url);
  try {
    return await readDeviceTime(client, { url, address, signal });
  } catch (error) {
    const isUnreadable =
      error instanceof CameraFailure && (error.kind === "bad-answer" || error.kind === "interrupted");
    if (!isUnreadable || signal?.aborted === true) throw error;
    // The time cannot be read. Another operation that needs no login shows whether the device speaks ONVIF at all.
    const question = { address, service: "device", operation: "GetCapabilities", signal } as const;
    const { url: reached } = await client.ask({ ...question, content: "<m:Category>All</m:Category>" });
    return unknownTime(reached);
  }
}

function allClosed(candidates: readonly DeviceUrl[], closed: readonly CameraFailure[]): CameraFailure {
  const ports = [...new Set(candidates.map((url) => url.port))].join(", ");
  const message = `${candidates[0]?.host ?? "the camera"} refuses the connection at each of the ports ${ports}: is ONVIF enabled in the camera, or does it use another port?`;
  return new CameraFailure("unreachable", message, { cause: closed[0] });
}

/** What a device that is there answers where it does not say who it is: a fault, a bare status, another's answer. */
const SAYS_NOTHING = new Set<CameraFailureKind>([
  "refused",
  "unauthorized",
  "clock-off",
  "bad-answer",
  "not-onvif",
]);

/**
 * Reads the endpoint reference of the device at an address, without a login, so that no password is sent to another device.
 * Undefined if the device does not report it. Rejects with CameraFailure if no ONVIF device answers.
 */
export async function readIdentity(access: DeviceAccess, signal?: AbortSignal): Promise<string | undefined> {
  const client = new SoapClient({ ...access, login: "", password: "" });
  try {
    const { url } = await contactDevice(client, access, signal);
    return await readIdentityAt(client, deviceUrlText(url), signal);
  } finally {
    client.close();
  }
}

/** The same where it was reached: devices that do not say it without a login refuse in many ways. */
export async function readIdentityAt(
  client: SoapClient,
  address: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const { response } = await client.ask({
      address,
      service: "device",
      operation: "GetEndpointReference",
      signal,
    });
    return normalIdentity(response.text("GUID"));
  } catch (error) {
    if (error instanceof CameraFailure && SAYS_NOTHING.has(error.kind)) return undefined;
    throw error;
  }
}
