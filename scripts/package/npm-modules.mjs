/** The npm packages that run, for one processor, without what is only for building, reading or other machines. */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** By Debian's name of the processor: npm's. */
export const NPM_PROCESSORS = { amd64: "x64", arm64: "arm64" };
/** Node's version of its binary interface (process.versions.modules) in the Node that is shipped. */
const NODE_ABI = "127";
/** Files that nothing loads; licences and notices stay. */
const UNUSED_FILE =
  /(?:\.(?:map|flow|d\.[cm]?ts|[cm]?ts|cc|cpp|c|h|hpp|gyp|gypi|md|markdown|yml|yaml|html|tgz|cmd|bare|sh|sln)|Makefile|eslint\.config\.\w+)$|^\./i;
const KEPT_FILE = /^(?:licen[cs]e|notice|copying|third[-_ ]?party)/i;
/** Folders at the top of a package. */
const UNUSED_FOLDERS = new Set(
  "test tests __tests__ example examples docs doc dependencies prebuilds tools benchmark benchmarks bench sample coverage .github .husky".split(
    " ",
  ),
);

/** `build/packages/modules/<processor>-<lock>`: installed by package-lock.json, which npm checks each archive against. */
export function productionModules(root, { processor, run }) {
  const inputs = ["package.json", "package-lock.json"];
  const hash = createHash("sha256");
  for (const name of inputs) hash.update(readFileSync(join(root, name)));
  hash.update(readFileSync(new URL(import.meta.url)));
  const folder = join(root, "build/packages/modules", `${processor}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return join(folder, "node_modules");
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  for (const name of [...inputs, ".npmrc"]) copyFileSync(join(root, name), join(unfinished, name));
  const target = [`--cpu=${NPM_PROCESSORS[processor]}`, "--os=linux", "--libc=glibc"];
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-bin-links", "--loglevel=error"];
  run("npm", ["ci", "--omit=dev", ...target, ...quiet], {}, unfinished);
  removeDevelopment(unfinished);
  prune(join(unfinished, "node_modules"), processor);
  renameSync(unfinished, folder);
  return join(folder, "node_modules");
}

/** What is there only because a package would take it, if a developer had it. */
function removeDevelopment(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const gone = Object.entries(packages).filter(
    ([, entry]) => entry.devOptional === true || entry.dev === true,
  );
  const parts = gone.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  for (const path of [...gone.map(([name]) => name), ...parts.map((name) => join("node_modules", name))])
    if (path !== "") rmSync(join(folder, path), { recursive: true, force: true });
}

function prune(modules, processor) {
  rmSync(join(modules, ".package-lock.json"), { force: true });
  for (const folder of packageFolders(modules)) prunePackage(folder, folder);
  pruneBinaries(modules, processor);
}

/** Folders with a package.json of their own, scoped and nested ones included. */
function packageFolders(modules) {
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name],
  );
  return names.flatMap((name) => {
    const nested = join(modules, name, "node_modules");
    return [join(modules, name), ...(existsSync(nested) ? packageFolders(nested) : [])];
  });
}

function prunePackage(top, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === "node_modules") continue;
      if (folder === top && UNUSED_FOLDERS.has(entry.name)) rmSync(path, { recursive: true });
      else prunePackage(top, path);
    } else if (UNUSED_FILE.test(entry.name) && !KEPT_FILE.test(entry.name)) rmSync(path);
  }
}

/** Of the binaries for every machine that a package brings, those that this Node takes on glibc. */
function pruneBinaries(modules, processor) {
  const cpu = NPM_PROCESSORS[processor];
  keepOnly(join(modules, "uWebSockets.js"), [`uws_linux_${cpu}_${NODE_ABI}.node`]);
  const glibc = [`node.abi${NODE_ABI}.glibc.node`, "node.napi.glibc.node"];
  // lmdb's addon is built here (src/lmdb/library.ts).
  rmSync(join(modules, "@lmdb"), { recursive: true });
  const extract = join(modules, "@msgpackr-extract", `msgpackr-extract-linux-${cpu}`);
  if (existsSync(extract)) keepOnly(extract, glibc);
}

/** Throws when `folder` has none of the wanted binaries. */
function keepOnly(folder, wanted) {
  const binaries = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".node"));
  const kept = binaries.filter((name) => wanted.includes(basename(name)));
  if (kept.length === 0) throw new Error(`${folder} has no ${wanted.join(" nor ")}: ${binaries.join(" ")}`);
  for (const name of binaries) if (!kept.includes(name)) rmSync(join(folder, name));
}
