/** Which test files are asked about a file of src/, the nearest first. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { filesByProcess } from "../test/files-by-process.mjs";

/** What is imported or passed on: the names, unless it is all, and from where. */
const FROM = /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^"{}]*?)\s*from\s+"(\.[^"]+)\.js"/g;
const DOOR = /^src\/.*\bindex\.ts$/;
/** Of test files that start a whole service, a browser or a machine: one answers in minutes. */
const SLOW = /^test\/(?:service|page|image|systemd|update|bench|tooling)\//;

/** Those that replace modules load sources, and no mutant. */
function testFiles(root) {
  const { network, own, shared } = filesByProcess(root);
  return [...network, ...own, ...shared].filter((file) => !SLOW.test(file)).sort();
}

/** @returns {Map<string, Set<string>>} The files of src/ that each test file imports itself; of a door, what it passes on. */
export function importsOfTests(root) {
  const namesOf = importedNamesOf(root);
  const uses = (file) =>
    namesOf(file).flatMap(({ from, names }) => (DOOR.test(from) ? passedOn(namesOf(from), names) : [from]));
  return new Map(testFiles(root).map((file) => [file, new Set(uses(file))]));
}

function importedNamesOf(root) {
  const known = new Map();
  return (file) => {
    if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? readImports(root, file) : []);
    return known.get(file);
  };
}

function readImports(root, file) {
  const folder = dirname(join(root, file));
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(FROM)].map(([, names, path]) => ({
    from: relative(root, resolve(folder, `${path}.ts`)),
    names: (names ?? "").split(",").map((name) => name.replace(/\btype\b|\bas\b.*/g, "").trim()),
  }));
}

function passedOn(exported, names) {
  return exported.filter((entry) => entry.names.some((name) => names.includes(name))).map(({ from }) => from);
}

/**
 * Those of its own name; then of its room those that import it; then those of its folder; then the others of its room; last
 * those of other rooms that import it.
 * @param {string} file
 * @param {Map<string, Set<string>>} imports
 */
export function testsOf(file, imports) {
  const folder = dirname(file).replace(/^src/, "test");
  // Of the rooms of endpoints each topic is as a room.
  const room = folder
    .split("/")
    .slice(0, /^test\/(?:compat|owner)\//.test(folder) ? 3 : 2)
    .join("/");
  const name = basename(file, ".ts");
  const groups = [[], [], [], [], []];
  for (const [test, imported] of imports) {
    const isOfRoom = test.startsWith(`${room}/`);
    if (basename(test).startsWith(`${name}.`)) groups[0].push(test);
    else if (isOfRoom && imported.has(file)) groups[1].push(test);
    else if (dirname(test) === folder) groups[2].push(test);
    else if (isOfRoom) groups[3].push(test);
    else if (imported.has(file)) groups[4].push(test);
  }
  return groups.filter((tests) => tests.length > 0);
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
