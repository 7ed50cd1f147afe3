import { CameraFailure, LOGIN_CLOCKS, type LoginClock } from "../description/camera-failure.js";
import type { DeviceUrl } from "../soap/device-url.js";
import { isUnsupported } from "../soap/soap-answer.js";
import type { SoapClient } from "../soap/soap-client.js";
import type { XmlElement } from "../xml/xml-element.js";

export interface DeviceTime {
  /** Address that answered, after redirects. */
  readonly url: DeviceUrl;
  /** The device's clock minus ours, milliseconds; undefined if not reported. */
  readonly offsetMs: number | undefined;
  /** What the device may judge a login by, likeliest first; never empty. */
  readonly clocks: readonly LoginClock[];
}

/** Clocks that differ by less are one: they count whole seconds. */
const ONE_CLOCK_MS = 5000;
const OWN_CLOCK: LoginClock = { source: "own", offsetMs: 0 };

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
    const ownMs = (sentMs + client.nowMs) / 2;
    const offset = (ms: number | undefined): number | undefined =>
      ms === undefined ? undefined : Math.round(ms - ownMs);
    const [reported, http] = [offset(deviceTimeMs(response)), offset(httpDateMs(date))];
    return {
      url,
      offsetMs: reported ?? http,
      clocks: clocksOf({ reported, http, local: offset(localMs(response)) }),
    };
  } catch (error) {
    const speaksOnvif =
      error instanceof CameraFailure && (ONVIF_FAILURES.has(error.kind) || isUnsupported(error));
    if (!speaksOnvif) throw error;
    return unknownTime(target.url);
  }
}

/** Of a device that does not report its time. */
export function unknownTime(url: DeviceUrl): DeviceTime {
  return { url, offsetMs: undefined, clocks: [OWN_CLOCK] };
}

/**
 * The clocks by which a device may judge the time of a login: what it reports as UTC, what its web server does, ours, and the
 * one that it may take for UTC.
 */
function clocksOf({
  reported,
  http,
  local,
}: Readonly<Record<"reported" | "http" | "local", number | undefined>>): readonly LoginClock[] {
  const clocks: LoginClock[] = [];
  const offsets = { told: reported, http, own: OWN_CLOCK.offsetMs, local };
  for (const source of LOGIN_CLOCKS) {
    const offsetMs = offsets[source];
    if (offsetMs === undefined) continue;
    if (clocks.every((other) => Math.abs(other.offsetMs - offsetMs) >= ONE_CLOCK_MS))
      clocks.push({ source, offsetMs });
  }
  return clocks;
}

/**
 * What a device may take for UTC that tells apart UTC and its local time: the local one. Of one that does not, what it reports may
 * be its local time, and UTC is that less its zone.
 */
function localMs(response: XmlElement): number | undefined {
  const time = response.child("SystemDateAndTime");
  const [utc, local] = [momentMs(time?.child("UTCDateTime")), momentMs(time?.child("LocalDateTime"))];
  if (utc !== undefined && local !== undefined && Math.abs(local - utc) >= ONE_CLOCK_MS) return local;
  const [told, zone] = [utc ?? local, zoneMs(response)];
  return told === undefined || zone === undefined ? undefined : told - zone;
}

/** Local time minus UTC by the device's time zone as POSIX writes it (`CST-8`, `MSK-3`), without summer time. */
function zoneMs(response: XmlElement): number | undefined {
  const zone = response.text("SystemDateAndTime", "TimeZone", "TZ");
  const match = /^(?:<[^>]{1,16}>|[a-z]{1,8})([+-]?)(\d{1,2})(?::(\d{2}))?/i.exec(zone);
  if (match === null) return undefined;
  const [, sign, hours = "", minutes = "0"] = match;
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? ms : -ms;
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

/** A Date without a zone is Greenwich's, as every Date of HTTP is (RFC 9110, 5.6.7). */
function httpDateMs(date: string): number | undefined {
  const isZoned = /(?:\b(?:GMT|UTC?|Z|[ECMP][SD]T)|[+-]\d\d:?\d\d)\s*(?:\(.*\))?$/i.test(date.trim());
  const ms = Date.parse(isZoned ? date : `${date} GMT`);
  return Number.isFinite(ms) ? ms : undefined;
}
