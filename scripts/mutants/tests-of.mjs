/** Which test files are asked about a file of src/, the nearest first. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { filesByProcess } from "../test/files-by-process.mjs";

/** What is imported or passed on: the names, unless it is all, and from where. */
const FROM = /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^"{}]*?)\s*from\s+"(\.[^"]+)\.js"/g;
const TEST = /\.test\.ts$/;
/** No more test files of other rooms are asked. */
const FAR_MAX = 60;
const DOOR = /^src\/.*\bindex\.ts$/;
/** Of test files that start a whole service, a browser or a machine: one answers in minutes. */
const SLOW = /^test\/(?:service|page|image|systemd|update|bench|tooling)\//;

/** Those that replace modules load sources, and no mutant. */
function testFiles(root) {
  const { network, own, shared } = filesByProcess(root);
  return [...network, ...own, ...shared].filter((file) => !SLOW.test(file)).sort();
}

/**
 * @returns {Map<string, Set<string>>} The files that each test file, each file of test/support and each source imports itself; of a door,
 *   what it passes on.
 */
export function importsOfTests(root) {
  const namesOf = importedNamesOf(root);
  const uses = (file) =>
    namesOf(file).flatMap(({ from, names }) => (DOOR.test(from) ? passedOn(namesOf(from), names) : [from]));
  const others = ["src", "test/support"].flatMap((folder) => programsIn(root, folder));
  return new Map([...testFiles(root), ...others].map((file) => [file, new Set(uses(file))]));
}

function programsIn(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
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
 * those of other rooms that come to it by their imports, those first that are beside sources with the fewest steps.
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
    if (!TEST.test(test)) continue;
    const isOfRoom = test.startsWith(`${room}/`);
    if (basename(test).startsWith(`${name}.`)) groups[0].push(test);
    else if (isOfRoom && imported.has(file)) groups[1].push(test);
    else if (dirname(test) === folder) groups[2].push(test);
    else if (isOfRoom) groups[3].push(test);
  }
  const near = new Set(groups.flat());
  groups[4] = testsThatReach(file, imports)
    .filter((test) => !near.has(test))
    .slice(0, FAR_MAX);
  return groups;
}

/** Test files that come to a file by their imports: first those of the folders whose sources need the fewest steps for that. */
function testsThatReach(file, imports) {
  const reached = new Set([file]);
  for (const one of reached) for (const [user, imported] of imports) if (imported.has(one)) reached.add(user);
  const folders = [
    ...new Set([...reached].filter((one) => one.startsWith("src/")).map((one) => dirname(one))),
  ];
  const place = (test) => folders.indexOf(dirname(test).replace(/^test/, "src")) >>> 0;
  return [...reached].filter((one) => TEST.test(one)).sort((one, other) => place(one) - place(other));
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
