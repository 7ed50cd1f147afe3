/**
 * The modules of src/ as the build made them: test files that import `src/…` get `dist/…`, which Node loads itself.
 * Otherwise each process of the run transforms and links the same hundreds of modules again, at twice the processor time.
 * `npm test` asks for it, because it builds first; `npx vitest run FILE` runs from the sources as they are.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** Set by `npm test`. */
export const TESTS_BUILT_MODULES = process.env.NVRD_TEST_BUILT === "1";

/** A file that replaces modules under those that it tests: vitest does that to the modules that it loads itself. */
const REPLACES_MODULES = /\bvi\.(?:mock|doMock)\(/;

/** The built file of the module that `importer` calls `source`; undefined where the source itself is to be loaded. */
export function builtModule(root, source, importer) {
  if (!source.startsWith(".") || !importer.startsWith(join(root, "test") + sep)) return undefined;
  const file = resolve(dirname(importer), source);
  const sources = join(root, "src") + sep;
  // The page is built for a browser, as one file.
  if (!file.startsWith(sources) || !existsSync(file.replace(/\.js$/, ".ts"))) return undefined;
  const built = join(root, "dist", file.slice(sources.length));
  if (!existsSync(built) || REPLACES_MODULES.test(readFileSync(importer, "utf8"))) return undefined;
  return built;
}

/** A plugin for vitest.config.ts; `server.deps.external` says there that the files are Node's. */
export function builtModules(root) {
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined) return undefined;
      return builtModule(root, source, importer.split("?", 1)[0]);
    },
  };
}
