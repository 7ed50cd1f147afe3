/**
 * Builds what is older than its sources: the native addon (`native/` -> `build/nvrd.node`, by
 * `scripts/build-native.mjs`) and the TypeScript (`src/` -> `dist/`, by tsc, incremental).
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const NATIVE_SCRIPT = join("scripts", "build-native.mjs");
const TSC = join("node_modules", "typescript", "bin", "tsc");
/** Written after a build without errors: a fingerprint of the sources it was made from. */
const STAMP = join("dist", ".built");

/** `run(script, args, title)` runs a Node script in `root`, says the title and how long it took, and rejects when it fails. */
export async function build(root, run) {
  await buildNative(root, run);
  await buildTypeScript(root, run);
}

/** The script compares the addon with its sources itself. */
async function buildNative(root, run) {
  if (existsSync(join(root, NATIVE_SCRIPT))) await run(NATIVE_SCRIPT, []);
}

async function buildTypeScript(root, run) {
  const fingerprint = sourceFingerprint(root);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint) return;
  rmSync(stamp, { force: true });
  removeOrphans(root);
  await run(TSC, ["-p", "."], "TypeScript; takes 10 s to a minute");
  writeFileSync(stamp, fingerprint);
}

/** Names, sizes and times of all that tsc reads: changes whenever a file is edited, added or removed. */
function sourceFingerprint(root) {
  const hash = createHash("sha256");
  const files = ["tsconfig.json", "package.json"]
    .map((name) => join(root, name))
    .concat(filesBelow(join(root, "src")));
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Removes outputs without a source: tsc leaves them, and they would still be importable. */
function removeOrphans(root) {
  const dist = join(root, "dist");
  for (const file of filesBelow(dist)) {
    const match = /^(.*)\.js(\.map)?$/.exec(relative(dist, file));
    if (match === null) continue;
    if (!existsSync(join(root, "src", `${match[1]}.ts`))) rmSync(file);
  }
}

function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
