/**
 * Builds the native addons with plain gcc and g++ and the headers of node-addon-api and node-api-headers: nothing is
 * downloaded. native/ becomes nvrd.node, native/codec/ (over Debian's libav*) becomes codec.node, the sources of
 * the npm package lmdb with native/lmdb/failing-disk.patch become Release/lmdb.node. An addon that is newer than its
 * sources is left alone.
 *
 *   node scripts/build-native.mjs [--force] [--output DIRECTORY] [--only nvrd|lmdb|codec]
 *
 * DIRECTORY is `build` by default. To build for another machine set CXX and PKG_CONFIG (or PKG_CONFIG_LIBDIR), for
 * instance CXX=aarch64-linux-gnu-g++ PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addonFlags, buildShared, ROOT, sourcesOf, unitOf } from "./native/compiler.mjs";
import { LMDB_SOURCES, lmdbUnits } from "./native/lmdb.mjs";

const { values: flags } = parseArgs({
  options: {
    force: { type: "boolean", default: false },
    output: { type: "string" },
    only: { type: "string" },
  },
});
const directory = flags.output === undefined ? join(ROOT, "build") : resolve(flags.output);
const pkgConfig = process.env.PKG_CONFIG ?? "pkg-config";

const CODEC_LIBRARIES = ["libavcodec", "libavutil", "libswscale", "libswresample"];
const CODEC_PACKAGES = "pkg-config libavcodec-dev libavutil-dev libswscale-dev libswresample-dev";

const OWN_FLAGS = [
  "-std=c++17",
  "-O2",
  // The same results on each machine.
  "-ffp-contract=off",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-fstack-protector-strong",
  "-D_FORTIFY_SOURCE=2",
  "-D_FILE_OFFSET_BITS=64",
  // A worker thread that is ending can neither run JavaScript nor take an exception; without this it aborts the process.
  "-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
];

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Builds the addon `name`. `libraryFlags` is called only for a build; undefined: the libraries are missing. */
async function buildOwn({ name, libraryFlags }) {
  const sources = sourcesOf(name);
  await buildAddon({
    output: `${name}.node`,
    sources,
    unitsIn: (scratch) => {
      const libraries = libraryFlags();
      if (libraries === undefined) return undefined;
      const unit = unitOf(sources, join(scratch, `${name}.cc`));
      return { units: [[unit, [...OWN_FLAGS, ...addonFlags(name), ...libraries]]], libraries };
    },
  });
}

/** Builds `output` from the units of `unitsIn(scratch)`, unless it is newer than `sources` and the scripts. */
async function buildAddon({ output, sources, unitsIn }) {
  const target = join(directory, output);
  const scripts = [fileURLToPath(import.meta.url), join(ROOT, "scripts/native/compiler.mjs")];
  if (!flags.force && modifiedMs(target) >= Math.max(...[...sources, ...scripts].map(modifiedMs))) return;
  mkdirSync(dirname(target), { recursive: true });
  const name = basename(output, ".node");
  // Built under another name, then renamed: a running service keeps the addon that it has mapped.
  const scratch = mkdtempSync(join(directory, `${name}-`));
  try {
    const parts = unitsIn(scratch);
    if (parts === undefined) return;
    console.log(`native build: ${name}.node from ${parts.units.length} files`);
    const unfinished = join(scratch, `${name}.node`);
    await buildShared({ ...parts, output: unfinished, scratch });
    renameSync(unfinished, target);
  } catch (error) {
    console.error(
      `native build: ${name}: ${error.message}. Install g++ (apt-get install g++) and try again.`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Undefined, after a message, where libav* is not installed: nvrd records without it and makes no pictures. */
function codecLibraryFlags() {
  const [command, ...args] = pkgConfig.split(" ");
  const result = spawnSync(command, [...args, "--cflags", "--libs", ...CODEC_LIBRARIES], {
    encoding: "utf8",
  });
  if (result.error === undefined && result.status === 0) {
    // Headers of a library as system headers: our warnings are about our code.
    return result.stdout
      .trim()
      .split(/\s+/)
      .map((flag) => flag.replace(/^-I/, "-isystem"));
  }
  const reason = result.error?.message ?? result.stderr.trim().split("\n")[0];
  console.error(
    `native build: no codec.node, pictures and transcoding will be missing: ${reason}. ` +
      `Install them: apt-get install ${CODEC_PACKAGES}`,
  );
  return undefined;
}

const isWanted = (name) => flags.only === undefined || flags.only === name;

if (isWanted("nvrd")) await buildOwn({ name: "nvrd", libraryFlags: () => [] });
if (isWanted("lmdb"))
  await buildAddon({
    // node-gyp's usual place, where the package looks (src/kept/lmdb/library.ts).
    output: "Release/lmdb.node",
    sources: [...LMDB_SOURCES, join(ROOT, "scripts/native/lmdb.mjs")],
    unitsIn: (scratch) => ({ units: lmdbUnits(scratch) }),
  });
if (isWanted("codec")) await buildOwn({ name: "codec", libraryFlags: codecLibraryFlags });
