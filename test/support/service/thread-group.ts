import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const V1 = "/sys/fs/cgroup/pids";
const V2 = "/sys/fs/cgroup";

/** Where control groups that bound threads are made here; undefined where that is not possible. */
function hierarchy(): string | undefined {
  const controllers = join(V2, "cgroup.subtree_control");
  if (existsSync(controllers) && readFileSync(controllers, "utf8").includes("pids")) return V2;
  return existsSync(join(V1, "cgroup.procs")) ? V1 : undefined;
}

let count = 0;

/** A control group of the kernel whose processes may have so many threads together. */
export class ThreadGroup {
  readonly path: string;

  constructor() {
    const found = hierarchy();
    if (found === undefined) throw new Error("no controller of threads");
    count += 1;
    this.path = join(found, `nvrd-threads-${process.pid}-${count}`);
    mkdirSync(this.path);
  }

  /** Why there can be none here; undefined where there can. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "control groups need root";
    return hierarchy() === undefined ? "no pids controller of control groups" : undefined;
  }

  /** The command that runs `command` within the group. */
  command(command: string, args: readonly string[]): readonly [string, readonly string[]] {
    const enter = `echo $$ > ${join(this.path, "cgroup.procs")} && exec "$0" "$@"`;
    return ["sh", ["-c", enter, command, ...args]];
  }

  /** From now on it gets no thread beyond those that it has. */
  full(): void {
    this.#limit(readFileSync(join(this.path, "pids.current"), "utf8").trim());
  }

  free(): void {
    this.#limit("max");
  }

  /** The processes in it. */
  get processes(): readonly number[] {
    return readFileSync(join(this.path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  }

  remove(): void {
    rmdirSync(this.path);
  }

  #limit(text: string): void {
    writeFileSync(join(this.path, "pids.max"), text);
  }
}
