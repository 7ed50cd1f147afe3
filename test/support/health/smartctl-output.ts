import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";

/** What smartctl prints of a disk (test/health/disk/smartctl/README.md). */
export function smartctlFile(name: string): string {
  return join(REPOSITORY_ROOT, "test", "health", "disk", "smartctl", `${name}.json`);
}

export function smartctlText(name: string): string {
  return readFileSync(smartctlFile(name), "utf8");
}

/**
 * A directory with a `smartctl` that is a shell script; its calls are lines of the file `calls` there. Put before the
 * system's path, it stands in for the real one.
 */
export class ScriptedSmartctl {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "calls"), "");
  }

  get path(): string {
    return `${this.directory}:/usr/bin:/bin`;
  }

  /** What it does from now on. */
  does(script: string): void {
    const file = join(this.directory, "smartctl");
    writeFileSync(file, `#!/bin/sh\necho "$*" >> ${join(this.directory, "calls")}\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** Prints the named output and exits with its status. */
  prints(name: string): void {
    const { smartctl } = JSON.parse(smartctlText(name)) as { smartctl: { exit_status: number } };
    this.does(`cat ${smartctlFile(name)}\nexit ${smartctl.exit_status}`);
  }

  get calls(): readonly string[] {
    return readFileSync(join(this.directory, "calls"), "utf8")
      .trim()
      .split("\n")
      .filter((line) => line !== "");
  }
}
