import type { DiskState } from "./disk-state.js";
import { printable } from "./smart-types.js";
import type { SystemFiles } from "./system-files.js";

/** Most disks of one machine that are monitored. */
export const DISKS_MAX = 128;
const SECTOR_BYTES = 512;
const NAME_LENGTH_MAX = 32;
/**
 * Optical drives, floppies, the small partitions of eMMC that are no disks, and what the kernel makes of files, memory and other disks:
 * a machine may have dozens of these, and each file that is read of one is a wake-up.
 */
const NO_DISK = /^(?:sr|fd|nbd|zd|mtdblock|loop|z?ram|dm-|md)\d|^mmcblk\d+(?:boot|rpmb)/;
/** A VPD page begins with four bytes of its own (SPC-4, 7.8.15). */
const VPD_HEADER_BYTES = 4;
const VPD_LENGTH_MAX = 128;

/** A physical disk, as the kernel knows it without a request to the disk. */
export interface BlockDisk {
  /** `/dev/sda` */
  readonly device: string;
  /** `sda`, in /sys. */
  readonly name: string;
  readonly model: string;
  readonly serial: string;
  readonly firmware: string;
  readonly bytes: number;
  readonly kind: DiskState["kind"];
  readonly isRotational: boolean | null;
  /** The kernel has suspended it: any request would wake it. */
  readonly isSuspended: boolean;
}

/** What was read of a disk. */
interface KnownDisk {
  /** The kernel gives each disk a number of its own, also one that comes under a name that another had (sysfs-block, `diskseq`). */
  readonly sequence: string;
  readonly disk: BlockDisk;
}

/** Reads the disks of a machine again and again: of those that it knows it reads only what changes. */
export class BlockDiskReader {
  readonly #files: SystemFiles;
  #known = new Map<string, KnownDisk>();

  constructor(files: SystemFiles) {
    this.#files = files;
  }

  /** `afresh`: everything of all of them. */
  async read(afresh: boolean): Promise<readonly BlockDisk[]> {
    const known = afresh ? new Map<string, KnownDisk>() : this.#known;
    const now = new Map<string, KnownDisk>();
    const disks = await readDisks(this.#files, async (name) => {
      const sequence = (await this.#files.text(`/sys/block/${name}/diskseq`)) ?? "";
      const before = known.get(name);
      const isKnown = before !== undefined && sequence !== "" && before.sequence === sequence;
      const disk = isKnown
        ? { ...before.disk, isSuspended: await isSuspended(this.#files, name) }
        : await readBlockDisk(this.#files, name);
      if (disk !== undefined) now.set(name, { sequence, disk });
      return disk;
    });
    this.#known = now;
    return disks;
  }
}

/** The physical disks that the kernel has, in the order of their names. */
export async function readBlockDisks(files: SystemFiles): Promise<readonly BlockDisk[]> {
  return await readDisks(files, (name) => readBlockDisk(files, name));
}

async function readDisks(
  files: SystemFiles,
  read: (name: string) => Promise<BlockDisk | undefined>,
): Promise<readonly BlockDisk[]> {
  const names = (await files.names("/sys/block")).filter(
    (name) => !NO_DISK.test(name) && name.length <= NAME_LENGTH_MAX && /^[\w!.-]+$/.test(name),
  );
  const disks: BlockDisk[] = [];
  for (const name of names) {
    if (disks.length >= DISKS_MAX) break;
    const disk = await read(name);
    if (disk !== undefined) disks.push(disk);
  }
  return disks;
}

/** Undefined if it is not a physical disk: others have no device behind them, a card reader may be empty. */
async function readBlockDisk(files: SystemFiles, name: string): Promise<BlockDisk | undefined> {
  const block = `/sys/block/${name}`;
  const text = async (file: string) => printable(await files.text(`${block}/${file}`));
  if ((await files.target(`${block}/device`)) === undefined) return undefined;
  const sectors = Number(await text("size"));
  if (!Number.isSafeInteger(sectors * SECTOR_BYTES) || sectors <= 0) return undefined;
  if ((await text("hidden")) === "1") return undefined; // one path of several to an NVMe drive
  const vendor = await text("device/vendor");
  const isNvme = name.startsWith("nvme");
  const isScsi = name.startsWith("sd");
  const model = await text("device/model");
  const rotational = await text("queue/rotational");
  return {
    // The kernel writes a slash in a name as an exclamation mark.
    device: `/dev/${name.replaceAll("!", "/")}`,
    name,
    model: isScsi && vendor !== "ATA" ? `${vendor} ${model}`.trim() : model || (await text("device/name")),
    serial: (await text("device/serial")) || (await text("serial")) || (await vpdSerial(files, block)),
    firmware: (await text("device/firmware_rev")) || (await text("device/rev")),
    bytes: sectors * SECTOR_BYTES,
    kind: isNvme ? "nvme" : isScsi && vendor === "ATA" ? "ata" : isScsi ? "scsi" : "other",
    isRotational: rotational === "" ? null : rotational === "1",
    isSuspended: await isSuspended(files, name),
  };
}

async function isSuspended(files: SystemFiles, name: string): Promise<boolean> {
  const statusOf = (device: string) => files.text(`/sys/block/${name}/${device}/power/runtime_status`);
  if ((await statusOf("device")) === "suspended") return true;
  return name.startsWith("nvme") && (await statusOf("device/device")) === "suspended";
}

/** The serial number of a SCSI disk, as the kernel read it when it found the disk. */
async function vpdSerial(files: SystemFiles, block: string): Promise<string> {
  const page = await files.bytes(`${block}/device/vpd_pg80`);
  return printable(page?.subarray(VPD_HEADER_BYTES, VPD_LENGTH_MAX).toString("latin1"));
}
