/**
 * Of the npm packages that carry binaries, those for one processor on glibc, by what package-lock.json says of them. npm
 * itself is not relied on for that: that of Debian 13 (9.2) knows neither `--libc` nor `--os` and `--cpu`.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** By Debian's name of the processor: npm's. */
export const NPM_PROCESSORS = { amd64: "x64", arm64: "arm64" };

/** Whether an entry of the lock is only for machines unlike the target. */
export function isForOthers(entry, processor) {
  const target = { os: "linux", cpu: NPM_PROCESSORS[processor], libc: "glibc" };
  return Object.entries(target).some(([name, value]) => !accepts(entry[name], value));
}

/** npm's rule: one of those named, or none of those with an exclamation mark. */
function accepts(list, value) {
  if (list === undefined || list.length === 0) return true;
  const named = list.filter((word) => !word.startsWith("!"));
  return !list.includes(`!${value}`) && (named.length === 0 || named.includes(value));
}

/**
 * Paths of entries that are there only because a package would take them if a developer had it: of `folder`'s
 * package-lock.json.
 */
export function developmentPaths({ packages }) {
  const gone = Object.entries(packages).filter(
    ([path, entry]) => path !== "" && (entry.devOptional === true || entry.dev === true),
  );
  const parts = gone.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  return new Set([...gone.map(([path]) => path), ...parts.map((name) => `node_modules/${name}`)]);
}

/**
 * The paths of the lock's packages that run on `processor`: neither for development nor for other machines, nor there only
 * for one that is.
 */
export function wantedPaths(lock, processor) {
  const development = developmentPaths(lock);
  const entries = Object.entries(lock.packages);
  const known = new Map();
  const isWanted = (path, entry) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const isHere = !development.has(path) && !isForOthers(entry, processor);
    // In a ring of packages that need each other, the first counts as unneeded while the others are examined.
    known.set(path, isHere && entry.optional !== true);
    if (isHere && entry.optional === true) known.set(path, isNeeded(nameOf(path)));
    return known.get(path);
  };
  const isNeeded = (name) =>
    entries.some(([path, entry]) => {
      const needed = { ...entry.dependencies, ...entry.optionalDependencies };
      return Object.hasOwn(needed, name) && (path === "" || isWanted(path, entry));
    });
  return new Set(
    entries.filter(([path, entry]) => path !== "" && isWanted(path, entry)).map(([path]) => path),
  );
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * Takes from `folder` (package-lock.json, node_modules) what is for development or for other machines, and has `fetch`
 * bring what the target needs and npm left out. `fetch(name, entry, target)` puts the package's files into `target`.
 */
export function settlePlatform(folder, processor, fetch) {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const wanted = wantedPaths(lock, processor);
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "") continue;
    const place = join(folder, path);
    if (!wanted.has(path)) rmSync(place, { recursive: true, force: true });
    else if (!existsSync(place)) fetch(nameOf(path), entry, place);
  }
}

/** What of the lock's packages for `processor` is missing or of another version in `folder`, or there without being wanted. */
export function platformFaults(folder, processor) {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const wanted = wantedPaths(lock, processor);
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (path === "") return [];
    const file = join(folder, path, "package.json");
    const version = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
    const isWanted = wanted.has(path);
    if (!isWanted) return version === undefined ? [] : [`${path} is not for this package`];
    if (version === undefined) return [`${path} is missing`];
    return version === entry.version ? [] : [`${path} is ${version}, not ${entry.version}`];
  });
}
