import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = "/sys/fs/cgroup";

/** Where groups of one controller are made here. */
export interface GroupHierarchy {
  readonly version: 1 | 2;
  readonly path: string;
}

/** Where groups of a controller are made, by version 2 or, where `fileOfV1` is there, by version 1; undefined where neither is. */
export function groupHierarchy(controller: string, fileOfV1: string): GroupHierarchy | undefined {
  const controllers = join(ROOT, "cgroup.subtree_control");
  if (existsSync(controllers) && readFileSync(controllers, "utf8").includes(controller))
    return { version: 2, path: ROOT };
  const path = join(ROOT, controller);
  return existsSync(join(path, fileOfV1)) ? { version: 1, path } : undefined;
}

/** Why there can be no group here; undefined where there can. */
export function groupsMissing(hierarchy: GroupHierarchy | undefined, controller: string): string | undefined {
  if (process.getuid?.() !== 0) return "control groups need root";
  return hierarchy === undefined ? `no ${controller} controller of control groups` : undefined;
}

let count = 0;

/** A control group of the kernel. */
export class ControlGroup {
  readonly path: string;

  constructor({ path }: GroupHierarchy) {
    count += 1;
    this.path = join(path, `nvrd-test-${process.pid}-${count}`);
    mkdirSync(this.path);
  }

  /** The command that runs `command` within the group. */
  command(command: string, args: readonly string[]): readonly [string, readonly string[]] {
    const enter = `echo $$ > ${join(this.path, "cgroup.procs")} && exec "$0" "$@"`;
    return ["sh", ["-c", enter, command, ...args]];
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), "utf8");
  }

  write(file: string, value: string | number): void {
    writeFileSync(join(this.path, file), String(value));
  }

  /** Its processes must have ended. */
  remove(): void {
    rmdirSync(this.path);
  }
}
