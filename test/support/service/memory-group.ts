import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const V1 = "/sys/fs/cgroup/memory";
const V2 = "/sys/fs/cgroup";

/** Where control groups that bound memory are made here, by version; undefined where that is not possible. */
function hierarchy(): { readonly version: 1 | 2; readonly path: string } | undefined {
  const controllers = join(V2, "cgroup.subtree_control");
  if (existsSync(controllers) && readFileSync(controllers, "utf8").includes("memory"))
    return { version: 2, path: V2 };
  return existsSync(join(V1, "memory.limit_in_bytes")) ? { version: 1, path: V1 } : undefined;
}

let count = 0;

/** A control group of the kernel whose processes may use so much memory together, and no swap. */
export class MemoryGroup {
  readonly path: string;
  readonly #version: 1 | 2;

  constructor(bytes: number) {
    const found = hierarchy();
    if (found === undefined) throw new Error("no memory controller");
    this.#version = found.version;
    count += 1;
    this.path = join(found.path, `nvrd-test-${process.pid}-${count}`);
    mkdirSync(this.path);
    this.#write(found.version === 2 ? "memory.max" : "memory.limit_in_bytes", bytes);
  }

  /** Why there can be none here; undefined where there can. */
  static missing(): string | undefined {
    if (process.getuid?.() !== 0) return "control groups need root";
    return hierarchy() === undefined ? "no memory controller of control groups" : undefined;
  }

  /** The command that runs `command` within the group. */
  command(command: string, args: readonly string[]): readonly [string, readonly string[]] {
    const enter = `echo $$ > ${join(this.path, "cgroup.procs")} && exec "$0" "$@"`;
    return ["sh", ["-c", enter, command, ...args]];
  }

  /** Processes that the kernel killed because the group's memory was used up. */
  get kills(): number {
    const file = this.#version === 2 ? "memory.events" : "memory.oom_control";
    const found = /^oom_kill (\d+)$/m.exec(readFileSync(join(this.path, file), "utf8"));
    if (found === null) throw new Error(`no oom_kill in ${file}`);
    return Number(found[1]);
  }

  /** Bytes that its processes have in memory for themselves, the page cache of their files left out. */
  get residentBytes(): number {
    const stat = readFileSync(join(this.path, "memory.stat"), "utf8");
    const found = (this.#version === 2 ? /^anon (\d+)$/m : /^total_rss (\d+)$/m).exec(stat);
    if (found === null) throw new Error("no resident memory in memory.stat");
    return Number(found[1]);
  }

  /** Its processes must have ended. */
  remove(): void {
    rmdirSync(this.path);
  }

  #write(file: string, bytes: number): void {
    writeFileSync(join(this.path, file), `${bytes}`);
  }
}
