import {
  type DiskStates,
  disksUnder,
  mountedDisks,
  parseMounts,
  readBlockDisks,
  type SystemFiles,
} from "../../health/index.js";
import { contentsOf, udevSerial } from "./disk-contents.js";
import type { StorageDisk, StoredVolume } from "./storage-types.js";

/** A disk with one of these mount points is the system disk. */
const SYSTEM_DIRECTORIES = ["/", "/boot", "/boot/efi", "/boot/firmware", "/usr", "/var", "/home", "/data"];

export interface StorageDiskSources {
  readonly files: SystemFiles;
  readonly disks: DiskStates;
  readonly dataDir: string;
  readonly volumes: readonly StoredVolume[];
}

/** The disks of the machine with their contents, and the volumes that are on none of them. */
export async function storageDisks(
  sources: StorageDiskSources,
): Promise<{ readonly disks: readonly StorageDisk[]; readonly otherVolumes: readonly StoredVolume[] }> {
  const { files, disks, dataDir, volumes } = sources;
  const mounted = await mountedDisks(files);
  const own = new Set(await disksUnder(files, dataDir));
  const places = await placesOf(files, volumes);
  const found: StorageDisk[] = [];
  for (const disk of await readBlockDisks(files)) {
    const { device, name, bytes, isRotational } = disk;
    const health = disks.disks?.find((known) => known.device === device);
    const isSystemDisk =
      own.has(name) || (mounted.get(name) ?? []).some((point) => SYSTEM_DIRECTORIES.includes(point));
    found.push({
      device,
      model: health?.model ?? disk.model,
      serial: disk.serial || (await udevSerial(files, name)),
      ...{ bytes, isRotational, isSystemDisk, health },
      contents: await contentsOf(files, name),
      volumes: volumes.filter(({ directory }) => places.get(directory)?.includes(name) === true),
    });
  }
  const placed = new Set(found.flatMap((disk) => disk.volumes));
  return { disks: found, otherVolumes: volumes.filter((volume) => !placed.has(volume)) };
}

/** The disks of each volume. An absent volume is on no disk, not on the disk of its empty mount point. */
async function placesOf(files: SystemFiles, volumes: readonly StoredVolume[]) {
  const mounts = parseMounts((await files.text("/proc/self/mountinfo")) ?? "");
  const places = new Map<string, readonly string[]>();
  for (const { directory, totalBytes } of volumes) {
    const isThere = totalBytes !== undefined || mounts.some((mount) => mount.directory === directory);
    places.set(directory, isThere ? await disksUnder(files, directory) : []);
  }
  return places;
}
