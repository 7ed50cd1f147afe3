import { type Guid, NvrdError } from "../base/index.js";
import { type Camera, type SecurityObject, SITE_LIMITS, type Site, type UserGroup } from "../site/index.js";

/** A camera and the security object that is to hold it. */
export interface PlacedCamera {
  readonly camera: Camera;
  readonly parentId: Guid;
}

/** The security object that directly holds a channel; the root for a channel that none holds. */
export function parentIdOf(channelId: Guid, site: Site): Guid {
  const root = site.rootSecurityObject;
  return securityObjects(root).find((node) => node.channelIds.includes(channelId))?.id ?? root.id;
}

/** Whether there is a security object with this id. */
export function hasSecurityObject(id: Guid | undefined, site: Site): boolean {
  return id !== undefined && securityObjects(site.rootSecurityObject).some((node) => node.id === id);
}

/**
 * The site with further cameras. A group with a list of channels sees them when it has the right CanAccessNewCamera;
 * one without a list sees all anyway. Throws NvrdError BAD_REQUEST when they would be too many.
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
  return { ...site, cameras, groups, rootSecurityObject: place(site.rootSecurityObject, added) };
}

/** The site with cameras as they are to be, in their old order. The very same site when nothing differs. */
export function changeCameras(site: Site, changed: readonly PlacedCamera[]): Site {
  const byId = new Map(changed.map(({ camera }) => [camera.id, camera]));
  const moved = changed.filter(({ camera, parentId }) => parentIdOf(camera.id, site) !== parentId);
  const differs = site.cameras.some((camera) => (byId.get(camera.id) ?? camera) !== camera);
  if (!differs && moved.length === 0) return site;
  const cameras = site.cameras.map((camera) => byId.get(camera.id) ?? camera);
  const rest = moved.reduce((node, { camera }) => take(node, camera.id), site.rootSecurityObject);
  return { ...site, cameras, rootSecurityObject: place(rest, moved) };
}

/** The site without a camera, and without its id wherever one stands. */
export function removeCamera(site: Site, id: Guid): Site {
  const without = (channels: readonly Guid[]) => channels.filter((channel) => channel !== id);
  const groups = site.groups.map((group): UserGroup => {
    const { realtimeChannels: realtime, archiveChannels: archive } = group;
    return {
      ...group,
      realtimeChannels: realtime === "all" ? realtime : without(realtime),
      archiveChannels: archive === "all" ? archive : without(archive),
    };
  });
  const cameras = site.cameras.filter((camera) => camera.id !== id);
  return { ...site, cameras, groups, rootSecurityObject: take(site.rootSecurityObject, id) };
}

function securityObjects(root: SecurityObject): SecurityObject[] {
  return [root, ...root.children.flatMap(securityObjects)];
}

function place(node: SecurityObject, cameras: readonly PlacedCamera[]): SecurityObject {
  const here = cameras.filter(({ parentId }) => parentId === node.id).map(({ camera }) => camera.id);
  return {
    ...node,
    children: node.children.map((child) => place(child, cameras)),
    channelIds: [...node.channelIds, ...here],
  };
}

function take(node: SecurityObject, channelId: Guid): SecurityObject {
  return {
    ...node,
    children: node.children.map((child) => take(child, channelId)),
    channelIds: node.channelIds.filter((id) => id !== channelId),
  };
}
