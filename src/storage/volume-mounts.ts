import { readFileSync } from "node:fs";
import path from "node:path";
import { parseMounts } from "../health/index.js";

/** What a mount point's name begins with where it is a volume without being named. */
const NAME = /^nvrd-[0-9A-Za-z_-]{1,32}$/;
/** Volumes of a machine that are not named; one with more has other means. */
export const MOUNTED_VOLUMES_MAX = 64;
const TABLE = "/proc/self/mountinfo";

/** The mount points directly below a directory that are volumes by their names, in order. */
export function volumeMounts(directory: string, mountinfo: string): readonly string[] {
  const found = parseMounts(mountinfo)
    .map((mount) => mount.directory)
    .filter((point) => isVolumePath(directory, point));
  return [...new Set(found)].sort().slice(0, MOUNTED_VOLUMES_MAX);
}

/** Whether a volume at the path is one that comes and goes by its mount. */
export function isVolumePath(directory: string, point: string): boolean {
  return path.dirname(point) === path.resolve(directory) && NAME.test(path.basename(point));
}

/** The table of mounts as it is now; it lies in memory, and no disk is asked. */
export function readMountTable(): string {
  return readFileSync(TABLE, "utf8");
}
