/**
 * storage: the disks as their owner handles them: what lies on each, format, adopt, retire, forget, replace.
 *
 * Belongs here: the list of disks with the volumes on them; the one piece of work on a disk that may be under way; the disk
 * keeper, a process with root's rights that formats, and its protocol; which mounts are volumes without being named.
 * Does not belong here: what a volume is and how it is recorded onto (`archive`), how disks are (`health`), HTTP (`api`).
 */
export * from "./disk-contents.js";
export * from "./disk-keeper.js";
export * from "./disk-tools.js";
export * from "./keeper-client.js";
export * from "./keeper-door.js";
export * from "./keeper-protocol.js";
export * from "./storage.js";
export * from "./storage-types.js";
export type { StorageArchive } from "./stored-volumes.js";
export * from "./volume-mounts.js";
export * from "./volumes-directory.js";
