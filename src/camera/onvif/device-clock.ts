import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceUrl } from "./device-url.js";
import { isUnsupported } from "./soap-answer.js";
import type { SoapClient } from "./soap-client.js";
import type { XmlElement } from "./xml-element.js";

export interface DeviceTime {
  /** Address that answered, after redirects. */
  readonly url: DeviceUrl;
  /** The device's clock less ours, milliseconds; undefined where it does not tell. */
  readonly offsetMs: number | undefined;
}

/** What a device that speaks ONVIF may say instead of its time: it still shows that it does. */
const ANSWERS_ANYWAY = new Set<string>(["refused", "unauthorized", "clock-off"]);

/**
 * Asks for the device's time without a login, as everyone may (ONVIF Core, 8.3: access class PRE_AUTH). Rejects with
 * CameraFailure when what answers speaks no ONVIF, is not activated, or locks us out; a device that speaks it and only
 * keeps its time to itself is told by an undefined offset.
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
      error instanceof CameraFailure && (ANSWERS_ANYWAY.has(error.kind) || isUnsupported(error));
    if (!speaksOnvif) throw error;
    return { url: target.url, offsetMs: undefined };
  }
}

/** UTC where it is told; else the local time as if it were UTC, which is what such devices keep. */
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
