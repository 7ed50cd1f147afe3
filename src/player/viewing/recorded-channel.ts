import { hasRight, type Principal } from "../../access/index.js";
import type { ArchiveAccess, ArchiveKey, ChannelKey } from "../../archive/index.js";
import { type Guid, STREAM_TYPES } from "../../base/index.js";
import { blankCamera } from "../../camera/index.js";
import {
  archiveStreamType,
  type Camera,
  DEFAULT_CAMERA_OPTIONS,
  type Site,
  type SiteStore,
} from "../../site/index.js";
import { requireIndex } from "./known-recordings.js";

/** The cameras a user may see, in the configuration's order. */
export function visibleCameras(site: Site, principal: Principal): readonly Camera[] {
  return site.cameras.filter((camera) => principal.maySee(camera.id));
}

/** Where a recording's channel is looked for: in the configuration, and in the archive. */
export interface ChannelPlace {
  readonly site: Pick<SiteStore, "current">;
  readonly archive: Pick<ArchiveAccess, "hasChannel" | "recordedName" | "indexFault">;
}

/**
 * A camera that the configuration does not know, though there are recordings of it: it was removed, or another recorder made them.
 * Undefined for any other id, and for who may not watch its recordings. Throws NvrdError NOT_AVAILABLE as long as it is not known
 * of what there are recordings, and it is not found.
 */
export function formerCamera(place: ChannelPlace, principal: Principal, id: Guid): Camera | undefined {
  const { site, archive } = place;
  const isPresent = site.current.cameras.some((camera) => camera.id === id);
  if (isPresent || !principal.mayWatchArchive(id)) return undefined;
  if (!archive.hasChannel(id)) {
    requireIndex(archive);
    return undefined;
  }
  const blank = blankCamera(site.current.server.id);
  return { ...blank, id, name: archive.recordedName(id) ?? id, kept: DEFAULT_CAMERA_OPTIONS };
}

/** The camera of an id that the user may see, or a former one. Throws as `formerCamera`. */
export function recordedCamera(place: ChannelPlace, principal: Principal, id: Guid): Camera | undefined {
  const visible = visibleCameras(place.site.current, principal).find((camera) => camera.id === id);
  return visible ?? formerCamera(place, principal, id);
}

/** Whether a channel is configured, recorded, or that is not known: who plays its recordings plays on. */
export function isStillThere({ site, archive }: ChannelPlace, id: Guid): boolean {
  const isConfigured = site.current.cameras.some((camera) => camera.id === id);
  return isConfigured || archive.hasChannel(id) || archive.indexFault() !== undefined;
}

/** All that is recorded of a channel; where several streams have a moment, it comes from the one that is recorded now. */
export function wholeArchiveKey(camera: Camera): ChannelKey {
  const recorded = archiveStreamType(camera);
  const others = STREAM_TYPES.filter((streamType) => streamType !== recorded);
  return { channelId: camera.id, streamTypes: [recorded, ...others] };
}

/**
 * What a user may be sent of a recording as the camera sent it: without the main stream, where it is not the one that is
 * named or recorded now. Those are refused with a message.
 */
export function receivableKey(key: ArchiveKey, principal: Principal): ArchiveKey {
  if ("streamType" in key || hasRight(principal, "CanReceiveMainStream")) return key;
  const streamTypes = key.streamTypes.filter((streamType, at) => at === 0 || streamType !== "Main");
  return { ...key, streamTypes };
}
