import { CameraFailure } from "../description/camera-failure.js";
import { type DeviceUrl, deviceUrlText, parseDeviceUrl, placeOf } from "./device-url.js";
import type { HttpAnswer } from "./http-exchange.js";

/** Most redirects that are followed one after another. */
const REDIRECTS_MAX = 2;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Where an answer sends the asker; undefined when it is not a redirect. */
export function redirectTarget(answer: HttpAnswer): string | undefined {
  if (!REDIRECT_STATUSES.has(answer.status)) return undefined;
  const target = answer.header("location").trim();
  return target === "" ? undefined : target;
}

export interface RedirectRules {
  readonly from: DeviceUrl;
  /** How many were followed before. */
  readonly redirects: number;
}

/** The next address to ask: of the same host only, because the login must go nowhere else, and never from TLS to none. */
export function followed(target: string, rules: RedirectRules): DeviceUrl {
  const { from } = rules;
  const place = placeOf(from);
  const text = target.startsWith("/") ? deviceUrlText({ ...from, target }) : target;
  const next = parseDeviceUrl(text, ["http", "https"]);
  if (next === undefined || next.host.toLowerCase() !== from.host.toLowerCase()) {
    throw new CameraFailure(
      "not-onvif",
      `${place} sends its visitors to another address: check the camera's address`,
    );
  }
  if (next.scheme === "http" && from.scheme === "https") {
    throw new CameraFailure(
      "insecure",
      `${place} sends its visitors from the secure connection to an insecure one`,
    );
  }
  if (rules.redirects >= REDIRECTS_MAX) {
    throw new CameraFailure(
      "not-onvif",
      `${place} sends its visitors round in circles: check the camera's port`,
    );
  }
  return next;
}
