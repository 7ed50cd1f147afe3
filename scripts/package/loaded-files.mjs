/** Of installed npm packages, the files that a program can load, told by walking from module to module. */
import { readdirSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { nodeFileTrace } from "@vercel/nft";

/** Stay wherever they lie: who passes a package on passes on its licence, that of a package inside a bundle too. */
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying|third[-_ ]?party)/i;
/** What a binary loads by itself, which no module names. */
const SHARED_LIBRARY = /\.so(?:\.[\d.]+)?$/;

/**
 * Removes from `modules` (a node_modules) what `import` and `require` of the packages `names` cannot load. Licences and
 * shared libraries stay. Throws when a package cannot be found, or names a module of its own that is not there.
 * @param {string} modules
 * @param {string[]} names
 */
export async function keepLoadedFiles(modules, names) {
  const base = dirname(realpathSync(modules));
  const loaded = await loadedFiles(base, names);
  for (const name of names)
    if (!loaded.has(join("node_modules", name, "package.json")))
      throw new Error(`${name}: nothing of it is found below ${modules}`);
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ name: entry.name, path: join(realpathSync(entry.parentPath), entry.name) }));
  for (const { name, path } of files)
    if (!loaded.has(relative(base, path)) && !LICENCE_FILE.test(name) && !SHARED_LIBRARY.test(name))
      rmSync(path);
  removeEmptyFolders(modules);
}

/** Paths relative to `base`. A package may have one module for `import` and another one for `require`. */
async function loadedFiles(base, names) {
  const kinds = { "packages.mjs": "import", "packages.cjs": "require" };
  const entries = Object.entries(kinds).map(([file, word]) => ({
    path: join(base, file),
    text: names.map((name) => `${word}(${JSON.stringify(name)});`).join("\n"),
  }));
  try {
    for (const { path, text } of entries) writeFileSync(path, text);
    const paths = entries.map(({ path }) => path);
    const { fileList } = await nodeFileTrace(paths, { base, processCwd: base });
    return fileList;
  } finally {
    for (const { path } of entries) rmSync(path, { force: true });
  }
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
