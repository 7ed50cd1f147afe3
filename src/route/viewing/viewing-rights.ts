import type { Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { receivableKey, refusedViewing, type Viewing } from "../../player/index.js";
import type { Camera } from "../../site/index.js";
import type { RouteRight } from "../endpoint/rights.js";
import { requireArchiveRight } from "./channel-selection.js";
import type { VideoRequest } from "./video-request.js";

/** The rights for an untranscoded stream; the endpoint checks those that the request needs. */
export const VIEWING_RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the stream is Main, live or recorded" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];

export function viewingOf({ key, sound, playback }: VideoRequest): Viewing {
  return { of: playback?.of ?? key, sound, archived: playback !== undefined };
}

/** The request for what the user may be sent of a recording. */
export function receivable(video: VideoRequest, principal: Principal): VideoRequest {
  const { playback } = video;
  if (playback === undefined) return video;
  return { ...video, playback: { ...playback, of: receivableKey(playback.of, principal) } };
}

/** Throws NvrdError FORBIDDEN unless the user may watch what the request asks for. */
export function requireVideoRights(principal: Principal, camera: Camera, video: VideoRequest): void {
  if (video.playback !== undefined) requireArchiveRight(principal, camera);
  const refusal = refusedViewing(principal, viewingOf(video));
  if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
}
