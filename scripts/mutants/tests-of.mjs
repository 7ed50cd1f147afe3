/** Which test files are asked about a file of src/, the nearest first. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

const IMPORT = /\bfrom "(\.[^"]+)\.js"/g;
/** Of test files that start a whole service, a browser or a machine: one answers in minutes. */
const SLOW = /^test\/(?:service|page|image|systemd|update|bench|tooling)\//;

function testFiles(root) {
  return readdirSync(join(root, "test"), { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .filter((file) => !SLOW.test(file))
    .sort();
}

/** @returns {Map<string, Set<string>>} The files of src/ that each test file imports itself. */
export function importsOfTests(root) {
  return new Map(testFiles(root).map((file) => [file, importsOf(root, file)]));
}

function importsOf(root, file) {
  const folder = dirname(join(root, file));
  const text = readFileSync(join(root, file), "utf8");
  return new Set([...text.matchAll(IMPORT)].map(([, name]) => relative(root, resolve(folder, `${name}.ts`))));
}

/**
 * Those of its own name or that import it; then those of its folder; then the others of its room.
 * @param {string} file
 * @param {Map<string, Set<string>>} imports
 */
export function testsOf(file, imports) {
  const folder = dirname(file).replace(/^src/, "test");
  const room = folder.split("/").slice(0, 2).join("/");
  const name = basename(file, ".ts");
  const nearest = [];
  const near = [];
  const far = [];
  for (const [test, imported] of imports) {
    if (imported.has(file) || basename(test).startsWith(`${name}.`)) nearest.push(test);
    else if (dirname(test) === folder) near.push(test);
    else if (test.startsWith(`${room}/`)) far.push(test);
  }
  return [nearest, near, far].filter((tests) => tests.length > 0);
}

/** The files of a room that have anything to mutate. */
export function sourcesOf(root, room) {
  const folder = join(root, "src", room);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts") && basename(name) !== "index.ts")
    .map((name) => `src/${room}/${name}`)
    .sort();
}
