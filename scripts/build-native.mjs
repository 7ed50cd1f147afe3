/**
 * Builds native/*.cc into build/nvrd.node with plain g++ (or $CXX) and the headers of node-addon-api and
 * node-api-headers: nothing is downloaded. Does nothing when the addon is newer than its sources.
 *
 *   node scripts/build-native.mjs [--force]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const output = join(root, "build/nvrd.node");
const sources = readdirSync(join(root, "native")).map((name) => join(root, "native", name));

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const newest = Math.max(...[...sources, fileURLToPath(import.meta.url)].map(modifiedMs));
if (process.argv.includes("--force") || modifiedMs(output) < newest) {
  mkdirSync(join(root, "build"), { recursive: true });
  // Built beside and renamed: a service that has the old addon mapped keeps it whole.
  const unfinished = `${output}.${process.pid}`;
  const compiler = process.env.CXX ?? "g++";
  const result = spawnSync(
    compiler,
    [
      "-std=c++17",
      "-O2",
      "-fPIC",
      "-shared",
      "-Wall",
      "-Wextra",
      "-Werror",
      "-fstack-protector-strong",
      "-D_FORTIFY_SOURCE=2",
      "-D_FILE_OFFSET_BITS=64",
      "-DNAPI_VERSION=8",
      "-DNAPI_DISABLE_CPP_EXCEPTIONS",
      "-DNODE_GYP_MODULE_NAME=nvrd",
      "-isystem",
      join(root, "node_modules/node-addon-api"),
      "-isystem",
      join(root, "node_modules/node-api-headers/include"),
      "-o",
      unfinished,
      ...sources.filter((path) => path.endsWith(".cc")),
    ],
    { stdio: "inherit" },
  );
  if (result.error !== undefined || result.status !== 0) {
    rmSync(unfinished, { force: true });
    const reason =
      result.error === undefined ? `${compiler} failed` : `cannot run ${compiler}: ${result.error.message}`;
    console.error(`native build: ${reason}. Install g++ (apt-get install g++) and try again.`);
    process.exit(1);
  }
  renameSync(unfinished, output);
}
