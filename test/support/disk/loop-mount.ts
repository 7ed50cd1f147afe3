import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type FileSystem = "ext4" | "xfs" | "btrfs" | "tmpfs";

const QUIET: Record<Exclude<FileSystem, "tmpfs">, readonly string[]> = {
  ext4: ["-q", "-F"],
  xfs: ["-q", "-f"],
  btrfs: ["-q", "-f"],
};

/** The least that each of them can be made of: xfs wants 300 MB. The file is sparse. */
const TRIAL_BYTES = 320 * 1024 * 1024;

/** Why no such file system can be mounted here, as in a container; undefined when one can: it is tried. */
export function loopMountMissing(fileSystem: FileSystem): string | undefined {
  if (process.getuid?.() !== 0) return "mounting wants root";
  const directory = mkdtempSync(join(tmpdir(), "nvrd-mount-"));
  try {
    LoopMount.mount(fileSystem, directory, TRIAL_BYTES).remove();
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, " ");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A real file system in a file below `directory`. */
export class LoopMount {
  readonly mountPoint: string;

  private constructor(mountPoint: string) {
    this.mountPoint = mountPoint;
  }

  /** Makes and mounts one of `bytes`, with options of its mkfs. Throws with the tool's words, as where a container forbids it. */
  static mount(
    fileSystem: FileSystem,
    directory: string,
    bytes: number,
    made: readonly string[] = [],
  ): LoopMount {
    const mountPoint = join(directory, fileSystem);
    mkdirSync(mountPoint);
    if (fileSystem === "tmpfs") {
      run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", mountPoint]);
      return new LoopMount(mountPoint);
    }
    const image = join(directory, `${fileSystem}.image`);
    const fd = openSync(image, "w");
    ftruncateSync(fd, bytes);
    closeSync(fd);
    run(`mkfs.${fileSystem}`, [...QUIET[fileSystem], ...made, image]);
    run("mount", ["-o", "loop", image, mountPoint]);
    return new LoopMount(mountPoint);
  }

  remove(): void {
    run("umount", ["-l", this.mountPoint]);
  }
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { encoding: "utf8" });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.error?.message ?? done.stderr}`);
}
