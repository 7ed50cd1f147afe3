/** The npm packages that run, for one processor, without what is only for building, reading or other machines. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { HTTP_PACKAGES } from "../http-library.mjs";
import { NODES } from "../node-runtime.mjs";
import { keptFolder } from "./kept-folder.mjs";
import { NPM_PROCESSORS, platformFaults, settlePlatform } from "./platform.mjs";

const FETCH_MS_MAX = 180_000;
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

/** What the tree depends on beside the lock: another npm, or another rule here, makes another tree. */
const MAKERS = ["npm-modules.mjs", "platform.mjs", "kept-folder.mjs", "../http-library.mjs"];

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
    settlePlatform(unfinished, processor, fetchPackage);
    const faults = platformFaults(unfinished, processor);
    if (faults.length > 0) throw new Error(`the npm packages for ${processor} are not right: ${faults[0]}`);
    const modules = join(unfinished, "node_modules");
    rmSync(join(modules, ".package-lock.json"), { force: true });
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

/** One package of the lock, into `target`. Throws when the download is not what the lock says. */
function fetchPackage(name, { version, integrity }, target) {
  const wanted = `${name}@${version}`;
  const place = `${target}.packed`;
  mkdirSync(place, { recursive: true });
  try {
    const args = ["pack", wanted, "--pack-destination", place, "--silent"];
    const packed = spawnSync("npm", args, { encoding: "utf8", timeout: FETCH_MS_MAX });
    if (packed.status !== 0) throw new Error(`npm pack ${wanted}: ${packed.stderr || packed.error?.message}`);
    const archive = join(place, readdirSync(place).find((file) => file.endsWith(".tgz")) ?? "");
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${wanted} is ${found}, not ${integrity}`);
    const tar = spawnSync("tar", ["-xzf", archive, "-C", place, "--no-same-owner"], { encoding: "utf8" });
    if (tar.status !== 0) throw new Error(`tar -xzf ${archive}: ${tar.stderr}`);
    renameSync(join(place, "package"), target);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
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
