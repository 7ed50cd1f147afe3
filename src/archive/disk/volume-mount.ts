/** Where a volume's directory lies: on a mounted disk, and still on the one it was taken on. Called in its threads. */
import { join } from "node:path";
import { type Disk, errorCodeOf } from "./disk.js";
import type { VolumePlace } from "./volume-messages.js";

/** The name of the file that says which volume a directory is. */
export const IDENTITY_FILE = "volume.json";

/** The code of an error that says that the directory is not the one that was taken: its disk was unmounted. */
export const VOLUME_GONE = "VOLUME_GONE";

/** A longer file is no identity. */
const IDENTITY_BYTES_MAX = 4096;
const FSTAB = "/etc/fstab";
const FSTAB_BYTES_MAX = 1024 * 1024;

/** The disk is no longer mounted at its directory. */
export class VolumeGoneError extends Error {
  readonly code = VOLUME_GONE;

  constructor(directory: string) {
    super(`the disk is no longer mounted at ${directory}`);
    this.name = "VolumeGoneError";
  }
}

/** Where the identity file of a directory lies, and when it was written. Throws the disk's own errors. */
export function fileSystemOf(disk: Disk, directory: string): Omit<VolumePlace, "volumeId"> {
  const { dev, mtimeMs } = disk.statSync(join(directory, IDENTITY_FILE));
  return { device: dev, identityMs: mtimeMs };
}

/**
 * Keeps a volume's thread from writing elsewhere than into the volume. After a lazy unmount open files stay on the old disk, but
 * every new name would be made in the empty mount point on the system disk, or on another disk that was mounted there since: that
 * one has the former one's device number, once nobody holds that any more.
 */
export class MountGuard {
  readonly #disk: Disk;
  readonly #directory: string;
  #place: VolumePlace | undefined;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** From now on the directory has to be this one. */
  pin(place: VolumePlace): void {
    this.#place = place;
  }

  /** Throws VolumeGoneError when the directory is another one, and the disk's own errors. */
  check(): void {
    if (this.#place === undefined) return;
    const { device, identityMs, volumeId } = this.#place;
    try {
      const found = fileSystemOf(this.#disk, this.#directory);
      if (found.device === device && found.identityMs === identityMs) return;
      if (found.device === device && this.#says(volumeId)) {
        this.#place = { ...found, volumeId };
        return;
      }
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
    }
    throw new VolumeGoneError(this.#directory);
  }

  #says(volumeId: string): boolean {
    const path = join(this.#directory, IDENTITY_FILE);
    return (
      this.#disk.statSync(path).size <= IDENTITY_BYTES_MAX &&
      this.#disk.readFileSync(path, "utf8").includes(volumeId)
    );
  }
}

/** Whether another file system begins at the directory. A bind mount of the same file system is not detected. */
export function isMountPoint(disk: Disk, directory: string): boolean {
  try {
    return disk.statSync(directory).dev !== disk.statSync(`${directory}/..`).dev;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Whether the system's table of mounts names the directory: then it is empty only because its disk is not there. */
export function isInFstab(disk: Disk, directory: string): boolean {
  let text: string;
  try {
    if (disk.statSync(FSTAB).size > FSTAB_BYTES_MAX) return false;
    text = disk.readFileSync(FSTAB, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
  return text.split("\n").some((line) => mountPointOf(line) === directory);
}

/** The second field of a line of fstab(5); blanks in it are written as octal escapes. */
function mountPointOf(line: string): string | undefined {
  if (/^\s*#/.test(line)) return undefined;
  const path = line.trim().split(/\s+/)[1];
  const unescaped = path?.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return unescaped !== "/" ? unescaped?.replace(/\/+$/, "") : unescaped;
}
