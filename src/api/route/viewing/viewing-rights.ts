import type { Principal } from "../../../access/index.js";
import { type ArchiveKey, streamTypesOf } from "../../../archive/index.js";
import { NvrdError } from "../../../base/index.js";
import type { Camera } from "../../../site/index.js";
import { hasRight, type RouteRight } from "../rights.js";
import { receivableKey, requireArchiveRight } from "./channel-selection.js";
import type { VideoRequest } from "./video-request.js";

/** The rights for an untranscoded stream; the endpoint checks those that the request needs. */
export const VIEWING_RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the stream is Main, live or recorded" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];

/** What a request wants to watch. */
export interface Viewing {
  readonly of: ArchiveKey;
  readonly sound: boolean;
  readonly archived: boolean;
}

/**
 * What the user is not allowed, as the beginning of a sentence that ends with the channel; undefined if everything is allowed.
 */
export function refusedViewing(principal: Principal, viewing: Viewing): string | undefined {
  const { channelId } = viewing.of;
  if (!viewing.archived && !principal.mayWatchRealtime(channelId)) return "you may not watch live";
  if (viewing.archived && !principal.mayWatchArchive(channelId)) return "you may not watch the archive of";
  if (viewing.sound && !hasRight(principal, "CanReceiveSound")) return "you may not receive sound of";
  if (streamTypesOf(viewing.of).includes("Main") && !hasRight(principal, "CanReceiveMainStream")) {
    return "you may not receive the main stream (streamtype=Alternative may be open to you) of";
  }
  return undefined;
}

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
