/** Of installed npm packages, the files that a program can load, told by walking from module to module. */
import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { nodeFileTrace } from "@vercel/nft";

/** What a package says of itself: who passes its code on passes on its licence, and lists it (scripts/image/sbom.mjs). */
const OWN_WORDS = /^(?:package\.json$|licen[cs]e|notice|copying|third[-_ ]?party)/i;
/** What a binary loads by itself, which no module names. */
const SHARED_LIBRARY = /\.so(?:\.[\d.]+)?$/;
const MODULES = "node_modules/";

/**
 * Removes from `modules` (a node_modules) what `import` and `require` of the packages `loaded` cannot load. Of those whose code
 * is `elsewhere`, and of what they need, package.json and licences stay; shared libraries stay all. Throws when one of
 * either is not there.
 * @param {string} modules
 * @param {{ loaded: string[], elsewhere: string[] }} names
 */
export async function keepLoadedFiles(modules, { loaded, elsewhere }) {
  const base = dirname(realpathSync(modules));
  for (const name of [...loaded, ...elsewhere])
    if (!existsSync(join(modules, name, "package.json")))
      throw new Error(`${name}: there is none in ${modules}`);
  const kept = await loadedFiles(base, loaded);
  const others = await loadedFiles(base, elsewhere);
  const packages = new Set([...kept, ...others].map(packageOf));
  for (const name of elsewhere) packages.add(`${MODULES}${name}`);
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ name: entry.name, path: join(realpathSync(entry.parentPath), entry.name) }));
  for (const { name, path } of files) {
    const place = relative(base, path);
    const says = OWN_WORDS.test(name) && packages.has(packageOf(place));
    if (!kept.has(place) && !says && !SHARED_LIBRARY.test(name)) rmSync(path);
  }
  removeEmptyFolders(modules);
}

/** The folder of the package that a file below a node_modules is of. */
function packageOf(file) {
  const start = file.lastIndexOf(MODULES) + MODULES.length;
  const parts = file.slice(start).split("/");
  return file.slice(0, start) + parts.slice(0, parts[0]?.startsWith("@") ? 2 : 1).join("/");
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
