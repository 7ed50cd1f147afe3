import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { PATIENCE_MS } from "../base/patience.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { exitText } from "../service/background-process.js";
import { loopMountMissing } from "./loop-mount.js";

const SOURCE = join(REPOSITORY_ROOT, "test/support/disk/fault-fuse.c");

/** A call as the control file names it; `*` is every call. */
export type FaultCall =
  | ("getattr" | "open" | "create" | "read" | "write" | "fsync" | "truncate" | "fallocate")
  | ("mkdir" | "rename" | "unlink" | "readdir" | "statfs" | "*");
/** Never returns while it holds, writes half of the bytes, or fails with an errno's name. */
export type Fault = "hang" | "short" | keyof typeof constants.errno;

/** Why no such file system can be mounted here; undefined when one can. */
export function faultFuseMissing(): string | undefined {
  const mounting = loopMountMissing("tmpfs");
  if (mounting !== undefined) return mounting;
  try {
    closeSync(openSync("/dev/fuse", "r+"));
  } catch (error) {
    return (error as Error).message;
  }
  if (spawnSync("pkg-config", ["--exists", "fuse3"]).status !== 0) return "libfuse3-dev is not installed";
  return undefined;
}

/** A mounted file system that passes calls on to a directory beside it, and fails or hangs those a test names. */
export class FaultFuse {
  readonly mountPoint: string;
  readonly backing: string;
  readonly #control: string;
  readonly #daemon: ChildProcess;

  private constructor(directory: string, daemon: ChildProcess) {
    this.mountPoint = join(directory, "mount");
    this.backing = join(directory, "backing");
    this.#control = join(directory, "control");
    this.#daemon = daemon;
  }

  /**
   * Mounts one below `directory`, which must exist; what an earlier one there had is kept. `mapped`: its files can be mapped,
   * as LMDB needs it; reads may then come from the cache.
   */
  static async mount(directory: string, options: { readonly mapped?: boolean } = {}): Promise<FaultFuse> {
    const [backing, mountPoint, control] = ["backing", "mount", "control"].map((name) =>
      join(directory, name),
    );
    if (backing === undefined || mountPoint === undefined || control === undefined)
      throw new Error("no paths");
    for (const path of [backing, mountPoint]) mkdirSync(path, { recursive: true });
    writeFileSync(control, "");
    const binary = join(directory, "fault-fuse");
    const flags = spawnSync("pkg-config", ["--cflags", "--libs", "fuse3"], { encoding: "utf8" }).stdout;
    const build = ["-O1", "-Wall", SOURCE, "-o", binary, ...flags.trim().split(/\s+/), "-lpthread"];
    const built = spawnSync("cc", build, { encoding: "utf8" });
    if (built.status !== 0) throw new Error(`fault-fuse.c: ${built.stderr}`);
    const daemon = spawn(
      binary,
      [backing, mountPoint, control, ...(options.mapped === true ? ["mapped"] : [])],
      { stdio: "inherit" },
    );
    const fuse = new FaultFuse(directory, daemon);
    await fuse.#mounted();
    return fuse;
  }

  /** From the next call on these faults hold, and no others. */
  fault(faults: Partial<Record<FaultCall, Fault>>): void {
    const lines = Object.entries(faults).map(([call, fault]) => {
      return `${call} ${constants.errno[fault as keyof typeof constants.errno] ?? fault}\n`;
    });
    // The daemon must never see half of it.
    writeFileSync(`${this.#control}.new`, lines.join(""));
    renameSync(`${this.#control}.new`, this.#control);
  }

  heal(): void {
    this.fault({});
  }

  /** Takes the mount away at once, as `umount -l` does; who has files open keeps them. */
  unmountLazily(): void {
    const done = spawnSync("umount", ["-l", this.mountPoint], { encoding: "utf8" });
    if (done.status !== 0) throw new Error(`umount: ${done.stderr}`);
  }

  /** Ends it whatever hangs in it. */
  async remove(): Promise<void> {
    this.heal();
    if (this.#isMounted) this.unmountLazily();
    if (this.#daemon.exitCode !== null || this.#daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#daemon.once("exit", resolve));
    this.#daemon.kill("SIGKILL");
    await ended;
  }

  get #isMounted(): boolean {
    return statSync(this.mountPoint).dev !== statSync(join(this.mountPoint, "..")).dev;
  }

  async #mounted(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!this.#isMounted) {
      const { exitCode: code, signalCode: signal } = this.#daemon;
      if (code !== null || signal !== null)
        throw new Error(`fault-fuse does not mount: it ended, ${exitText({ code, signal })}`);
      if (performance.now() > deadline) throw new Error("fault-fuse does not mount");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
