import { type Log, NvrdError } from "../../base/index.js";
import { disksBelow, mountedDisks, readBlockDisks, type SystemFiles } from "../../health/index.js";
import { partitionsOf, udevSerial } from "./disk-contents.js";
import type { DiskTools } from "./disk-tools.js";
import { type FormatOrder, VOLUME_LABEL } from "./keeper-protocol.js";

/** Smaller devices are not for recordings: USB sticks, or boot devices. */
export const DISK_BYTES_MIN = 8e9;
/** Slightly below the maximum size of an ext4 file system with blocks of 4 KiB (ext4(5)). */
export const DISK_BYTES_MAX = 1e18;
const SECTOR_BYTES = 512;
/** Names of whole disks: SATA, SAS and USB; NVMe; virtio; eMMC. */
const DISK_NAME = /^\/dev\/(sd[a-z]{1,3}|nvme\d{1,3}n\d{1,3}|vd[a-z]{1,2}|mmcblk\d{1,2})$/;
const LOOP_NAME = /^\/dev\/(loop\d{1,4})$/;
const FOUND_LISTED_MAX = 5;

export interface DiskKeeperOptions {
  readonly files: SystemFiles;
  readonly tools: DiskTools;
  /** `uid:gid` of the recording user. */
  readonly owner: string;
  readonly log: Log;
  /** Only for tests: accepts loop devices of any size as disks. */
  readonly takesLoopDevices?: boolean;
}

/**
 * Formats a disk for recordings. It runs with root rights, so it trusts no input: each order is checked against the kernel and
 * the disk itself.
 */
export class DiskKeeper {
  readonly #options: DiskKeeperOptions;

  constructor(options: DiskKeeperOptions) {
    this.#options = options;
  }

  /**
   * Creates one ext4 on the whole disk and returns its label. Rejects with NOT_FOUND, BAD_REQUEST if the disk is not suitable,
   * CONFLICT if it is another disk, in use, or holds data that must not be erased.
   */
  async format(order: FormatOrder): Promise<string> {
    const { tools, owner, log } = this.#options;
    const { device } = order;
    const name = this.#nameOf(device);
    await this.#requireSameDisk(name, order);
    await this.#requireIdle(name, device);
    const partitions = (await partitionsOf(this.#options.files, name)).map((part) => `/dev/${part}`);
    await this.#requireErasable(device, partitions, order.eraseFound);
    const label = tools.freshLabel();
    log.info({ device, serial: order.serial, label }, "formatting the disk");
    for (const part of [...partitions, device]) await tools.wipe(part);
    // Some time has passed since the first check.
    await this.#requireSameDisk(name, order);
    await tools.requireUnused(device);
    await tools.makeFileSystem(device, label, owner);
    const made = await tools.probe(device);
    if (made?.type !== "ext4" || made.label !== label)
      throw new NvrdError(
        "NOT_AVAILABLE",
        `${device} does not contain what was written to it: it is defective`,
      );
    log.info({ device, label }, "the disk is formatted");
    return label;
  }

  #nameOf(device: string): string {
    const isLoop = this.#options.takesLoopDevices === true;
    const name = (DISK_NAME.exec(device) ?? (isLoop ? LOOP_NAME.exec(device) : null))?.[1];
    if (name === undefined)
      throw new NvrdError("BAD_REQUEST", "Device is not the name of a whole disk such as /dev/sda", {
        hint: "GET /api/disks lists the disks",
      });
    return name;
  }

  /** Checks that the device is the intended disk, and suitable for recording. */
  async #requireSameDisk(name: string, { device, serial }: FormatOrder): Promise<void> {
    const { files, tools } = this.#options;
    const block = `/sys/block/${name}`;
    const number = await files.text(`${block}/dev`);
    if (number === undefined || number !== (await tools.deviceNumber(device)))
      throw new NvrdError("NOT_FOUND", `there is no disk ${device}`, { hint: "GET /api/disks lists them" });
    const found = await this.#serialOf(name);
    if (found !== serial)
      throw new NvrdError("CONFLICT", `${device} is another disk: its serial number is "${found}"`, {
        hint: "read GET /api/disks again",
      });
    if (this.#options.takesLoopDevices === true) return;
    const flags = [await files.text(`${block}/removable`), await files.text(`${block}/ro`)];
    const bytes = Number(await files.text(`${block}/size`)) * SECTOR_BYTES;
    if (flags[0] === "1") throw unfit(device, "a removable stick or card");
    if (flags[1] === "1") throw unfit(device, "write-protected");
    if (!(bytes >= DISK_BYTES_MIN && bytes <= DISK_BYTES_MAX))
      throw unfit(device, `of ${Math.round(bytes / 1e9)} GB; ${DISK_BYTES_MIN / 1e9} GB is the minimum`);
  }

  async #serialOf(name: string): Promise<string> {
    const { files } = this.#options;
    return await diskSerial(files, name);
  }

  /** Checks that nothing uses the disk: file system, swap, RAID, encryption. */
  async #requireIdle(name: string, device: string): Promise<void> {
    const { files, tools } = this.#options;
    const [mountPoint] = (await mountedDisks(files)).get(name) ?? [];
    if (mountPoint !== undefined) throw inUse(device, `mounted at ${mountPoint}`);
    for (const line of ((await files.text("/proc/swaps")) ?? "").split("\n").slice(1)) {
      const swap = /^\/dev\/(\S+)/.exec(line)?.[1];
      if (swap !== undefined && (await disksBelow(files, swap)).includes(name)) throw inUse(device, "swap");
    }
    for (const part of [name, ...(await partitionsOf(files, name))]) {
      const [holder] = await files.names(`/sys/class/block/${part}/holders`);
      if (holder !== undefined) throw inUse(device, `part of ${holder}`);
      await tools.requireUnused(`/dev/${part}`);
    }
  }

  async #requireErasable(device: string, partitions: readonly string[], mayErase: boolean): Promise<void> {
    const found: string[] = [];
    for (const part of [device, ...partitions]) {
      const content = await this.#options.tools.probe(part);
      if (content === undefined) continue;
      const recordings = VOLUME_LABEL.test(content.label) ? ` with recordings (${content.label})` : "";
      found.push(`${part}: ${content.type}${recordings}`);
    }
    if (found.length > 0 && !mayErase)
      throw new NvrdError(
        "CONFLICT",
        `the disk is not empty: ${found.slice(0, FOUND_LISTED_MAX).join(", ")}`,
        {
          hint: "send EraseFound: true to erase it permanently",
        },
      );
  }
}

/** The serial number of a disk from the kernel, otherwise from udev; empty if it has none. */
export async function diskSerial(files: SystemFiles, name: string): Promise<string> {
  const disk = (await readBlockDisks(files)).find((known) => known.name === name);
  return (disk?.serial ?? "") || (await udevSerial(files, name));
}

function unfit(device: string, what: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `${device} is not suitable for recordings: it is ${what}`, {
    hint: "use another disk",
  });
}

function inUse(device: string, how: string): NvrdError {
  return new NvrdError("CONFLICT", `${device} is in use: ${how}`, {
    hint: "the system disk and mounted disks are never formatted",
  });
}
