/**
 * The modules of src/ as the build made them: test files that import `src/…` get the file of a built folder, which Node
 * loads itself. Otherwise each process of the run transforms and links the same hundreds of modules again, at twice the
 * processor time. `npm test` names the folder by NVRD_TEST_MODULES, because it builds first; `npx vitest run FILE` runs
 * from the sources as they are.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/**
 * The file in `folder` of the module that `importer` calls `source`; undefined where the source itself is to be loaded.
 * @param {{ root: string, folder: string }} places The checkout, and the folder of the built modules.
 * @param {string} source
 * @param {string} importer
 */
export function builtModule({ root, folder }, source, importer) {
  if (!source.startsWith(".") || !importer.startsWith(join(root, "test") + sep)) return undefined;
  const file = resolve(dirname(importer), source);
  const sources = join(root, "src") + sep;
  // The page is built for a browser, as one file.
  if (!file.startsWith(sources) || !existsSync(file.replace(/\.js$/, ".ts"))) return undefined;
  const built = join(folder, file.slice(sources.length));
  return existsSync(built) ? built : undefined;
}

/** A plugin for vitest.config.ts; `server.deps.external` says there that the files of the folder are Node's. */
export function builtModules(places) {
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined) return undefined;
      return builtModule(places, source, importer.split("?", 1)[0]);
    },
  };
}
