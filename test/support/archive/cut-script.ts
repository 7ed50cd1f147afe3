import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The programs of a script that change something: where the power can go. */
const CHANGING = ["cp", "mkdir", "mv", "rm", "sync"];

export interface ScriptEnd {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs shell scripts, and kills them before a change of one's choice, counted over all that were run. */
export class CutScript {
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #counter: string;
  #cut = Number.POSITIVE_INFINITY;

  /** @param programs Shell scripts that stand before this machine's programs, by name. */
  constructor(
    directory: string,
    env: Readonly<Record<string, string>>,
    programs: Readonly<Record<string, string>> = {},
  ) {
    this.#directory = join(directory, "programs");
    this.#env = env;
    this.#counter = join(directory, "changes");
    mkdirSync(join(this.#directory, "counted"), { recursive: true });
    for (const [name, text] of Object.entries(programs)) this.#program(name, text);
    for (const name of CHANGING)
      this.#program(
        `counted/${name}`,
        `printf x >> ${this.#counter}\n[ $(wc -c < ${this.#counter}) -gt "$CUT" ] && kill -9 $PPID && exit 1\n` +
          `exec /bin/${name} "$@"\n`,
      );
    this.cutBefore(Number.POSITIVE_INFINITY);
  }

  /** From now on the power goes before the n-th change, counted from 0. Infinity: it stays. */
  cutBefore(cut: number): void {
    this.#cut = cut;
    writeFileSync(this.#counter, "");
  }

  /** Whether the power went. */
  get wasCut(): boolean {
    return readFileSync(this.#counter).length > this.#cut;
  }

  run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ScriptEnd {
    const counted = Number.isFinite(this.#cut) ? [join(this.#directory, "counted")] : [];
    const { status, stdout, stderr } = spawnSync(script, args, {
      env: {
        ...{ PATH: [...counted, this.#directory, process.env.PATH].join(":"), CUT: `${this.#cut}` },
        ...{ ...this.#env, ...env },
      },
      encoding: "utf8",
    });
    return { status, output: stdout.trim(), errors: stderr };
  }

  #program(name: string, text: string): void {
    const file = join(this.#directory, name);
    writeFileSync(file, `#!/bin/sh\n${text}`);
    chmodSync(file, 0o755);
  }
}
