import { existsSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "../support/background-process.js";
import { REPOSITORY_ROOT } from "../support/repository.js";
import type { Bench, Figure } from "./figure.js";

const SCRIPT_TIMEOUT_MS = 20 * 60_000;

/**
 * A bench that is a script of its own, test/bench/NAME.mjs: called with `--json` (and `--quick`) it prints, as its
 * last line, either a list of figures or an object whose `figures` is one.
 */
export function scriptBench(name: string, about: string): Bench {
  const script = join(REPOSITORY_ROOT, "test", "bench", `${name}.mjs`);
  return {
    name,
    about,
    async *run({ quick }) {
      if (!existsSync(script)) throw new Error(`${script} does not exist`);
      const output = await runToEnd(
        process.execPath,
        [script, "--json", ...(quick ? ["--quick"] : [])],
        SCRIPT_TIMEOUT_MS,
      );
      yield* figuresOf(output, name);
    },
  };
}

function figuresOf(output: string, name: string): Figure[] {
  const start = output.search(/^[[{]/m);
  const parsed: unknown = JSON.parse(start < 0 ? "null" : output.slice(start));
  const list = Array.isArray(parsed) ? parsed : (parsed as { figures?: unknown } | null)?.figures;
  if (!Array.isArray(list)) throw new Error(`${name}.mjs --json printed no figures`);
  return list.filter(
    (entry): entry is Figure => typeof entry?.name === "string" && typeof entry?.value === "number",
  );
}
