/**
 * `npm test [-- ROOM...]`: the tests, of all rooms or of those named. A room is a folder of test/: `npm test -- archive`
 * runs test/archive, and no file of another folder whose name has the word. Every other argument is vitest's. The machine is
 * given what these tests need, and no more (`test/packages-of-tests.mjs`). A few files that fail in a run of all are run
 * again, alone (`test/test-report.mjs`).
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CROSS, DEBIAN_PACKAGES } from "./debian-packages.mjs";
import { isSetUp, needsOf } from "./setup.mjs";
import { modulesForTests } from "./test/built-for-tests.mjs";
import { areCrossBuilt, packagesOfTests } from "./test/packages-of-tests.mjs";
import { closingLines, filesToRunAgain, outsideLines } from "./test/test-report.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VITEST = "node_modules/vitest/vitest.mjs";
const REPORT = join(ROOT, "build", "test-report.json");
/** The errors that happened outside all tests, where there were any. */
const ERRORS = join(ROOT, "build", "test-errors");
/** Of the files that failed and were run again. */
const SECOND_REPORT = join(ROOT, "build", "test-report-again.json");
/** Options of vitest whose value is the next argument. */
const OPTION_WITH_VALUE = /^(?:-t|--testNamePattern)$/;
const ROOM = /^[\w-]+(\/[\w-]+)*$/;

/** What vitest is told for the arguments of `npm test` in the checkout `root`. */
export function vitestArguments(root, args) {
  return args.map((arg) => (isRoom(root, arg) ? `test/${arg}/` : arg));
}

function isRoom(root, name) {
  return (
    ROOM.test(name) && statSync(join(root, "test", name), { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** What the machine must have for the tests of the rooms and files in `args`; for all tests where something else is chosen. */
export function needsOfTests(root, args) {
  const all = needsOf("test");
  const chosen = args.filter(
    (arg, index) => !arg.startsWith("-") && !OPTION_WITH_VALUE.test(args[index - 1] ?? ""),
  );
  const places = chosen.map((arg) => placeOf(root, arg));
  if (places.length === 0 || places.includes(undefined)) return all;
  const ofTests = packagesOfTests(root, places, all.packages);
  const isCrossBuilt = areCrossBuilt(root, places);
  return {
    use: `test -- ${args.join(" ")}`,
    packages: [...DEBIAN_PACKAGES.build, ...ofTests, ...(isCrossBuilt ? CROSS : [])],
    isCrossBuilt,
  };
}

/** The folder or file below `root` that an argument names. */
function placeOf(root, arg) {
  if (isRoom(root, arg)) return join("test", arg);
  return /^test\/.+\.test\.tsx?$/.test(arg) && existsSync(join(root, arg)) ? arg : undefined;
}

/** Runs vitest; resolves with its exit status, 1 where it could not be started or was ended by a signal. */
function vitest(args, report) {
  const child = spawn(process.execPath, [VITEST, "run", ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      NVRD_TEST_MODULES: modulesForTests(ROOT),
      ...process.env,
      NVRD_TEST_REPORT: report,
      NVRD_TEST_ERRORS: ERRORS,
    },
  });
  const end = () => child.kill("SIGTERM");
  process.on("SIGTERM", end);
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`test: ${error.message}`);
      resolve(1);
    });
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", end);
      if (signal !== null) console.error(`test: vitest ended by ${signal}`);
      resolve(code ?? 1);
    });
  });
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

async function test(args) {
  // A terminal's Ctrl+C reaches vitest by itself, which then ends in order; after it nothing is run again.
  let isInterrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      isInterrupted = true;
    });
  for (const file of [REPORT, SECOND_REPORT, ERRORS]) rmSync(file, { force: true });
  process.exitCode = await vitest(vitestArguments(ROOT, args), REPORT);
  const report = readReport(REPORT);
  if (process.exitCode === 0 || isInterrupted || args.length > 0 || report === undefined) return;
  const errors = readReport(ERRORS) ?? [];
  for (const line of outsideLines(errors, ROOT)) console.log(line);
  const files = filesToRunAgain(report, errors);
  if (files.length === 0) return;
  console.log(`test: running ${files.length === 1 ? "the file" : "the files"} that failed again, alone`);
  process.exitCode = await vitest([...files, "--no-file-parallelism"], SECOND_REPORT);
  const again = readReport(SECOND_REPORT);
  if (again !== undefined) console.log(closingLines(report, again, ROOT).join("\n"));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  if (await isSetUp(() => needsOfTests(ROOT, args))) await test(args);
  else process.exitCode = 1;
}
