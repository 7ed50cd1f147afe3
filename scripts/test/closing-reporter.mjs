/**
 * Ends a run of the tests: names the tests that were skipped, with the reason that each gives, and the files that took
 * the longest. A test gives its reason by `notHere(...)` in its name, or in that of a `describe` around it, or by
 * `context.skip(reason)`.
 */
import { writeFileSync } from "node:fs";
import { COSTLIEST_FILES, costliestLines, processorTimes } from "./processor-time.mjs";

const SLOWEST_FILES = 10;
const REASON = /\(not here: (.*)\)$/;

/** Lines for the tests that were skipped, those of one group and one reason in one line. */
export function skippedLines(skipped) {
  if (skipped.length === 0) return [];
  const groups = new Map();
  for (const { file, name, reason } of skipped) {
    const key = `${reason}\n${file}`;
    groups.set(key, { file, reason, names: [...(groups.get(key)?.names ?? []), name] });
  }
  const lines = [...groups.values()].flatMap(({ file, reason, names }) => [
    `  ${file}: ${reason}`,
    ...names.map((name) => `    ${name}`),
  ]);
  return [`Skipped: ${skipped.length}`, ...lines];
}

/** Lines for the files that took the longest, the slowest first. */
export function slowestLines(files) {
  const slowest = [...files].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST_FILES);
  const seconds = slowest.map(({ durationMs }) => (durationMs / 1000).toFixed(1));
  const width = Math.max(0, ...seconds.map((text) => text.length));
  return ["Slowest files:", ...slowest.map(({ file }, at) => `  ${seconds[at]?.padStart(width)} s  ${file}`)];
}

/** Why a test was skipped, by its note or by its name and those of the groups around it, the outermost first. */
export function reasonOf(names, note) {
  return (
    note ??
    names.map((name) => REASON.exec(name)?.[1]).find((reason) => reason !== undefined) ??
    "no reason given"
  );
}

function namesOf(test) {
  const names = [];
  for (let task = test; task.type !== "module"; task = task.parent) names.unshift(task.name);
  return names;
}

function errorOutside(error) {
  return { file: error.VITEST_TEST_PATH, message: String(error.stack ?? error.message ?? error) };
}

/** A reporter for vitest. */
export class ClosingReporter {
  #vitest;
  #errorsFile;

  /**
   * `errorsFile`: where it writes the errors that happened outside all tests; vitest's JSON report does not know them. A JSON list
   * of `{ file, message }`; `file`: the test file that ran at that time, absent where vitest does not know it.
   */
  constructor(errorsFile) {
    this.#errorsFile = errorsFile;
  }

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules, unhandledErrors) {
    if (this.#errorsFile !== undefined && unhandledErrors.length > 0)
      writeFileSync(this.#errorsFile, JSON.stringify(unhandledErrors.map(errorOutside)));
    const skipped = [];
    const files = modules.map((module) => {
      for (const test of module.children.allTests("skipped")) {
        const { note } = test.result();
        // Tests of a group whose set-up failed were not skipped: they failed with it.
        if (test.options.mode === "run" && note === undefined) continue;
        const names = namesOf(test);
        const reason = reasonOf(names, note);
        skipped.push({ file: module.relativeModuleId, name: names.join(" > "), reason });
      }
      return { file: module.relativeModuleId, durationMs: module.diagnostic().duration };
    });
    // Tests that a pattern on the command line leaves out were not skipped by themselves.
    const lines = this.#vitest.config.testNamePattern === undefined ? skippedLines(skipped) : [];
    if (files.length > 1) lines.push(...slowestLines(files));
    if (COSTLIEST_FILES > 0) lines.push(...costliestLines(processorTimes()));
    if (lines.length > 0) this.#vitest.logger.log(`\n${lines.join("\n")}\n`);
  }
}
