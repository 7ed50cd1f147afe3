/** The npm packages that run, for one processor. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { HTTP_PACKAGES } from "../http-library.mjs";
import { NODES } from "../node-runtime.mjs";
import { fetchNpmPackage } from "../npm-archive.mjs";
import { keptFolder } from "./kept-folder.mjs";
import { NPM_PROCESSORS, platformFaults, settlePlatform } from "./platform.mjs";

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
    pruneBinaries(modules, { processor, abi });
  });
  return join(folder, "node_modules");
}

function npmVersion() {
  const done = spawnSync("npm", ["--version"], { encoding: "utf8" });
  if (done.status === 0) return done.stdout.trim();
  throw new Error(`npm --version: ${done.stderr || done.error?.message}`);
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
}

/** Throws when `folder` has none of the wanted binaries. */
function keepOnly(folder, wanted) {
  const binaries = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".node"));
  const kept = binaries.filter((name) => wanted.includes(basename(name)));
  if (kept.length === 0) throw new Error(`${folder} has no ${wanted.join(" nor ")}: ${binaries.join(" ")}`);
  for (const name of binaries) if (!kept.includes(name)) rmSync(join(folder, name));
}
