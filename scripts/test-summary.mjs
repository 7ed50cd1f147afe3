/**
 * Ends a CI run: `node scripts/test-summary.mjs REPORT TEST_STATUS FAILED_STEPS` names the tests that were skipped,
 * prints "N passed, N failed" from vitest's JSON report and exits with 1 when anything failed. A test file that could not be loaded, a run that broke
 * without a failed test, and every other failed step count as one failure each, so that "0 failed" means success.
 */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** What vitest's JSON report calls a test that was not run. */
const SKIPPED = new Set(["skipped", "pending", "todo"]);

/**
 * Counts of a report text (undefined: no report was written), the test command's status and other failed steps, and
 * the names of the tests that were not run.
 */
export function summarize(reportText, testStatus, failedSteps) {
  const report =
    reportText === undefined
      ? { numPassedTests: 0, numFailedTests: 0, testResults: [] }
      : JSON.parse(reportText);
  const skipped = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status }) => SKIPPED.has(status))
    .map(({ fullName }) => fullName);
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  let failed = report.numFailedTests + brokenFiles.length + failedSteps;
  if (testStatus !== 0 && report.numFailedTests + brokenFiles.length === 0) failed += 1;
  return { passed: report.numPassedTests, failed, skipped };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [reportFile = "", testStatus = "1", failedSteps = "0"] = process.argv.slice(2);
  const text = existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined;
  const { passed, failed, skipped } = summarize(text, Number(testStatus), Number(failedSteps));
  for (const name of skipped) console.log(`skipped: ${name}`);
  if (skipped.length > 0) console.log(`${skipped.length} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
