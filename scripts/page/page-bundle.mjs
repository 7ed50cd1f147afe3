/** The page's modules as files: bundled and minified by rolldown. `scripts/page.mjs` names, compresses and lists them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { rolldown } from "rolldown";

/** Style sheets of what is shown first, in the order of their weight; those of screens come with these. */
const FIRST_STYLES = [
  "style/tokens.css",
  "style/base.css",
  "control/control.css",
  "style/shell.css",
  "wall/wall.css",
];

/** What is shown first is one file, and its words one a language; the rest is split as its imports are. */
const GROUPS = [
  { name: "main", tags: ["$initial"] },
  { name: "words-en", test: /\/page\/words\/en\/(?:common|login|wall)\.ts$/ },
  { name: "words-ru", test: /\/page\/words\/ru\/(?:common|login|wall)\.ts$/ },
];

/**
 * The page's program.
 * @param {string} source The folder of the page's sources.
 * @returns {Promise<readonly import("rolldown").OutputChunk[]>}
 */
export async function bundlePage(source) {
  const imported = new Set();
  const output = await bundled(source, "main.ts", {
    plugins: [styleSheets(imported)],
    output: {
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: ({ name, facadeModuleId }) => `${nameOf(source, facadeModuleId) ?? name}-[hash].js`,
      codeSplitting: { groups: GROUPS.map((group) => ({ ...group, includeDependenciesRecursively: false })) },
    },
  });
  const forgotten = sheetNames(source).filter(
    (name) => !FIRST_STYLES.includes(name) && !imported.has(join(source, name)),
  );
  if (forgotten.length > 0) throw new Error(`the page: no module imports ${forgotten.join(", ")}`);
  return output;
}

/** A file is named by the module that it is fetched for: `settings-disks-screen`. */
function nameOf(source, id) {
  return (
    id &&
    relative(source, id)
      .replace(/\.tsx?$/, "")
      .replaceAll("/", "-")
  );
}

/** What runs without a page: one file without imports. */
export async function bundleAlone(source, name) {
  const [chunk] = await bundled(source, name, {});
  return chunk.code;
}

async function bundled(source, name, { plugins = [], output }) {
  const build = await rolldown({
    cwd: source,
    input: join(source, name),
    platform: "browser",
    preserveEntrySignatures: false,
    tsconfig: join(source, "tsconfig.json"),
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    plugins,
    // The contract defines and does nothing else: a screen comes with what it uses of it.
    treeshake: { moduleSideEffects: [{ test: /\/src\/contract\//, sideEffects: false }] },
    // How long plugins took says something of the machine, not of the sources.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(`the page: ${message}`);
    },
  });
  try {
    const comments = { legal: true, annotation: false, jsdoc: false };
    return (await build.generate({ format: "esm", minify: true, comments, ...output })).output;
  } finally {
    await build.close();
  }
}

/** A style sheet that a module imports comes with it: it applies from when the module is there. */
function styleSheets(imported) {
  return {
    name: "style-sheets",
    load: (id) => {
      if (!id.endsWith(".css")) return undefined;
      imported.add(id);
      const text = JSON.stringify(plainSheet(readFileSync(id, "utf8")));
      const code = `const sheet = new CSSStyleSheet(); sheet.replaceSync(${text}); document.adoptedStyleSheets.push(sheet);`;
      return { code, moduleType: "js", moduleSideEffects: true };
    },
  };
}

/** The style sheet of what is shown first. */
export function firstSheet(source) {
  refuseSharedClasses(source);
  return FIRST_STYLES.map((name) => plainSheet(readFileSync(join(source, name), "utf8"))).join("");
}

/** A style sheet without comments and indents. */
function plainSheet(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trimStart();
}

function sheetNames(source) {
  return readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith(".css"))
    .sort();
}

/** All sheets that were loaded apply: a class that two folders define would change the other folder's screens. */
function refuseSharedClasses(source) {
  const folderOf = new Map();
  for (const name of sheetNames(source)) {
    const [folder] = name.split("/");
    for (const [, className] of readFileSync(join(source, name), "utf8").matchAll(/^\s*\.([\w-]+)/gm)) {
      const first = folderOf.get(className) ?? folder;
      if (first !== folder)
        throw new Error(
          `the page: the class ${className} is defined in ${first}/ and in ${folder}/; rename one`,
        );
      folderOf.set(className, first);
    }
  }
}
