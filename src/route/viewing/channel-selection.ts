import type { Principal } from "../../access/index.js";
import type { ArchiveKey } from "../../archive/index.js";
import { type Guid, NvrdError, type StreamType } from "../../base/index.js";
import { type Asked, channelParameters, playingParameters } from "../../contract/query/index.js";
import { type Query, shown } from "../../http/index.js";
import { type ChannelPlace, recordedCamera, visibleCameras, wholeArchiveKey } from "../../player/index.js";
import type { Camera, Site } from "../../site/index.js";
import { readParameter, readQuery } from "../endpoint/query-parameters.js";

/**
 * The camera that exactly one of `channelid` (GUID), `channel` (name) and `channelnum` (counted from 0 over the channels the
 * user may see) selects; a former one by its id alone. Throws NvrdError BAD_REQUEST if not exactly one is given or it is
 * malformed, NOT_FOUND if the user sees no such channel.
 */
export function selectChannel(query: Query, place: ChannelPlace, principal: Principal): Camera {
  const names = Object.keys(channelParameters).filter((name) => query.getFilled(name) !== undefined);
  if (names.length !== 1) {
    const what = names.length === 0 ? "none was given" : `${names.length} were given`;
    throw new NvrdError("BAD_REQUEST", `give exactly one of channelid, channel and channelnum; ${what}`);
  }
  const { channelid, channel, channelnum } = readQuery(query, channelParameters);
  if (channelid !== undefined) return requireRecordedChannel(channelid, place, principal);
  const cameras = visibleCameras(place.site.current, principal);
  return channel === undefined ? byNumber(cameras, channelnum ?? 0) : byName(cameras, channel);
}

/** The camera with this id. Throws NvrdError NOT_FOUND if the user sees no such channel. */
export function requireChannel(id: Guid, site: Site, principal: Principal): Camera {
  return known(
    id,
    visibleCameras(site, principal).find((camera) => camera.id === id),
  );
}

/** The camera with this id, also a former one. Throws NvrdError NOT_FOUND if the user sees no such channel. */
export function requireRecordedChannel(id: Guid, place: ChannelPlace, principal: Principal): Camera {
  return known(id, recordedCamera(place, principal, id));
}

function known(id: Guid, camera: Camera | undefined): Camera {
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
  return camera;
}

function byName(cameras: readonly Camera[], name: string): Camera {
  const lower = name.toLowerCase();
  const exact = cameras.filter((camera) => camera.name === name);
  const found = exact.length > 0 ? exact : cameras.filter((camera) => camera.name.toLowerCase() === lower);
  const [camera] = found;
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel called "${shown(name)}"`);
  if (found.length > 1) {
    throw new NvrdError("BAD_REQUEST", `${found.length} channels are called "${shown(name)}": use channelid`);
  }
  return camera;
}

function byNumber(cameras: readonly Camera[], number: number): Camera {
  const camera = cameras[number];
  if (camera !== undefined) return camera;
  throw new NvrdError(
    "NOT_FOUND",
    `there is no channel number ${number}: there are ${cameras.length}, counted from 0`,
  );
}

/** The stream that a parameter `streamtype` names. */
export function streamTypeNamed(name: Asked<typeof playingParameters>["streamtype"]): StreamType | undefined {
  if (name === "MainVideo") return "Main";
  return name === "AlternativeVideo" ? "Alternative" : name;
}

/**
 * The recording that is meant: of `streamtype`, where that was sent, else all that is recorded of the channel. Each moment
 * then comes from the stream that has it, where several have from the one that is recorded now.
 */
export function archiveKey(query: Query, camera: Camera): ArchiveKey {
  const named = streamTypeNamed(readParameter(query, playingParameters, "streamtype"));
  return named === undefined ? wholeArchiveKey(camera) : { channelId: camera.id, streamType: named };
}

/** Throws NvrdError FORBIDDEN unless the user may watch the channel's archive. */
export function requireArchiveRight(principal: Principal, camera: Camera): void {
  if (principal.mayWatchArchive(camera.id)) return;
  throw new NvrdError("FORBIDDEN", `you may not watch the archive of channel ${camera.name}`);
}
