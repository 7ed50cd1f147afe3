import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { loopMountMissing } from "./loop-mount.js";

/** FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (ext4.h): nothing more reaches the disk, not even the journal. */
const CUT_SCRIPT = `import fcntl, os, struct, sys
directory = os.open(sys.argv[1], os.O_RDONLY)
fcntl.ioctl(directory, 0x8004587D, struct.pack("I", 2))`;
const UMOUNT_ATTEMPTS = 50;

/**
 * An ext4 file system in a file, mounted, whose power can be cut: what was not on the disk then is lost, and the next
 * mount replays the journal.
 */
export class PowerCutDisk {
  readonly path: string;
  #file: string;
  #isMounted = false;
  #isCut = false;
  #copies = 0;

  private constructor(path: string) {
    this.path = path;
    this.#file = `${path}.ext4`;
  }

  /** Why there can be none here; undefined where it works. */
  static missing(): string | undefined {
    if (spawnSync("python3", ["-V"]).status !== 0) return "python3 is not installed";
    return loopMountMissing("ext4");
  }

  /** Makes one of `bytes` and mounts it at `path`. Throws where that does not work. */
  static make(path: string, bytes: number): PowerCutDisk {
    const disk = new PowerCutDisk(path);
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(path);
    writeFileSync(disk.#file, "");
    truncateSync(disk.#file, bytes);
    run("mkfs.ext4", ["-q", "-F", disk.#file]);
    disk.mount();
    return disk;
  }

  mount(): void {
    // As another device: who made a mount namespace of its own meanwhile still holds the one whose power was cut.
    if (this.#isCut) this.#becomeCopy();
    run("mount", ["-o", "loop", this.#file, this.path]);
    this.#isMounted = true;
  }

  /** Mounts this one, which is not mounted, where another one was. Where nobody holds that any more it has its device number. */
  mountInPlaceOf(other: PowerCutDisk): void {
    run("mount", ["-o", "loop", this.#file, other.path]);
    other.#isMounted = true;
  }

  /** The power goes, while programs go on. */
  cut(): void {
    run("python3", ["-c", CUT_SCRIPT, this.path]);
    this.#isCut = true;
  }

  /** The mount goes, as with `umount -l`: who has files open goes on with them, everybody else sees the empty directory. */
  unmountLazily(): void {
    run("umount", ["-l", this.path]);
    this.#isMounted = false;
  }

  /**
   * The disk is pulled out of the machine: every call on open files fails, the mount goes. The next `mount` is of what was
   * on the disk at that moment, as another device: the old one may still be held by who has files open there.
   */
  pull(): void {
    this.cut();
    this.#becomeCopy();
    this.unmountLazily();
  }

  #becomeCopy(): void {
    this.#copies += 1;
    const copy = `${this.path}.${this.#copies}.ext4`;
    run("cp", ["--sparse=always", "--reflink=auto", this.#file, copy]);
    rmSync(this.#file);
    this.#file = copy;
    this.#isCut = false;
  }

  /** Takes it out; whoever used it must have ended. */
  async unmount(): Promise<void> {
    if (!this.#isMounted) return;
    for (let attempt = 0; ; attempt++) {
      const { status, stderr } = spawnSync("umount", [this.path], { encoding: "utf8" });
      if (status === 0) break;
      if (attempt >= UMOUNT_ATTEMPTS) throw new Error(`umount ${this.path}: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    this.#isMounted = false;
  }

  async remove(): Promise<void> {
    await this.unmount();
    rmSync(this.#file, { force: true });
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}
