/**
 * `npm test [-- ROOM...]`: the tests, of all rooms or of those named. A room is a folder of test/: `npm test -- archive`
 * runs test/archive, and no file of another folder whose name has the word. Every other argument is vitest's.
 */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { modulesForTests } from "./test/built-for-tests.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VITEST = "node_modules/vitest/vitest.mjs";
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

function test(args) {
  const child = spawn(process.execPath, [VITEST, "run", ...vitestArguments(ROOT, args)], {
    cwd: ROOT,
    stdio: "inherit",
    env: { NVRD_TEST_MODULES: modulesForTests(ROOT), ...process.env },
  });
  // A terminal's Ctrl+C reaches vitest by itself, which then ends in order.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.once("error", (error) => {
    console.error(`test: ${error.message}`);
    process.exitCode = 1;
  });
  child.once("exit", (code, signal) => {
    if (signal !== null) console.error(`test: vitest ended by ${signal}`);
    process.exitCode = code ?? 1;
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  test(process.argv.slice(2));
