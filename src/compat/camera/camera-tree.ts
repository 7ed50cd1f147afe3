import { type Guid, NvrdError } from "../../base/index.js";
import {
  type Camera,
  foldersOf,
  placeChannels,
  SITE_LIMITS,
  type Site,
  type UserGroup,
  withFolders,
} from "../../site/index.js";

/** A camera and its security object. */
export interface PlacedCamera {
  readonly camera: Camera;
  readonly parentId: Guid;
}

/** Which security object directly holds a channel, by the tree. Trees are never altered, only replaced. */
const PARENTS = new WeakMap<Site["rootSecurityObject"], ReadonlyMap<Guid, Guid>>();

/** The ids of a tree's security objects. */
const OBJECTS = new WeakMap<Site["rootSecurityObject"], ReadonlySet<Guid>>();

/** The security object that directly holds a channel; the root for a channel in none. */
export function parentIdOf(channelId: Guid, site: Site): Guid {
  const root = site.rootSecurityObject;
  const parents =
    PARENTS.get(root) ??
    new Map(foldersOf(site).flatMap(({ id, channelIds }) => channelIds.map((held) => [held, id] as const)));
  PARENTS.set(root, parents);
  return parents.get(channelId) ?? root.id;
}

/** Whether there is a security object with this id. */
export function hasSecurityObject(id: Guid | undefined, site: Site): boolean {
  const root = site.rootSecurityObject;
  const known = OBJECTS.get(root) ?? new Set(foldersOf(site).map((folder) => folder.id));
  OBJECTS.set(root, known);
  return id !== undefined && known.has(id);
}

/**
 * The site with further cameras. A group with a list of channels gets access if it has the right CanAccessNewCamera; a group
 * without a list has access to all. Throws NvrdError BAD_REQUEST if there would be too many.
 */
export function addCameras(site: Site, added: readonly PlacedCamera[]): Site {
  const count = site.cameras.length + added.length;
  if (count > SITE_LIMITS.camerasMax) {
    throw new NvrdError(
      "BAD_REQUEST",
      `there would be ${count} cameras, ${SITE_LIMITS.camerasMax} are possible: nothing was added`,
    );
  }
  const ids = added.map(({ camera }) => camera.id);
  const withNew = (channels: "all" | readonly Guid[]) =>
    channels === "all" ? channels : [...channels, ...ids];
  const groups = site.groups.map((group): UserGroup => {
    if (!group.rights.CanAccessNewCamera) return group;
    return {
      ...group,
      realtimeChannels: withNew(group.realtimeChannels),
      archiveChannels: withNew(group.archiveChannels),
    };
  });
  const cameras = [...site.cameras, ...added.map(({ camera }) => camera)];
  return place({ ...site, cameras, groups }, added);
}

/** The site with the changed cameras, in unchanged order. Returns the same object if nothing differs. */
export function changeCameras(site: Site, changed: readonly PlacedCamera[]): Site {
  const byId = new Map(changed.map(({ camera }) => [camera.id, camera]));
  const moved = changed.filter(({ camera, parentId }) => parentIdOf(camera.id, site) !== parentId);
  const differs = site.cameras.some((camera) => (byId.get(camera.id) ?? camera) !== camera);
  if (!differs && moved.length === 0) return site;
  const cameras = site.cameras.map((camera) => byId.get(camera.id) ?? camera);
  return place({ ...site, cameras }, moved);
}

function place(site: Site, cameras: readonly PlacedCamera[]): Site {
  if (cameras.length === 0) return site;
  const placed = new Set(cameras.map(({ camera }) => camera.id));
  const folders = foldersOf(site);
  const contents = new Map<Guid, readonly Guid[]>();
  for (const { id, channelIds } of folders) {
    const arriving = cameras.filter(({ parentId }) => parentId === id).map(({ camera }) => camera.id);
    if (arriving.length === 0) continue;
    contents.set(id, [...channelIds.filter((channelId) => !placed.has(channelId)), ...arriving]);
  }
  return withFolders(site, placeChannels(folders, contents));
}
