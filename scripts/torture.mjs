/**
 * `npm run torture [CYCLES]`: kills the service under load as the tests do, ten times as often (default 500 times).
 */
import { spawnSync } from "node:child_process";
import process from "node:process";

const CYCLES_DEFAULT = 500;
const cycles = Number(process.argv[2] ?? CYCLES_DEFAULT);
if (!Number.isInteger(cycles) || cycles < 1) {
  console.error(`torture: "${process.argv[2]}" is not a number of cycles; write npm run torture -- 500`);
  process.exit(2);
}
console.log(
  `torture: killing the service ${cycles} times while it records (test/service/crash.test.ts). Power cuts, failing ` +
    "disks and simulated days are not part of it yet.",
);
const env = { ...process.env, NVRD_TEST_CRASH_CYCLES: `${cycles}` };
const vitest = ["node_modules/vitest/vitest.mjs", "run", "test/service/crash.test.ts"];
process.exitCode = spawnSync(process.execPath, vitest, { stdio: "inherit", env }).status ?? 1;
