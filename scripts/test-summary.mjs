/**
 * Ends a CI run: `node scripts/test-summary.mjs TEST_STATUS FAILED_STEPS` names what failed and prints "N passed, N
 * failed" from vitest's JSON reports (`test/test-report.mjs`), and exits with 1 when anything failed. A test file that could not be loaded, a run that broke
 * without a failed test, and every other failed step count as one failure each, so that "0 failed" means success.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { closingLines, withSecondRun } from "./test/test-report.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NOTHING = { numPassedTests: 0, numFailedTests: 0, testResults: [] };

/**
 * Counts of a report (undefined: none was written), the test command's status and other failed steps.
 *
 * @param {{ numPassedTests: number; numFailedTests: number; testResults: { status: string; assertionResults: { status: string }[] }[] }} [report]
 * @param {number} [testStatus]
 * @param {number} [failedSteps]
 */
export function summarize(report = NOTHING, testStatus = 0, failedSteps = 0) {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  let failed = report.numFailedTests + brokenFiles.length + failedSteps;
  if (testStatus !== 0 && report.numFailedTests + brokenFiles.length === 0) failed += 1;
  return { passed: report.numPassedTests, failed };
}

function readReport(name) {
  const file = join(ROOT, "build", name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [testStatus = "1", failedSteps = "0"] = process.argv.slice(2);
  const first = readReport("test-report.json");
  const again = readReport("test-report-again.json") ?? NOTHING;
  const report = first === undefined ? undefined : withSecondRun(first, again);
  const { passed, failed } = summarize(report, Number(testStatus), Number(failedSteps));
  const lines = first === undefined ? [] : closingLines(first, again, ROOT);
  console.log([...lines, `${passed} passed, ${failed} failed`].join("\n"));
  process.exitCode = failed === 0 ? 0 : 1;
}
