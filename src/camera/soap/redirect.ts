import { CameraFailure } from "../description/camera-failure.js";
import { type DeviceUrl, deviceUrlText, parseDeviceUrl, placeOf } from "./device-url.js";
import type { HttpAnswer } from "./http-body.js";

/** Maximum number of consecutive redirects. */
const REDIRECTS_MAX = 2;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** The target of a redirect; undefined if the answer is not one. */
export function redirectTarget(answer: HttpAnswer): string | undefined {
  if (!REDIRECT_STATUSES.has(answer.status)) return undefined;
  const target = answer.header("location").trim();
  return target === "" ? undefined : target;
}

export interface RedirectRules {
  readonly from: DeviceUrl;
  /** Number of redirects followed so far. */
  readonly redirects: number;
}

/**
 * The address to request next: only on the same host, because the login must not be sent elsewhere, and never from TLS to plain
 * HTTP.
 */
export function redirectUrl(target: string, rules: RedirectRules): DeviceUrl {
  const { from } = rules;
  const place = placeOf(from);
  const text = target.startsWith("/") ? deviceUrlText({ ...from, target }) : target;
  const next = parseDeviceUrl(text, ["http", "https"]);
  if (next === undefined || next.host.toLowerCase() !== from.host.toLowerCase()) {
    throw new CameraFailure("not-onvif", `${place} redirects to another host: check the camera's address`);
  }
  if (next.scheme === "http" && from.scheme === "https") {
    throw new CameraFailure("insecure", `${place} redirects from HTTPS to plain HTTP`);
  }
  if (rules.redirects >= REDIRECTS_MAX) {
    throw new CameraFailure("not-onvif", `${place} redirects too often: check the camera's port`);
  }
  return next;
}
