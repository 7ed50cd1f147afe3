import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { RootDatabase, RootDatabaseOptionsWithPath } from "lmdb";
import { NvrdError } from "../../base/index.js";

/** The checkout or the installed folder: the same from `src`, `dist` and a bundle. */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Where the package looks for its addon below the folder that LMDB_PREBUILD names. */
const ADDON = `${ROOT}build/Release/lmdb.node`;

type Library = typeof import("lmdb");

let library: Library | undefined;

/** Loaded by the first who opens an environment, and as one file: as modules it takes twice the time. */
function loadLibrary(): Library {
  if (library !== undefined) return library;
  if (!existsSync(ADDON))
    throw new NvrdError("NOT_AVAILABLE", `${ADDON} is missing: build it with npm run build`);
  // The package reads the variable when it is loaded. Its own binary is never loaded: with that one a failing system disk
  // damages the heap of the process (native/lmdb/failing-disk.patch).
  process.env.LMDB_PREBUILD = ROOT;
  library = createRequire(import.meta.url)("lmdb") as Library;
  return library;
}

/** lmdb's `open`, over the addon that is built here. Throws NvrdError NOT_AVAILABLE where that is missing. */
export function openLmdb<V, K extends string | Buffer>(
  options: RootDatabaseOptionsWithPath,
): RootDatabase<V, K> {
  return loadLibrary().open<V, K>(options);
}
