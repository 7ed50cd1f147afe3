import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why there is no loop device here, as in a container; undefined when there is one: it is tried. */
export function loopDiskMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "a loop device wants root";
  try {
    LoopDisk.attach(16 * 1024 * 1024).remove();
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, " ");
  }
}

/** A block device of the kernel whose bytes are a file's. */
export class LoopDisk {
  readonly device: string;
  readonly #directory: string;

  private constructor(device: string, directory: string) {
    this.device = device;
    this.#directory = directory;
  }

  /** Throws with the tool's words where the kernel gives none. */
  static attach(bytes: number): LoopDisk {
    const directory = mkdtempSync(join(tmpdir(), "nvrd-loop-"));
    const image = join(directory, "disk");
    const fd = openSync(image, "w");
    ftruncateSync(fd, bytes);
    closeSync(fd);
    try {
      return new LoopDisk(run("losetup", ["--find", "--show", image]).trim(), directory);
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
  }

  /** The name in /sys. */
  get name(): string {
    return this.device.slice("/dev/".length);
  }

  mount(mountPoint: string): void {
    run("mount", ["-o", "noatime,nosuid,nodev,noexec", this.device, mountPoint]);
  }

  remove(): void {
    run("losetup", ["--detach", this.device]);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export function run(command: string, args: readonly string[]): string {
  const done = spawnSync(command, args, { encoding: "utf8" });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}
