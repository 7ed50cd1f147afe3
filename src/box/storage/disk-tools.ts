import { randomBytes } from "node:crypto";
import { constants, open, stat } from "node:fs/promises";
import { type Clock, errorText, NvrdError, setTimeLimit, startProgram } from "../../base/index.js";

/** mkfs.ext4 initializes the inode tables later, so it takes seconds, or minutes on a slow disk. */
const MKFS_MS_MAX = 600_000;
/** Segments of less than this on average would use up the inodes before the bytes (docs/design/appliance.md). */
const BYTES_PER_INODE = `${128 * 1024}`;
const LOOK_MS_MAX = 30_000;
const PRINTED_BYTES_MAX = 64 * 1024;
const REASON_LENGTH_MAX = 300;
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
/** Exit status of blkid where it finds nothing (blkid(8)). */
const BLKID_NOTHING = 2;

/** The operations of the keeper on a device. Each rejects with an NvrdError. */
export interface DiskTools {
  /** `8:16` for a block device; undefined for anything else, or if there is none. */
  deviceNumber(device: string): Promise<string | undefined>;
  /** Rejects with CONFLICT if the device is in use. */
  requireUnused(device: string): Promise<void>;
  /** The contents of a device or partition, read from it. */
  probe(device: string): Promise<{ readonly type: string; readonly label: string } | undefined>;
  wipe(device: string): Promise<void>;
  /** Creates an ext4 whose root directory belongs to `owner` (`uid:gid`). */
  makeFileSystem(device: string, label: string, owner: string): Promise<void>;
  freshLabel(): string;
}

/** The machine's own tools: util-linux and e2fsprogs. */
export class SystemDiskTools implements DiskTools {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async deviceNumber(device: string): Promise<string | undefined> {
    try {
      const found = await stat(device);
      return found.isBlockDevice() ? `${major(found.rdev)}:${minor(found.rdev)}` : undefined;
    } catch {
      return undefined; // reported as a missing disk
    }
  }

  async requireUnused(device: string): Promise<void> {
    try {
      // Without O_CREAT, O_EXCL fails if the device is in use by a mount, RAID, LVM or swap (open(2)).
      const file = await open(device, constants.O_RDWR | constants.O_EXCL);
      await file.close();
    } catch (error) {
      throw new NvrdError("CONFLICT", `${device} is in use, or cannot be written: ${errorText(error)}`, {
        hint: "unmount it, or remove it from the RAID",
      });
    }
  }

  async probe(device: string): Promise<{ readonly type: string; readonly label: string } | undefined> {
    const { status, text } = await this.#run("blkid", ["-p", "-o", "export", device], LOOK_MS_MAX);
    if (status === BLKID_NOTHING) return undefined;
    if (status !== 0) return { type: "unknown content", label: "" };
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1]?.trim();
    const type = value("TYPE") ?? value("PTTYPE");
    return type === undefined ? undefined : { type, label: value("LABEL") ?? "" };
  }

  async wipe(device: string): Promise<void> {
    await this.#done("wipefs", ["--all", "--quiet", device], LOOK_MS_MAX);
  }

  async makeFileSystem(device: string, label: string, owner: string): Promise<void> {
    const extended = `root_owner=${owner},lazy_itable_init=1,lazy_journal_init=1,nodiscard`;
    // A single -F: allow a whole disk without asking; devices in use are still refused (mke2fs(8)).
    const options = ["-q", "-F", "-m", "0", "-i", BYTES_PER_INODE, "-E", extended, "-L", label];
    await this.#done("mkfs.ext4", [...options, device], MKFS_MS_MAX);
  }

  freshLabel(): string {
    return `nvrd-${randomBytes(4).toString("hex")}`;
  }

  async #done(command: string, options: readonly string[], msMax: number): Promise<void> {
    const { status, text } = await this.#run(command, options, msMax);
    if (status === 0) return;
    const reason = text.trim().replaceAll(/\s+/g, " ").slice(0, REASON_LENGTH_MAX);
    throw new NvrdError("NOT_AVAILABLE", `${command} failed (status ${status}): ${reason}`, {
      hint: "see the disk keeper's log and the kernel's (dmesg)",
    });
  }

  async #run(command: string, options: readonly string[], msMax: number) {
    const child = startProgram(command, [...options], {
      stdio: ["ignore", "pipe", "pipe"],
      env: ENVIRONMENT,
    });
    let text = "";
    const take = (chunk: string) => {
      if (text.length < PRINTED_BYTES_MAX) text += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    return await new Promise<{ status: number | null; text: string }>((resolve, reject) => {
      const timer = setTimeLimit(
        this.#clock,
        () => {
          child.kill("SIGKILL");
          reject(new NvrdError("NOT_AVAILABLE", `${command} did not end within ${msMax / 1000} s`));
        },
        msMax,
      );
      child.once("error", (error) => {
        timer.clear();
        reject(new NvrdError("NOT_AVAILABLE", `${command} cannot be run: ${errorText(error)}`));
      });
      child.once("close", (status) => {
        timer.clear();
        resolve({ status, text });
      });
    });
  }
}

/** The inverse of makedev(3); Linux uses 12 and 20 bits. */
function major(rdev: number): number {
  return (rdev >>> 8) & 0xfff;
}

function minor(rdev: number): number {
  return (rdev & 0xff) | ((rdev >>> 12) & 0xfff00);
}
