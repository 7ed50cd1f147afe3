/**
 * lmdb's addon from the sources that the npm package brings, with native/lmdb/failing-disk.patch: a failing system disk must
 * not damage the heap of the process that records (docs/design/dependencies.md). Node-API only, so one binary serves each
 * version of Node.
 */
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { addonFlags, ROOT } from "./compiler.mjs";

const PACKAGE = join(ROOT, "node_modules/lmdb");
/** LMDB itself, within the sources. */
export const LIBLMDB = "dependencies/lmdb/libraries/liblmdb";
const LZ4 = "dependencies/lz4/lib";
const PATCH = join(ROOT, "native/lmdb/failing-disk.patch");

/** The sources of its binding.gyp. */
const C_UNITS = [`${LIBLMDB}/mdb.c`, `${LIBLMDB}/midl.c`, `${LIBLMDB}/chacha8.c`, `${LZ4}/lz4.c`];
const CXX_UNITS = [
  "lmdb-js",
  "writer",
  "env",
  "compression",
  "ordered-binary",
  "misc",
  "txn",
  "dbi",
  "cursor",
  "v8-functions",
].map((name) => `src/${name}.cpp`);

/** Files whose change makes the addon older than its sources. */
export const LMDB_SOURCES = [
  PATCH,
  join(ROOT, "native/lmdb/node_version.h"),
  // npm gives the files of a package no time of their own.
  join(ROOT, "package-lock.json"),
];

/** Copies the sources to `folder` and mends them there. Throws when the patch does not fit them. */
export function patchedLmdb(folder) {
  for (const name of [LIBLMDB, LZ4, "src"])
    cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
  const args = ["--strip=1", "--forward", "--fuzz=0", "--batch", "--silent", "--input", PATCH];
  const { status, error, stdout, stderr } = spawnSync("patch", args, { cwd: folder, encoding: "utf8" });
  if (error !== undefined)
    throw new Error(`cannot run patch: ${error.message}. Install it: apt-get install patch`);
  if (status !== 0) throw new Error(`${PATCH} does not fit ${PACKAGE}: ${stdout}${stderr}`);
}

/** [file, flags] of each unit of the addon; the mended sources go to `scratch`. */
export function lmdbUnits(scratch) {
  patchedLmdb(scratch);
  const common = [
    ...addonFlags("lmdb"),
    "-O2",
    "-fvisibility=hidden",
    "-fstack-protector-strong",
    "-D_FORTIFY_SOURCE=2",
    "-DMDB_MAXKEYSIZE=0",
    "-DMDB_USE_ROBUST",
    // Warnings of sources that are not ours.
    "-w",
    `-I${join(scratch, LZ4)}`,
    `-I${join(scratch, LIBLMDB)}`,
    `-I${join(ROOT, "native/lmdb")}`,
  ];
  const cxx = ["-std=c++17", "-fvisibility-inlines-hidden", ...common];
  return [
    ...C_UNITS.map((name) => [join(scratch, name), common]),
    ...CXX_UNITS.map((name) => [join(scratch, name), cxx]),
  ];
}
