import type { MediaDescription } from "sdp-transform";
import { US_PER_SECOND } from "../../../base/index.js";

/** How a sender is asked for a key frame: Picture Loss Indication (RFC 4585, 6.3.1) or Full Intra Request (RFC 5104, 4.3.1). */
export type KeyRequest = "pli" | "fir";

/** The request that a media section announces for a payload type (a=rtcp-fb; RFC 4585, 4.2); undefined if none. */
export function keyRequestOf(media: MediaDescription, payloadType: number): KeyRequest | undefined {
  const announced = (media.rtcpFb ?? []).filter(
    ({ payload }) => String(payload) === "*" || Number(payload) === payloadType,
  );
  const has = (type: string, subtype: string): boolean =>
    announced.some((one) => one.type.toLowerCase() === type && one.subtype?.toLowerCase() === subtype);
  if (has("nack", "pli")) return "pli";
  return has("ccm", "fir") ? "fir" : undefined;
}

/** Between two pictures by a=framerate (RFC 4566, 6); undefined where there is none of use. */
export function pictureGapUs({ framerate }: MediaDescription): number | undefined {
  const rate = Number(framerate);
  return rate > 0 && Number.isFinite(rate) ? US_PER_SECOND / rate : undefined;
}
