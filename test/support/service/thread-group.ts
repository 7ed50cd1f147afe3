import { ControlGroup, groupHierarchy, groupsMissing } from "./control-group.js";

/** Where control groups that bound threads are made here; undefined where that is not possible. */
const hierarchy = () => groupHierarchy("pids", "cgroup.procs");

/** A control group of the kernel whose processes may have so many threads together. */
export class ThreadGroup extends ControlGroup {
  constructor() {
    const found = hierarchy();
    if (found === undefined) throw new Error("no controller of threads");
    super(found);
  }

  /** Why there can be none here; undefined where there can. */
  static missing(): string | undefined {
    return groupsMissing(hierarchy(), "pids");
  }

  /** From now on it gets no thread beyond those that it has. */
  full(): void {
    this.write("pids.max", this.read("pids.current").trim());
  }

  free(): void {
    this.write("pids.max", "max");
  }

  /** The processes in it. */
  get processes(): readonly number[] {
    return this.read("cgroup.procs").split("\n").filter(Boolean).map(Number);
  }
}
