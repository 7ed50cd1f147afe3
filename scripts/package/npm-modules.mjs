/** The npm packages that run, for one processor, without what is only for building, reading or other machines. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { HTTP_PACKAGES } from "../http-library.mjs";
import { NODES } from "../node-runtime.mjs";
import { fetchNpmPackage } from "../npm-archive.mjs";
import { keptFolder } from "./kept-folder.mjs";
import { NPM_PROCESSORS, platformFaults, settlePlatform } from "./platform.mjs";

/** Files that nothing loads; licences and notices stay. */
const UNUSED_FILE =
  /(?:\.(?:map|flow|d\.[cm]?ts|[cm]?ts|cc|cpp|c|h|hpp|gyp|gypi|md|markdown|yml|yaml|html|tgz|cmd|bare|sh|sln)|Makefile|eslint\.config\.\w+)$|^\./i;
/** Of what a program can load; a package without any has types alone. */
const LOADED_FILE = /\.(?:[cm]?js|json|node|wasm|so(?:\.[\d.]+)?)$/i;
const KEPT_FILE = /^(?:licen[cs]e|notice|copying|third[-_ ]?party)/i;
/** Folders at the top of a package. */
const UNUSED_FOLDERS = new Set(
  "test tests __tests__ example examples docs doc dependencies prebuilds tools benchmark benchmarks bench sample coverage .github .husky".split(
    " ",
  ),
);

/** By package: what only its install script loads, which is never run here. */
const INSTALLERS = { "onnxruntime-node": ["adm-zip", "global-agent"] };

/** What the tree depends on beside the lock: another npm, or another rule here, makes another tree. */
const MAKERS = [
  "npm-modules.mjs",
  "platform.mjs",
  "kept-folder.mjs",
  "../http-library.mjs",
  "../npm-archive.mjs",
];

/** `build/packages/modules/<processor>-<abi>-<inputs>`: installed by package-lock.json, each archive checked against it. */
export function productionModules(root, { suite, processor, run }) {
  const { abi } = NODES[suite];
  const inputs = ["package.json", "package-lock.json", ".npmrc"];
  const hash = createHash("sha256").update(npmVersion());
  for (const name of inputs) hash.update(readFileSync(join(root, name)));
  for (const name of MAKERS) hash.update(readFileSync(new URL(name, import.meta.url)));
  const folder = join(
    root,
    "build/packages/modules",
    `${processor}-${abi}-${hash.digest("hex").slice(0, 16)}`,
  );
  keptFolder(folder, (unfinished) => {
    mkdirSync(unfinished, { recursive: true });
    for (const name of inputs) copyFileSync(join(root, name), join(unfinished, name));
    const target = [`--cpu=${NPM_PROCESSORS[processor]}`, "--os=linux", "--libc=glibc"];
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-bin-links", "--loglevel=error"];
    run("npm", ["ci", "--omit=dev", ...target, ...quiet], {}, unfinished);
    settlePlatform(unfinished, processor, (name, entry, target) =>
      fetchNpmPackage({ ...entry, name }, target),
    );
    const faults = platformFaults(unfinished, processor);
    if (faults.length > 0) throw new Error(`the npm packages for ${processor} are not right: ${faults[0]}`);
    const modules = join(unfinished, "node_modules");
    rmSync(join(modules, ".package-lock.json"), { force: true });
    const { dependencies } = JSON.parse(readFileSync(join(unfinished, "package.json"), "utf8"));
    pruneInstallers(modules, Object.keys(dependencies));
    pruneModules(modules);
    pruneBinaries(modules, { processor, abi });
  });
  return join(folder, "node_modules");
}

function npmVersion() {
  const done = spawnSync("npm", ["--version"], { encoding: "utf8" });
  if (done.status === 0) return done.stdout.trim();
  throw new Error(`npm --version: ${done.stderr || done.error?.message}`);
}

/** Removes files and packages that nothing loads from `modules` (a node_modules). */
export function pruneModules(modules) {
  // Those within another package first: they may be all that it has.
  for (const folder of packageFolders(modules).reverse()) {
    prunePackage(folder, folder);
    if (!hasLoadedFile(folder)) rmSync(folder, { recursive: true });
  }
  for (const name of readdirSync(modules).filter((entry) => entry.startsWith("@")))
    if (readdirSync(join(modules, name)).length === 0) rmSync(join(modules, name), { recursive: true });
}

function hasLoadedFile(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && entry.name !== "package.json" && LOADED_FILE.test(entry.name),
  );
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

/** Of a package's binaries for all machines, those that this Node loads on glibc. */
function pruneBinaries(modules, { processor, abi }) {
  const cpu = NPM_PROCESSORS[processor];
  for (const name of new Set(Object.values(HTTP_PACKAGES))) {
    if (name === HTTP_PACKAGES[abi]) keepOnly(join(modules, name), [`uws_linux_${cpu}_${abi}.node`]);
    else rmSync(join(modules, name), { recursive: true });
  }
  const glibc = [`node.abi${abi}.glibc.node`, "node.napi.glibc.node"];
  // lmdb's addon is built here (src/kept/lmdb/library.ts).
  rmSync(join(modules, "@lmdb"), { recursive: true });
  pruneRuntime(join(modules, "onnxruntime-node"), cpu);
  const extract = join(modules, "@msgpackr-extract", `msgpackr-extract-linux-${cpu}`);
  if (existsSync(extract)) keepOnly(extract, glibc);
}

/** The library of the detector of objects comes for all systems in one package. */
function pruneRuntime(folder, cpu) {
  const binaries = join(folder, "bin");
  const own = join("linux", cpu);
  for (const version of readdirSync(binaries)) {
    if (!existsSync(join(binaries, version, own))) throw new Error(`${folder} has no library for ${own}`);
    for (const system of readdirSync(join(binaries, version)))
      for (const name of readdirSync(join(binaries, version, system)))
        if (join(system, name) !== own) rmSync(join(binaries, version, system, name), { recursive: true });
  }
  rmSync(join(folder, "script"), { recursive: true });
}

/** Removes from `modules` what only install scripts need, with all that nothing else needs. */
export function pruneInstallers(modules, direct) {
  const used = reached(modules, direct, false);
  for (const name of reached(modules, direct, true))
    if (!used.has(name)) rmSync(join(modules, name), { recursive: true, force: true });
}

/** The packages of `modules` that the named ones need, themselves included. */
function reached(modules, names, withInstallers) {
  const found = new Set();
  const visit = (name) => {
    const file = join(modules, name, "package.json");
    if (found.has(name) || !existsSync(file)) return;
    found.add(name);
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(file, "utf8"));
    const left = withInstallers ? [] : (INSTALLERS[name] ?? []);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      if (!left.includes(needed)) visit(needed);
  };
  for (const name of names) visit(name);
  return found;
}

/** Throws when `folder` has none of the wanted binaries. */
function keepOnly(folder, wanted) {
  const binaries = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".node"));
  const kept = binaries.filter((name) => wanted.includes(basename(name)));
  if (kept.length === 0) throw new Error(`${folder} has no ${wanted.join(" nor ")}: ${binaries.join(" ")}`);
  for (const name of binaries) if (!kept.includes(name)) rmSync(join(folder, name));
}
