/**
 * Builds the native addons with plain g++ and the headers of node-addon-api and node-api-headers: nothing is
 * downloaded. native/*.cc becomes nvrd.node, native/codec/*.cc (over Debian's libav*) becomes codec.node. An addon that
 * is newer than its sources is left alone.
 *
 *   node scripts/build-native.mjs [--force] [--output DIRECTORY]
 *
 * DIRECTORY is `build` by default. To build for another machine set CXX and PKG_CONFIG (or PKG_CONFIG_LIBDIR), for
 * instance CXX=aarch64-linux-gnu-g++ PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: flags } = parseArgs({
  options: { force: { type: "boolean", default: false }, output: { type: "string" } },
});
const directory = flags.output === undefined ? join(root, "build") : resolve(flags.output);
const compiler = process.env.CXX ?? "g++";
const pkgConfig = process.env.PKG_CONFIG ?? "pkg-config";

const CODEC_LIBRARIES = ["libavcodec", "libavutil", "libswscale", "libswresample"];
const CODEC_PACKAGES = "pkg-config libavcodec-dev libavutil-dev libswscale-dev libswresample-dev";

const COMPILER_FLAGS = [
  "-std=c++17",
  "-O2",
  "-fPIC",
  "-pthread",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-fstack-protector-strong",
  "-D_FORTIFY_SOURCE=2",
  "-D_FILE_OFFSET_BITS=64",
  "-DNAPI_VERSION=8",
  "-DNAPI_DISABLE_CPP_EXCEPTIONS",
  // A worker thread that is being ended can neither run nor be thrown at: without this that ends the whole process.
  "-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
  "-isystem",
  join(root, "node_modules/node-addon-api"),
  "-isystem",
  join(root, "node_modules/node-api-headers/include"),
];

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cc|h)$/.test(entry.name))
    .map((entry) => join(root, folder, entry.name));
}

/** Builds `folder` into `name`.node unless that is up to date. `libraryFlags` is asked only when it is built. */
async function buildAddon({ name, folder, libraryFlags }) {
  const output = join(directory, `${name}.node`);
  const sources = sourcesIn(folder);
  const newest = Math.max(...[...sources, fileURLToPath(import.meta.url)].map(modifiedMs));
  if (!flags.force && modifiedMs(output) >= newest) return;
  const libraries = libraryFlags();
  if (libraries === undefined) return;
  mkdirSync(directory, { recursive: true });
  // Built beside and renamed: a service that has the old addon mapped keeps it whole.
  const scratch = mkdtempSync(join(directory, `${name}-`));
  try {
    const compilerFlags = [...COMPILER_FLAGS, `-DNODE_GYP_MODULE_NAME=${name}`, ...libraries];
    const units = sources.filter((path) => path.endsWith(".cc"));
    const objects = await compileAll(units, compilerFlags, scratch);
    const unfinished = join(scratch, `${name}.node`);
    await compile(["-shared", "-pthread", "-o", unfinished, ...objects, ...libraries]);
    renameSync(unfinished, output);
  } catch (error) {
    console.error(
      `native build: ${name}: ${error.message}. Install g++ (apt-get install g++) and try again.`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The object files of `units`, as many compilers at once as there are processors. */
async function compileAll(units, compilerFlags, scratch) {
  const waiting = [...units];
  const work = async () => {
    for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop())
      await compile([...compilerFlags, "-c", "-o", objectOf(unit, scratch), unit]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return units.map((unit) => objectOf(unit, scratch));
}

function objectOf(unit, scratch) {
  return join(scratch, `${basename(unit)}.o`);
}

/** Throws with the reason when the compiler does not succeed; what it says goes to our own streams. */
async function compile(args) {
  const child = spawn(compiler, args, { stdio: "inherit" });
  const [code] = await once(child, "close").catch((error) => {
    throw new Error(`cannot run ${compiler}: ${error.message}`);
  });
  if (code !== 0) throw new Error(`${compiler} failed`);
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

await buildAddon({ name: "nvrd", folder: "native", libraryFlags: () => [] });
await buildAddon({ name: "codec", folder: "native/codec", libraryFlags: codecLibraryFlags });
