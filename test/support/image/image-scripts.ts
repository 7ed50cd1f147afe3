import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";

/** As their units start them. */
const READ_BY_BUSYBOX = new Set(["identity", "take-in"]);
const SCRIPTS = join(REPOSITORY_ROOT, "image/root/usr/lib/nvrd-image");

/** The root of a box in a folder: what the image's scripts read and write, without a machine. */
export class BoxFolder {
  readonly #directory = new TemporaryDirectory("box");

  constructor() {
    for (const folder of [
      "boot/efi",
      "data/etc/nvrd",
      "data/image",
      "etc",
      "proc/sys/kernel",
      "run",
      "sys/class/block",
      "usr/bin",
    ])
      mkdirSync(this.path(folder), { recursive: true });
    this.write("proc/sys/kernel/hostname", "localhost\n");
    this.write("data/etc/nvrd/nvrd.json", "{}\n");
    // The real service's own check of settings.
    this.write(
      "usr/bin/nvrd",
      `#!/bin/sh\nexec '${process.execPath}' '${join(REPOSITORY_ROOT, "bin/nvrd")}' "$@"\n`,
    );
    chmodSync(this.path("usr/bin/nvrd"), 0o755);
  }

  path(name: string): string {
    return this.#directory.join(name);
  }

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Undefined where there is no such file. */
  read(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : undefined;
  }

  /** Runs a script of the image as the box's shell does; `programs` stand before those of this machine. */
  run(script: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const shell = READ_BY_BUSYBOX.has(script) ? ["busybox", "sh"] : ["sh"];
    const { status, stdout, stderr } = spawnSync("env", [...shell, join(SCRIPTS, script), ...args], {
      encoding: "utf8",
      env: {
        ...process.env,
        BOX_ROOT: this.path(""),
        BOX_CONSOLE: this.path("console"),
        PATH: `${this.path("programs")}:${process.env.PATH}`,
        ...env,
      },
    });
    return { status, text: stdout + stderr };
  }

  /** A program that notes its arguments in `<name>.calls` and succeeds. */
  fakeProgram(name: string): void {
    this.write(`programs/${name}`, `#!/bin/sh\necho "$@" >>'${this.path(`${name}.calls`)}'\n`);
    chmodSync(this.path(`programs/${name}`), 0o755);
  }

  remove(): void {
    this.#directory.remove();
  }
}
