import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";

const run = promisify(execFile);
/** Each target's time; all run at once, at a lower priority than the tests beside them. `npm run torture -- fuzz` takes longer. */
const SECONDS = Number(process.env.NVRD_TEST_FUZZ_SECONDS ?? 1);
/** Building with both sanitizers, making the seeds, ending the last input. */
const AROUND_SECONDS = 300;
const missing = spawnSync("clang++", ["--version"]).error === undefined ? undefined : "clang";

it.skipIf(missing !== undefined)(
  `nothing is found by the fuzz targets of decoder, still, sound and fragments in ${SECONDS} s of each${notHere(missing)}`,
  async () => {
    const args = ["scripts/fuzz.mjs", `${SECONDS}`];
    const { stdout } = await run(process.execPath, args, {
      cwd: REPOSITORY_ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const target of ["decode", "still", "sound", "fragments"])
      expect(stdout).toMatch(new RegExp(`^fuzz: ${target}: nothing found in [1-9]\\d* inputs$`, "m"));
  },
  (SECONDS + AROUND_SECONDS) * 1000,
);
