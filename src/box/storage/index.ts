/**
 * storage: management of the disks: contents, format, adopt, retire, forget, replace.
 *
 * Belongs here: the list of disks with the volumes on them; the single running operation on a disk; the disk keeper,
 * a process with root rights that formats disks, and its protocol; which mounts become volumes automatically.
 * Does not belong here: what a volume is and how it is recorded onto (`archive`), the state of disks (`health`), HTTP
 * (`owner`).
 */
export { DiskKeeper } from "./disk-keeper.js";
export { type DiskTools, SystemDiskTools } from "./disk-tools.js";
export { keeperClient } from "./keeper-client.js";
export type { FormatOrder } from "./keeper-protocol.js";
export { serveKeeper } from "./keeper-server.js";
export { MOUNT_MS_MAX, Storage } from "./storage.js";
export type {
  FormatRequest,
  StorageAct,
  StorageControl,
  StorageDisk,
  StorageUser,
  StorageWork,
  StoredVolume,
} from "./storage-types.js";
export type { StorageArchive } from "./stored-volumes.js";
export { isVolumePath, readMountTable, volumeMounts } from "./volume-mounts.js";
export { MOUNTS_LOOK_MS, VolumesDirectory } from "./volumes-directory.js";
