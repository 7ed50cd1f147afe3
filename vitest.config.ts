import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Forks: a native abort or a changed signal handler ends one file only, as it would in production. */
export default defineConfig({
  test: {
    pool: "forks",
    // Vitest would leave one processor to itself; half the time of the long files is waiting.
    maxWorkers: Math.max(2, availableParallelism()),
    include: ["test/**/*.test.ts"],
    // Against hanging only: tests that start processes take several times as long on a loaded machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default"],
  },
});
