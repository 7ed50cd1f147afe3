import { type Mount, parseMounts, type SystemFiles } from "../../health/index.js";

/** Maximum number of partitions read per disk. */
const PARTITIONS_MAX = 64;

/** A file system, partition table or RAID member on a disk. */
export interface FoundContent {
  /** `sdb1`; `sdb` for content of the whole disk. */
  readonly name: string;
  /** `ext4`, `swap`, `LVM2_member`, `gpt`; empty if unknown. */
  readonly type: string;
  readonly label: string;
  /** Undefined if not mounted. */
  readonly mountPoint: string | undefined;
}

/** The udev properties of a disk or partition (/run/udev/data). */
async function udevProperties(files: SystemFiles, number: string): Promise<ReadonlyMap<string, string>> {
  const text = (await files.text(`/run/udev/data/b${number}`)) ?? "";
  const lines = text.split("\n").filter((line) => line.startsWith("E:"));
  return new Map(
    lines.map((line) => {
      const at = line.indexOf("=");
      return [line.slice(2, at), line.slice(at + 1)];
    }),
  );
}

/** Kernel names of the partitions of a disk. */
export async function partitionsOf(files: SystemFiles, name: string): Promise<readonly string[]> {
  const partitions: string[] = [];
  for (const entry of await files.names(`/sys/block/${name}`)) {
    if (!entry.startsWith(name) || partitions.length >= PARTITIONS_MAX) continue;
    if ((await files.text(`/sys/block/${name}/${entry}/partition`)) !== undefined) partitions.push(entry);
  }
  return partitions;
}

/** The contents of a disk, without accessing it. */
export async function contentsOf(files: SystemFiles, name: string): Promise<readonly FoundContent[]> {
  const mounts = parseMounts((await files.text("/proc/self/mountinfo")) ?? "");
  const found: FoundContent[] = [];
  for (const part of [name, ...(await partitionsOf(files, name))]) {
    const number = await files.text(`/sys/class/block/${part}/dev`);
    if (number === undefined) continue;
    const known = await udevProperties(files, number);
    const mount = mounts.find(({ device }) => device === number);
    const type = known.get("ID_FS_TYPE") ?? known.get("ID_PART_TABLE_TYPE") ?? mount?.fileSystem;
    if (type === undefined && part === name) continue;
    found.push(contentOf(part, type ?? "", known.get("ID_FS_LABEL") ?? "", mount));
  }
  return found;
}

function contentOf(name: string, type: string, label: string, mount: Mount | undefined): FoundContent {
  return { name, type, label: printable(label), mountPoint: mount?.directory };
}

/** The serial number of a disk from udev, for disks whose serial number the kernel does not report; empty: none. */
export async function udevSerial(files: SystemFiles, name: string): Promise<string> {
  const number = await files.text(`/sys/block/${name}/dev`);
  if (number === undefined) return "";
  const known = await udevProperties(files, number);
  return printable(known.get("ID_SERIAL_SHORT") ?? "");
}

const LABEL_LENGTH_MAX = 64;

/** Labels are untrusted: reduced to one line of text. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, LABEL_LENGTH_MAX);
}
