import type { Guid } from "../base/index.js";
import {
  type Camera,
  cameraOptions,
  DEFAULT_OBJECTS,
  foldersOf,
  type Site,
  withFolders,
  withoutCameras,
} from "../site/index.js";

/** The cameras of other recorders in the configuration of their reserve: kept as the owner sent them, and switched on while it is silent. */

/** What a reserve does with a camera of another recorder now; absent: nothing. */
export type TakenCameras = ReadonlyMap<Guid, "armed" | "recording">;

/** The cameras that a recorder has for an owner. */
export function camerasOf(site: Site, ownerId: Guid): readonly Camera[] {
  return ownerId === site.server.id
    ? []
    : site.cameras.filter(({ ownerServerId }) => ownerServerId === ownerId);
}

/** The owners of cameras that are kept here for others. */
export function ownersIn(site: Site): readonly Guid[] {
  const owners = site.cameras.map(({ ownerServerId }) => ownerServerId);
  return [...new Set(owners)].filter((id) => id !== site.server.id);
}

/**
 * The configuration with these cameras of an owner and no others of it, in a folder with the owner's name. The very same object where
 * that changes nothing. A camera with an id that this recorder has itself is left out.
 */
export function withOwnerCameras(
  site: Site,
  owner: { readonly id: Guid; readonly name: string },
  cameras: readonly Camera[],
): Site {
  const before = camerasOf(site, owner.id);
  const others = new Set(
    site.cameras.filter(({ ownerServerId }) => ownerServerId !== owner.id).map(({ id }) => id),
  );
  const wanted = cameras.filter(({ id }) => !others.has(id)).map((camera) => keptFor(owner.id, camera));
  const isSame = JSON.stringify(before) === JSON.stringify(wanted);
  if (isSame && hasFolder(site, owner, wanted)) return site;
  const ids = new Set(wanted.map(({ id }) => id));
  const gone = before.map(({ id }) => id).filter((id) => !ids.has(id));
  const without = gone.length === 0 ? site : withoutCameras(site, gone);
  const rest = without.cameras.filter(({ id }) => !ids.has(id));
  return placed({ ...without, cameras: [...rest, ...wanted] }, owner, [...ids]);
}

/** What acts sees of the configuration: cameras of others are switched off but for those that are taken. */
export function shownSite(site: Site, taken: TakenCameras): Site {
  if (ownersIn(site).length === 0) return site;
  const cameras = site.cameras.map((camera) =>
    camera.ownerServerId === site.server.id ? camera : shownCamera(camera, taken.get(camera.id)),
  );
  return { ...site, cameras };
}

function shownCamera(camera: Camera, taken: "armed" | "recording" | undefined): Camera {
  if (taken === undefined) return camera.disabled ? camera : { ...camera, disabled: true };
  const { archivingMode } = camera.archive;
  // Armed, it is connected, and its newest group of pictures is kept for the moment in which recording begins.
  if (taken === "armed") return { ...camera, archive: { ...camera.archive, archivingMode: "OnlyManual" } };
  // Whoever stands in for another does not wait for motion.
  if (archivingMode !== "MDandManual") return camera;
  return { ...camera, archive: { ...camera.archive, archivingMode: "AlwaysOn" } };
}

const NO_OBJECTS = { ...DEFAULT_OBJECTS, mode: "Off" } as const;

/** A reserve looks for nothing in the pictures, fills nothing from cards, and has no reserve itself. */
function keptFor(ownerServerId: Guid, camera: Camera): Camera {
  const options = cameraOptions(camera);
  const analyze = {
    ...options.analyze,
    motionDetectorEnabled: false,
    faceDetectorEnabled: false,
    objects: NO_OBJECTS,
  };
  const archive = { ...options.archive, deviceArchiveSynchronizationEnabled: false };
  const servers = { reservedServerId: null, replicationServerId: null };
  return { ...camera, ownerServerId, kept: { ...options, analyze, archive, servers } };
}

function hasFolder(
  site: Site,
  { id, name }: { readonly id: Guid; readonly name: string },
  cameras: readonly Camera[],
): boolean {
  const folder = foldersOf(site).find((each) => each.id === id);
  if (cameras.length === 0) return folder === undefined;
  return folder?.name === name;
}

function placed(
  site: Site,
  { id, name }: { readonly id: Guid; readonly name: string },
  channelIds: readonly Guid[],
): Site {
  const folders = foldersOf(site);
  const known = folders.find((each) => each.id === id);
  // Where an administrator moved a channel to another folder it stays there.
  const elsewhere = new Set(folders.filter((each) => each.id !== id).flatMap((each) => each.channelIds));
  const own = channelIds.filter((each) => !elsewhere.has(each));
  if (channelIds.length === 0)
    return withFolders(
      site,
      known === undefined || folders.some(({ parentId }) => parentId === id)
        ? folders
        : folders.filter((each) => each.id !== id),
    );
  const parentId = known?.parentId ?? site.rootSecurityObject.id;
  const folder = { id, name, parentId, channelIds: own };
  const next =
    known === undefined ? [...folders, folder] : folders.map((each) => (each.id === id ? folder : each));
  return withFolders(site, next);
}
