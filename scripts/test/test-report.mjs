/**
 * What vitest's JSON report of a run says of its failures. A few files that failed in a run of the whole suite are run
 * again, each alone: a machine that is busy with others' work fails a test here and there that holds. What passed only
 * then is named as unsteady at the end of the run; it is a fault of the test or of the service, and is to be looked at.
 */
import { isAbsolute, relative } from "node:path";

/** More failed files than this are no matter of a busy machine. */
const FILES_AGAIN_MAX = 12;
const LINES_A_FAILURE = 12;
// The escape sequences by which vitest colours its messages.
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

const hasFailed = (file) => file.status === "failed";

/**
 * Files of the report that are worth running again, as the report names them; none, where too many failed. `errors`: those
 * outside all tests (`closing-reporter.mjs`); the files that they happened in are run again too, and nothing where one has no file.
 */
export function filesToRunAgain(report, errors = []) {
  if (errors.some(({ file }) => file === undefined)) return [];
  const failed = report.testResults.filter(hasFailed).map(({ name }) => name);
  const files = [...new Set([...failed, ...errors.map(({ file }) => file)])];
  return files.length <= FILES_AGAIN_MAX ? files : [];
}

/** A line for each error outside all tests, and the first lines of its message. `root`: the checkout. */
export function outsideLines(errors, root) {
  if (errors.length === 0) return [];
  const lines = errors.flatMap(({ file, message }) => [
    `  ${file === undefined ? "no file" : relative(root, file)}`,
    ...messageLines(message),
  ]);
  return ["Errors outside all tests:", ...lines];
}

/** The report of both runs: a file that was run again, and passed, counts by its second run. */
export function withSecondRun(report, again) {
  const second = new Map(again.testResults.map((file) => [file.name, file]));
  const testResults = report.testResults.map((file) => {
    const later = second.get(file.name);
    return later === undefined || hasFailed(later) ? file : later;
  });
  const count = (status) =>
    testResults.reduce(
      (sum, file) => sum + file.assertionResults.filter((test) => test.status === status).length,
      0,
    );
  return { ...report, numPassedTests: count("passed"), numFailedTests: count("failed"), testResults };
}

/** A line for each test of `report` that failed, and the first lines of its message. `root`: the checkout. */
export function failureLines(report, root) {
  return report.testResults.filter(hasFailed).flatMap((file) => {
    const name = isAbsolute(file.name) ? relative(root, file.name) : file.name;
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0) return [`  ${name}`, ...messageLines(file.message)];
    return failed.flatMap((test) => [
      `  ${name} > ${[...test.ancestorTitles, test.title].join(" > ")}`,
      ...test.failureMessages.flatMap(messageLines),
    ]);
  });
}

/** What a run says at its end, after the second run of the files that failed in it. */
export function closingLines(report, again, root) {
  const stillFailed = new Set(again.testResults.filter(hasFailed).map(({ name }) => name));
  const ran = new Set(again.testResults.map(({ name }) => name));
  const unsteady = report.testResults.filter(({ name }) => ran.has(name) && !stillFailed.has(name));
  const lines = unsteady.length === 0 ? [] : ["Unsteady (failed among the others, passed alone):"];
  lines.push(...failureLines({ testResults: unsteady }, root));
  const failed = failureLines(withSecondRun(report, again), root);
  return failed.length === 0 ? lines : [...lines, "Failed:", ...failed];
}

function messageLines(message = "") {
  return message
    .replaceAll(COLOUR, "")
    .split("\n")
    .filter((line) => !line.includes("/node_modules/"))
    .slice(0, LINES_A_FAILURE)
    .map((line) => `    ${line}`);
}
