import { ControlGroup, groupHierarchy, groupsMissing } from "./control-group.js";

/** Where control groups that bound memory are made here; undefined where that is not possible. */
const hierarchy = () => groupHierarchy("memory", "memory.limit_in_bytes");

/** A control group of the kernel whose processes may use so much memory together, and no swap. */
export class MemoryGroup extends ControlGroup {
  readonly #version: 1 | 2;

  constructor(bytes: number) {
    const found = hierarchy();
    if (found === undefined) throw new Error("no memory controller");
    super(found);
    this.#version = found.version;
    this.write(found.version === 2 ? "memory.max" : "memory.limit_in_bytes", bytes);
  }

  /** Why there can be none here; undefined where there can. */
  static missing(): string | undefined {
    return groupsMissing(hierarchy(), "memory");
  }

  /** Processes that the kernel killed because the group's memory was used up. */
  get kills(): number {
    return this.#number(this.#version === 2 ? "memory.events" : "memory.oom_control", /^oom_kill (\d+)$/m);
  }

  /** Bytes that its processes have in memory for themselves, the page cache of their files left out. */
  get residentBytes(): number {
    return this.#number("memory.stat", this.#version === 2 ? /^anon (\d+)$/m : /^total_rss (\d+)$/m);
  }

  #number(file: string, line: RegExp): number {
    const found = line.exec(this.read(file));
    if (found === null) throw new Error(`no line ${line.source} in ${file}`);
    return Number(found[1]);
  }
}
