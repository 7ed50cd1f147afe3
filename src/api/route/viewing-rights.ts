import type { Principal } from "../../access/index.js";
import { NvrdError, type StreamKey } from "../../base/index.js";
import type { Camera } from "../../site/index.js";
import { requireArchiveRight } from "./channel-selection.js";
import { hasRight, type RouteRight } from "./rights.js";
import type { VideoRequest } from "./video-request.js";

/** The rights for an untranscoded stream; the endpoint checks those that the request needs. */
export const VIEWING_RIGHTS: readonly RouteRight[] = [
  { right: "CanReceiveMainStream", when: "the stream is Main, live or recorded" },
  { right: "CanReceiveSound", when: "`sound=on`" },
];

/** What a request wants to watch. */
export interface Viewing {
  readonly key: StreamKey;
  readonly sound: boolean;
  readonly archived: boolean;
}

/**
 * What the user is not allowed, as the beginning of a sentence that ends with the channel; undefined if everything is allowed.
 */
export function refusedViewing(principal: Principal, viewing: Viewing): string | undefined {
  const { channelId, streamType } = viewing.key;
  if (!viewing.archived && !principal.mayWatchRealtime(channelId)) return "you may not watch live";
  if (viewing.archived && !principal.mayWatchArchive(channelId)) return "you may not watch the archive of";
  if (viewing.sound && !hasRight(principal, "CanReceiveSound")) return "you may not receive sound of";
  if (streamType === "Main" && !hasRight(principal, "CanReceiveMainStream")) {
    return "you may not receive the main stream (streamtype=Alternative may be open to you) of";
  }
  return undefined;
}

export function viewingOf({ key, sound, playback }: VideoRequest): Viewing {
  return { key, sound, archived: playback !== undefined };
}

/** Throws NvrdError FORBIDDEN unless the user may watch what the request asks for. */
export function requireVideoRights(principal: Principal, camera: Camera, video: VideoRequest): void {
  if (video.playback !== undefined) requireArchiveRight(principal, camera);
  const refusal = refusedViewing(principal, viewingOf(video));
  if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
}
