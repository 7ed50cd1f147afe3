import path from "node:path";
import type { SystemFiles } from "./system-files.js";

/** Layers between a file system and its disks: partition, RAID, encryption, LVM, a loop on a file of another one. */
const LAYERS_MAX = 16;

/** One line of the table of mounts. */
export interface Mount {
  readonly directory: string;
  /** `8:1`; of btrfs a number of no device. */
  readonly device: string;
  readonly fileSystem: string;
  /** `/dev/sda1` */
  readonly source: string;
}

/**
 * The names of the disks (`sda`) that a directory lies on: of a RAID or a btrfs of several disks all of them, of what has
 * no disk of this machine (NFS, ZFS, memory) none. `directory` has no links in it.
 */
export async function disksUnder(files: SystemFiles, directory: string): Promise<readonly string[]> {
  const mounts = parseMounts((await files.text("/proc/self/mountinfo")) ?? "");
  const found = new Set<string>();
  await addDisksOfPath({ files, mounts, found }, directory, LAYERS_MAX);
  return [...found].sort();
}

/** The disks that something is mounted from, however many layers lie between, with the directories. */
export async function mountedDisks(files: SystemFiles): Promise<ReadonlyMap<string, readonly string[]>> {
  const mounts = parseMounts((await files.text("/proc/self/mountinfo")) ?? "");
  const disks = new Map<string, string[]>();
  const byDevice = new Map<string, Set<string>>();
  for (const mount of mounts) {
    const key = `${mount.device} ${mount.source}`;
    const found = byDevice.get(key) ?? new Set<string>();
    if (!byDevice.has(key))
      for (const name of await devicesOf(files, mount))
        await addDisksOf({ files, mounts, found }, name, LAYERS_MAX);
    byDevice.set(key, found);
    for (const name of found) disks.set(name, [...(disks.get(name) ?? []), mount.directory]);
  }
  return disks;
}

/** The disks below a block device of any kind (`dm-0`, `sda1`). */
export async function disksBelow(files: SystemFiles, name: string): Promise<readonly string[]> {
  const mounts = parseMounts((await files.text("/proc/self/mountinfo")) ?? "");
  const found = new Set<string>();
  await addDisksOf({ files, mounts, found }, name, LAYERS_MAX);
  return [...found];
}

interface Search {
  readonly files: SystemFiles;
  readonly mounts: readonly Mount[];
  readonly found: Set<string>;
}

async function addDisksOfPath(search: Search, file: string, layers: number): Promise<void> {
  const mount = mountOf(search.mounts, file);
  if (mount === undefined || layers <= 0) return;
  for (const name of await devicesOf(search.files, mount)) await addDisksOf(search, name, layers - 1);
}

/** Adds the disks below a block device. */
async function addDisksOf(search: Search, name: string, layers: number): Promise<void> {
  const { files, found } = search;
  if (layers <= 0) return;
  const directory = await files.target(`/sys/class/block/${name}`);
  if (directory === undefined) return;
  if ((await files.text(`${directory}/partition`)) !== undefined)
    return await addDisksOf(search, path.basename(path.dirname(directory)), layers - 1);
  const slaves = await files.names(`${directory}/slaves`);
  for (const slave of slaves) await addDisksOf(search, slave, layers - 1);
  const backing = await files.text(`${directory}/loop/backing_file`);
  if (backing !== undefined) await addDisksOfPath(search, backing, layers - 1);
  if (slaves.length === 0 && backing === undefined) found.add(name);
}

async function devicesOf(files: SystemFiles, mount: Mount): Promise<readonly string[]> {
  const device = await files.target(`/sys/dev/block/${mount.device}`);
  if (device !== undefined) return [path.basename(device)];
  if (!mount.source.startsWith("/dev/")) return [];
  const source = mount.source.slice("/dev/".length);
  const name = source.startsWith("mapper/") ? await mapped(files, source.slice("mapper/".length)) : source;
  return mount.fileSystem === "btrfs" ? await devicesOfBtrfs(files, name) : [name];
}

/** The `dm-0` that has the name in /dev/mapper. */
async function mapped(files: SystemFiles, name: string): Promise<string> {
  for (const device of await files.names("/sys/class/block")) {
    if (device.startsWith("dm-") && (await files.text(`/sys/class/block/${device}/dm/name`)) === name)
      return device;
  }
  return name;
}

async function devicesOfBtrfs(files: SystemFiles, name: string): Promise<readonly string[]> {
  for (const id of await files.names("/sys/fs/btrfs")) {
    const devices = await files.names(`/sys/fs/btrfs/${id}/devices`);
    if (devices.includes(name)) return devices;
  }
  return [name];
}

/** The mount with the longest path; of several at one path the last, which hides the others. */
function mountOf(mounts: readonly Mount[], file: string): Mount | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) {
    const { directory } = mount;
    const holds = directory === "/" || file === directory || file.startsWith(`${directory}/`);
    if (holds && directory.length >= (best?.directory.length ?? 0)) best = mount;
  }
  return best;
}

/** proc_pid_mountinfo(5): `36 35 98:0 /root /mount/point options optional… - type source options`. */
export function parseMounts(text: string): readonly Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split("\n")) {
    const [front = "", back = ""] = line.split(" - ");
    const [, , device, , directory] = front.split(" ");
    const [fileSystem, source] = back.split(" ");
    if (device === undefined || directory === undefined || fileSystem === undefined) continue;
    mounts.push({ directory: unescaped(directory), device, fileSystem, source: unescaped(source ?? "") });
  }
  return mounts;
}

/** Blanks and such are written as octal escapes. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
