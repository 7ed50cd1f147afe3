/**
 * Ends a CI run: `node scripts/test-summary.mjs REPORT TEST_STATUS FAILED_STEPS` prints "N passed, N failed" from
 * vitest's JSON report and exits with 1 when anything failed. A test file that could not be loaded, a run that broke
 * without a failed test, and every other failed step count as one failure each, so that "0 failed" means success.
 */
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Counts of a report text (undefined: no report was written), the test command's status and other failed steps. */
export function summarize(reportText, testStatus, failedSteps) {
  const report =
    reportText === undefined
      ? { numPassedTests: 0, numFailedTests: 0, testResults: [] }
      : JSON.parse(reportText);
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  let failed = report.numFailedTests + brokenFiles.length + failedSteps;
  if (testStatus !== 0 && report.numFailedTests + brokenFiles.length === 0) failed += 1;
  return { passed: report.numPassedTests, failed };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [reportFile = "", testStatus = "1", failedSteps = "0"] = process.argv.slice(2);
  const text = existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined;
  const { passed, failed } = summarize(text, Number(testStatus), Number(failedSteps));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
