import type { Principal } from "../../access/index.js";
import type { ArchiveKey } from "../../archive/index.js";
import { type Guid, NvrdError, parseGuid, type StreamType } from "../../base/index.js";
import { type Query, shown } from "../../http/index.js";
import { type ChannelPlace, recordedCamera, visibleCameras, wholeArchiveKey } from "../../player/index.js";
import type { Camera, Site } from "../../site/index.js";

/**
 * The camera that exactly one of `channelid` (GUID), `channel` (name) and `channelnum` (counted from 0 over the channels the
 * user may see) selects; a former one by its id alone. Throws NvrdError BAD_REQUEST if not exactly one is given or it is
 * malformed, NOT_FOUND if the user sees no such channel.
 */
export function selectChannel(query: Query, place: ChannelPlace, principal: Principal): Camera {
  const id = query.getFilled("channelid");
  const name = query.getFilled("channel");
  const number = query.getFilled("channelnum");
  const given = [id, name, number].filter((value) => value !== undefined).length;
  if (given !== 1) {
    const what = given === 0 ? "none was given" : `${given} were given`;
    throw new NvrdError("BAD_REQUEST", `give exactly one of channelid, channel and channelnum; ${what}`);
  }
  if (id !== undefined) return byId((known) => recordedCamera(place, principal, known), id);
  const cameras = visibleCameras(place.site.current, principal);
  if (name !== undefined) return byName(cameras, name);
  return byNumber(cameras, number ?? "");
}

/** The camera of the required parameter `channelid`. Throws like `selectChannel`. */
export function requireChannelId(query: Query, site: Site, principal: Principal): Camera {
  const find = (id: Guid) => visibleCameras(site, principal).find((camera) => camera.id === id);
  return byId(find, query.require("channelid"));
}

/** The camera, also a former one, of a required parameter with its id. Throws like `selectChannel`. */
export function requireRecordedChannel(
  query: Query,
  name: string,
  place: ChannelPlace,
  principal: Principal,
): Camera {
  return byId((id) => recordedCamera(place, principal, id), query.require(name), name);
}

function byId(find: (id: Guid) => Camera | undefined, text: string, name = "channelid"): Camera {
  const id = parseGuid(text.trim());
  if (id === undefined) throw new NvrdError("BAD_REQUEST", `${name} "${shown(text)}" is not a GUID`);
  const camera = find(id);
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

function byNumber(cameras: readonly Camera[], text: string): Camera {
  if (!/^\s*\d{1,6}\s*$/.test(text)) {
    throw new NvrdError("BAD_REQUEST", `channelnum "${shown(text)}" is not a number from 0 up`);
  }
  const camera = cameras[Number(text)];
  if (camera === undefined) {
    throw new NvrdError(
      "NOT_FOUND",
      `there is no channel number ${Number(text)}: there are ${cameras.length}, counted from 0`,
    );
  }
  return camera;
}

const STREAM_TYPE_NAMES = [
  "Main",
  "Alternative",
  "SecondAlternative",
  "ThirdAlternative",
  "MainVideo",
  "AlternativeVideo",
] as const;

/** The parameter `streamtype`, ignoring case; undefined if absent; `mainvideo` and `alternativevideo` are aliases. */
export function readStreamType(query: Query): StreamType | undefined {
  if (query.getFilled("streamtype") === undefined) return undefined;
  const name = query.oneOf("streamtype", STREAM_TYPE_NAMES, "Main");
  if (name === "MainVideo") return "Main";
  return name === "AlternativeVideo" ? "Alternative" : name;
}

/**
 * The recording that is meant: of `streamtype`, where that was sent, else all that is recorded of the channel. Each moment
 * then comes from the stream that has it, where several have from the one that is recorded now.
 */
export function archiveKey(query: Query, camera: Camera): ArchiveKey {
  const named = readStreamType(query);
  return named === undefined ? wholeArchiveKey(camera) : { channelId: camera.id, streamType: named };
}

/** Throws NvrdError FORBIDDEN unless the user may watch the channel's archive. */
export function requireArchiveRight(principal: Principal, camera: Camera): void {
  if (principal.mayWatchArchive(camera.id)) return;
  throw new NvrdError("FORBIDDEN", `you may not watch the archive of channel ${camera.name}`);
}
