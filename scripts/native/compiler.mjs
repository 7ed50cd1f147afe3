/** The C and C++ compilers that build the native addons, for this machine or for another one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
/** The C++ compiler; it links too. */
export const CXX = process.env.CXX ?? "g++";
/** The C compiler that belongs to it. */
export const CC = process.env.CC ?? CXX.replace(/g\+\+/, "gcc").replace(/clang\+\+/, "clang");

const NODE_API_FLAGS = [
  "-fPIC",
  "-pthread",
  "-DNAPI_VERSION=8",
  "-DNAPI_DISABLE_CPP_EXCEPTIONS",
  "-isystem",
  join(ROOT, "node_modules/node-addon-api"),
  "-isystem",
  join(ROOT, "node_modules/node-api-headers/include"),
];

/** What each addon is compiled with. */
export function addonFlags(name) {
  return [...NODE_API_FLAGS, `-DNODE_GYP_MODULE_NAME=${name}`];
}

/** The folders of each addon's sources, and of what is beside them. */
const FOLDERS = {
  nvrd: ["", "volume", "packet", "process"].map((part) => join("native", part)),
  codec: ["", "decode", "picture", "encode", "sound", "motion"].map((part) => join("native/codec", part)),
};

/** The sources and headers of an addon. */
export function sourcesOf(name) {
  return FOLDERS[name].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(cc|h)$/.test(entry.name))
      .map((entry) => join(ROOT, folder, entry.name)),
  );
}

/**
 * Writes a file that includes those of `sources` that end in .cc, and returns it: compiled at once they take a third of the
 * processor time, because most of it goes into the headers that they share.
 */
export function unitOf(sources, file) {
  const included = sources.filter((source) => source.endsWith(".cc")).sort();
  writeFileSync(file, included.map((source) => `#include ${JSON.stringify(source)}\n`).join(""));
  return file;
}

/** Links the objects of `units`, [file, flags] each, into `output`; at most one compiler a processor at once. */
export async function buildShared({ units, output, scratch, libraries = [] }) {
  const waiting = [...units];
  const work = async () => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      const [file, flags] = unit;
      await compile(file.endsWith(".c") ? CC : CXX, [...flags, "-c", "-o", objectOf(file, scratch), file]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const objects = units.map(([file]) => objectOf(file, scratch));
  await compile(CXX, ["-shared", "-pthread", "-o", output, ...objects, ...libraries]);
}

function objectOf(file, scratch) {
  return join(scratch, `${basename(file)}.o`);
}

/** Throws when the compiler fails; its output goes to our own streams. */
async function compile(compiler, args) {
  const child = spawn(compiler, args, { stdio: "inherit" });
  const [code] = await once(child, "close").catch((error) => {
    throw new Error(`cannot run ${compiler}: ${error.message}`);
  });
  if (code !== 0) throw new Error(`${compiler} failed`);
}
