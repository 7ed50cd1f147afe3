import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceUrl } from "../soap/device-url.js";
import { isUnsupported } from "../soap/soap-answer.js";
import type { SoapClient } from "../soap/soap-client.js";
import type { XmlElement } from "../xml/xml-element.js";

export interface DeviceTime {
  /** Address that answered, after redirects. */
  readonly url: DeviceUrl;
  /** The device's clock minus ours, milliseconds; undefined if not reported. */
  readonly offsetMs: number | undefined;
}

/** Failures that still show that the device speaks ONVIF. */
const ONVIF_FAILURES = new Set<string>(["refused", "unauthorized", "clock-off"]);

/**
 * Asks for the device's time without a login (ONVIF Core, 8.3: access class PRE_AUTH). Rejects with CameraFailure if the device
 * does not speak ONVIF, is not activated, or has locked us out. If it speaks ONVIF but does not report its time, the offset is
 * undefined.
 */
export async function readDeviceTime(
  client: SoapClient,
  target: { readonly url: DeviceUrl; readonly address: string; readonly signal: AbortSignal | undefined },
): Promise<DeviceTime> {
  const sentMs = client.nowMs;
  try {
    const { response, url, date } = await client.ask({
      address: target.address,
      service: "device",
      operation: "GetSystemDateAndTime",
      signal: target.signal,
    });
    const deviceMs = deviceTimeMs(response) ?? httpDateMs(date);
    const ownMs = (sentMs + client.nowMs) / 2;
    return { url, offsetMs: deviceMs === undefined ? undefined : Math.round(deviceMs - ownMs) };
  } catch (error) {
    const speaksOnvif =
      error instanceof CameraFailure && (ONVIF_FAILURES.has(error.kind) || isUnsupported(error));
    if (!speaksOnvif) throw error;
    return { url: target.url, offsetMs: undefined };
  }
}

/** UTC if reported; otherwise the local time taken as UTC, which such devices use. */
function deviceTimeMs(response: XmlElement): number | undefined {
  const time = response.child("SystemDateAndTime");
  return momentMs(time?.child("UTCDateTime")) ?? momentMs(time?.child("LocalDateTime"));
}

function momentMs(moment: XmlElement | undefined): number | undefined {
  const [year, month, day] = ["Year", "Month", "Day"].map((name) => moment?.number("Date", name));
  const [hour, minute, second] = ["Hour", "Minute", "Second"].map((name) => moment?.number("Time", name));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined) return undefined;
  const ms = Date.UTC(year, month - 1, day, hour, minute, Math.min(second ?? 0, 59));
  return year >= 1970 && year < 2200 && Number.isFinite(ms) ? ms : undefined;
}

function httpDateMs(date: string): number | undefined {
  const ms = Date.parse(date);
  return Number.isFinite(ms) ? ms : undefined;
}
