import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { builtModules } from "./scripts/test/built-modules.mjs";
import { ClosingReporter } from "./scripts/test/closing-reporter.mjs";
import { filesByProcess } from "./scripts/test/files-by-process.mjs";
import { LongestFirst } from "./scripts/test/longest-first.mjs";
import { ownNetworkPool, reportingPool } from "./scripts/test/reporting-pool.mjs";
import { POLL_MS_MAX, TEST_MS_MAX } from "./scripts/test/short-limits.mjs";

/** Where the JSON report of a CI run goes. */
const REPORT = process.env.NVRD_TEST_REPORT;

/** The folder of the built modules, where `npm test` runs; undefined: from the sources. */
const MODULES = process.env.NVRD_TEST_MODULES;

function jsonReport(outputFile: string): ["json", { outputFile: string }] {
  return ["json", { outputFile }];
}

const files = filesByProcess(import.meta.dirname);
const plugins = MODULES === undefined ? [] : [builtModules({ root: import.meta.dirname, folder: MODULES })];

/**
 * Many more at once than processors: half of a run's time is waiting, most of it in the files that take long, which come first and
 * so leave the processors to those that compute. On two processors seven took 28 minutes, and some tests of what is played in real
 * time fell behind; five took 33 minutes.
 */
const maxWorkers = availableParallelism() + 4;

/** Forks: a native abort or a changed signal handler ends one file only, as it would in production. */
export default defineConfig({
  test: {
    server: { deps: { external: [/\/test-modules\/dist\//] } },
    pool: reportingPool,
    maxWorkers,
    projects: [
      {
        extends: true,
        test: {
          // From the sources: Node loads the built modules itself, and would know nothing of what a file puts in their place.
          ...{ name: "replaces modules", include: files.replacing, isolate: true },
        },
      },
      {
        extends: true,
        plugins,
        test: {
          ...{ name: "own network", include: files.network, isolate: true, pool: ownNetworkPool },
        },
      },
      {
        extends: true,
        plugins,
        test: {
          ...{ name: "own process", include: files.own, isolate: true },
        },
      },
      {
        extends: true,
        plugins,
        test: {
          ...{ name: "shared process", include: files.shared, isolate: false },
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    // Against hanging only: tests that start processes take many times as long on a loaded machine. A test has a limit of its own
    // where it needs more, never less (`scripts/test/short-limits.mjs`).
    testTimeout: TEST_MS_MAX,
    hookTimeout: TEST_MS_MAX,
    // Each look costs the service and the browser more than the wait.
    expect: { poll: { interval: 150, timeout: POLL_MS_MAX } },
    reporters: [
      "default",
      new ClosingReporter(process.env.NVRD_TEST_ERRORS),
      ...(REPORT === undefined ? [] : [jsonReport(REPORT)]),
    ],
  },
});
