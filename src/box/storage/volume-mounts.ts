import { readFileSync } from "node:fs";
import path from "node:path";
import { parseMounts } from "../../health/index.js";

/** Names of mount points that become volumes automatically. */
const NAME = /^nvrd-[0-9A-Za-z_-]{1,32}$/;
/** Maximum number of automatic volumes. */
export const MOUNTED_VOLUMES_MAX = 64;
const TABLE = "/proc/self/mountinfo";

/** The mount points directly below a directory that are volumes by name, sorted. */
export function volumeMounts(directory: string, mountinfo: string): readonly string[] {
  const found = parseMounts(mountinfo)
    .map((mount) => mount.directory)
    .filter((point) => isVolumePath(directory, point));
  return [...new Set(found)].sort().slice(0, MOUNTED_VOLUMES_MAX);
}

/** Whether the path is that of an automatic volume. */
export function isVolumePath(directory: string, point: string): boolean {
  return path.dirname(point) === path.resolve(directory) && NAME.test(path.basename(point));
}

/** The current mount table; reading it accesses no disk. */
export function readMountTable(): string {
  return readFileSync(TABLE, "utf8");
}
