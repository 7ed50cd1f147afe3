/**
 * How vitest runs the files of test/: in processes that several files share, one after the other, where that is
 * possible. Starting a process and loading the same modules again costs most files more than their tests do.
 *
 * A file has a process of its own when it says why in a comment of a line: "// Own process: it counts open files." One that
 * makes interfaces, or looks for cameras, says so too, and has a network of
 * its own beside: "// Own network: it makes interfaces." Chromium ends its requests, also those of other tests, when an
 * interface of the machine that it sees comes or goes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const OWN_PROCESS_COMMENT = /^\/\/ Own process: /m;
const OWN_NETWORK_COMMENT = /^\/\/ Own network: /m;
/** Of a file that puts another module in the place of one that the modules of src/ load. */
const REPLACES_MODULES = /\bvi\.(?:mock|doMock)\(/;
const TEST_FILE = /\.test\.ts$/;

/**
 * The test files below `root`, relative to it: those with a process of their own, of them those that replace modules or have
 * a network of their own apart, and the others.
 */
export function filesByProcess(root) {
  /** @type {Record<"replacing" | "network" | "own" | "shared", string[]>} */
  const files = { replacing: [], network: [], own: [], shared: [] };
  for (const name of readdirSync(join(root, "test"), { recursive: true }).sort()) {
    if (!TEST_FILE.test(name)) continue;
    files[kindOf(readFileSync(join(root, "test", name), "utf8"))].push(`test/${name}`);
  }
  return files;
}

function kindOf(text) {
  if (OWN_NETWORK_COMMENT.test(text)) return "network";
  if (REPLACES_MODULES.test(text)) return "replacing";
  return OWN_PROCESS_COMMENT.test(text) ? "own" : "shared";
}
