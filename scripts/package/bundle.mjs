/**
 * The program of a package as few files instead of some 700: opening, linking and compiling each module is most of the cost of a
 * start on a small box (docs/design/appliance.md). Entries are dist/cli.js and every script that a module
 * starts as a thread or a child by `builtScript(import.meta.url, "name")`; they keep their places, so that they are found as
 * before. The same modules make the same bytes.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { plainExports } from "./plain-exports.mjs";
import { sourceLines } from "./source-lines.mjs";
import { nodesOf } from "./syntax.mjs";

/**
 * Packages that every start loads and that are nothing but JavaScript: they are taken in with what they need. Not those with
 * native parts, those that look for files of theirs, and those that are loaded only when they are asked for.
 */
export const BUNDLED_PACKAGES = ["fast-xml-parser", "ipaddr.js", "pino", "sdp-transform", "valibot"];
const LOADER = fileURLToPath(new URL("loader.cjs", import.meta.url));
const MAIN_ENTRY = "cli";
const HTTP = "node:http";
/** Modules of Node that a start does not need: the first call of a function of theirs, or `new`, loads them. */
const LATE_BUILTINS = [
  "node:child_process",
  "node:dns",
  "node:dns/promises",
  "node:https",
  "node:readline",
  "node:stream/promises",
  "node:tls",
];
const DECLARATIONS = new Set([
  "ClassDeclaration",
  "ExportAllDeclaration",
  "ExportNamedDeclaration",
  "FunctionDeclaration",
  "ImportDeclaration",
  "VariableDeclaration",
]);
const STARTERS = new Set(["Worker", "fork", "startScript"]);
/** Starts what `startScript` is given. */
const STARTING = "base/process/start-program.js";
/** What loader.cjs gives a file of the main program: what Node gives a CommonJS module, and what stands for `import()`. */
const LOADED_WITH = "exports, require, module, __filename, __dirname, importOutside";
/** An import of a package, at run time. */
const OUTSIDE_IMPORT = /\bimport\(("[^"]+")\)/g;
/** Stands for a module's own address until it is known in which file, how deep, it ends. */
const ADDRESS_MARK = /__nvrd_address_of__\("([^"]+)"\)/g;

/**
 * Makes `<folder>/bundle` of `<folder>/dist` (one file a module, from tsc). The packages come from `<folder>/node_modules`.
 * Throws when a module does something that a bundle cannot reproduce: the message names the module and the remedy.
 * @param {string} folder
 * @returns {Promise<string[]>} The files made of modules, relative to the bundle.
 */
export async function bundleService(folder) {
  return bundleAt(realpathSync(folder));
}

async function bundleAt(folder) {
  const dist = join(folder, "dist");
  const unfinished = join(folder, "bundle.unfinished");
  const bundle = join(folder, "bundle");
  rmSync(unfinished, { recursive: true, force: true });
  const modules = readModules(dist);
  const late = new Map(LATE_BUILTINS.map((name) => [name, importedNames(modules, name)]));
  const common = { folder, dist, target: unfinished, httpNames: importedNames(modules, HTTP), late };
  const main = await writeBundle({ ...common, entry: MAIN_ENTRY, split: true });
  const files = [...main];
  // Threads and children share nothing with the main program but code: each loads one file.
  for (const entry of startedScripts(modules))
    files.push(...(await writeBundle({ ...common, entry, split: false })));
  writeFileSync(join(unfinished, "source-lines"), sourceLines(main.filter(({ map }) => map !== null)));
  // The folder that a bundle lies in is one of ECMAScript modules.
  writeFileSync(join(unfinished, "package.json"), '{ "type": "commonjs" }\n');
  copyFileSync(LOADER, join(unfinished, "loader.js"));
  // bin/nvrd compares it with what dist/ is when it starts.
  const compiled = join(dist, ".tsbuildinfo");
  if (existsSync(compiled))
    writeFileSync(
      join(unfinished, "made-of"),
      createHash("sha256").update(readFileSync(compiled)).digest("hex"),
    );
  // A service that runs from it may start a thread meanwhile: it finds the old file or the new one.
  const old = join(folder, "bundle.old");
  rmSync(old, { recursive: true, force: true });
  if (existsSync(bundle)) renameSync(bundle, old);
  renameSync(unfinished, bundle);
  rmSync(old, { recursive: true, force: true });
  return files.map(({ name }) => name).sort();
}

/** The written files: `{ name, map }`. */
async function writeBundle({ folder, dist, entry, target, split, httpNames, late }) {
  const bundle = await rolldown({
    cwd: folder,
    input: { [entry]: join(dist, `${entry}.js`) },
    platform: "node",
    external: (id, importer) => isExternal(id, importer, dist),
    // A thread must not load the log or the schemas for one function of a room: what it does not use of ours goes.
    treeshake: { moduleSideEffects: (id) => !id.startsWith(dist + sep) },
    plugins: [moduleAddresses(dist), plainHttp(httpNames), lateBuiltins(dist, late)],
    // How long plugins took says something of the machine, not of the sources.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(`the bundle of dist/${entry}.js: ${message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      dir: target,
      // One script can have a code cache; a module cannot.
      format: "cjs",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: split,
      sourcemap: "hidden",
      // Names stay, because crash reports show them; a start is no faster without them.
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    return output
      .filter(({ type }) => type === "chunk")
      .map((chunk) => {
        writeFile(join(target, chunk.fileName), settled(chunk, split));
        return { name: chunk.fileName, map: chunk.map };
      });
  } finally {
    await bundle.close();
  }
}

function writeFile(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text of a file, line for line: addresses of modules, plain exports, imports of the loader, and nothing but ASCII (loader.cjs). */
function settled({ fileName, code }, isLoaded) {
  const addressed = plainExports(code).replaceAll(ADDRESS_MARK, (_mark, module) => {
    const path = posix.relative(posix.dirname(fileName), module);
    return `require("node:url").pathToFileURL(require("node:path").join(__dirname, "${path}")).href`;
  });
  const loaded = isLoaded
    ? `(function (${LOADED_WITH}) { ${addressed.replaceAll(OUTSIDE_IMPORT, "importOutside($1)")}\n})`
    : addressed;
  return loaded.replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Own modules and the bundled packages' own dependencies are taken in. */
function isExternal(id, importer, dist) {
  const isOwn = importer === undefined || importer.startsWith(dist + sep);
  if (/^[./\0]/.test(id) || id === HTTP || (isOwn && LATE_BUILTINS.includes(id))) return false;
  if (isBuiltin(id)) return true;
  if (!isOwn) return false;
  return !BUNDLED_PACKAGES.includes(packageName(id));
}

function packageName(id) {
  return id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
}

/** A module that looks for files beside itself goes on doing so from the place it had before. */
function moduleAddresses(dist) {
  return {
    name: "module-addresses",
    // tsc's own map leads to the source.
    load(id) {
      if (!id.startsWith(dist + sep)) return null;
      const map = existsSync(`${id}.map`) ? readFileSync(`${id}.map`, "utf8") : null;
      const module = relative(dist, id).split(sep).join("/");
      const code = readFileSync(id, "utf8").replaceAll("import.meta.url", `__nvrd_address_of__("${module}")`);
      return { code, map };
    },
  };
}

/**
 * `import … from "node:http"` reads all that the module has, its WebSocket among it, for which Node then loads a whole client
 * of HTTP that nobody here uses: a tenth of what a start compiles. Asked for as an object it gives what is used.
 */
function plainHttp(names) {
  const id = `\0${HTTP}`;
  return {
    name: "plain-http",
    resolveId: (source) => (source === HTTP ? { id, moduleSideEffects: false } : null),
    load: (loaded) =>
      loaded === id
        ? `const http = process.getBuiltinModule("${HTTP}");\n${names.map((name) => `export const ${name} = http.${name};`).join("\n")}\n`
        : null,
  };
}

/** Own modules import functions and classes of `late` (names by module) that load the module when they are used. */
function lateBuiltins(dist, late) {
  const mark = "\0late:";
  return {
    name: "late-builtins",
    resolveId: (source, importer) =>
      late.has(source) && importer?.startsWith(dist + sep)
        ? { id: mark + source, moduleSideEffects: false }
        : null,
    load(id) {
      if (!id.startsWith(mark)) return null;
      const source = id.slice(mark.length);
      const lines = late
        .get(source)
        .map(
          (name) =>
            `export function ${name}(...values) { const found = process.getBuiltinModule("${source}").${name}; return new.target === undefined ? found(...values) : new found(...values); }`,
        );
      return `${lines.join("\n")}\n`;
    },
  };
}

/** The names that own modules import from `source`, sorted. */
function importedNames(modules, source) {
  const imports = modules.flatMap(({ program }) =>
    program.body.filter((entry) => entry.type === "ImportDeclaration" && entry.source.value === source),
  );
  const names = imports.flatMap(({ specifiers }) => specifiers.map(({ imported }) => imported?.name));
  if (names.includes(undefined)) throw new Error(`dist: import the names that are used of ${source}`);
  return [...new Set(names)].sort();
}

/** Own modules: `{ file, program }`, path relative to `dist` and syntax tree; sorted. */
export function readModules(dist) {
  const names = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".js"));
  const files = names.map((name) => name.split(sep).join("/")).sort();
  return files.map((file) => {
    const text = readFileSync(join(dist, file), "utf8");
    return { file, program: parseAst(text, undefined, file) };
  });
}

/**
 * The scripts that modules start, by their names without `.js`, relative to dist; sorted. Throws when a module does something that
 * a bundle cannot reproduce.
 */
export function startedScripts(modules) {
  const files = modules.map(({ file }) => file);
  const scripts = new Set(modules.flatMap(({ file, program }) => scriptsOf(program, file, files)));
  const acting = new Set([MAIN_ENTRY, ...scripts].map((name) => `${name}.js`));
  for (const { file, program } of modules) {
    if (!acting.has(file)) onlyDeclares(program, file);
    onlyCallsLate(program, file);
  }
  return [...scripts].sort();
}

function scriptsOf(program, file, files) {
  const scripts = [];
  const refuse = (reason) => {
    throw new Error(`dist/${file}: ${reason}; start it by builtScript(import.meta.url, "its-name")`);
  };
  for (const { node, parent } of nodesOf(program)) {
    if (isCallOf(node, "builtScript")) {
      const [address, name] = node.arguments;
      if (address?.type !== "MemberExpression" || typeof name?.value !== "string")
        refuse("which script builtScript() names cannot be read");
      const script = posix.join(posix.dirname(file), name.value);
      if (!files.includes(`${script}.js`)) refuse(`builtScript() names ${script}.js, which is not there`);
      scripts.push(script);
    } else if (file !== STARTING && isStart(node) && !isCallOf(node.arguments[0], "builtScript"))
      refuse("it starts a thread or a child that the bundle does not know");
    else if (node.type === "Literal" && typeof node.value === "string" && !isImport(parent)) {
      const named = posix.join(posix.dirname(file), node.value);
      if (files.includes(named)) refuse(`it names ${named}, which a bundle does not have`);
    } else if (node.type === "MetaProperty" && parent.property?.name !== "url")
      refuse("it uses import.meta for more than its url");
  }
  return scripts;
}

function isCallOf(node, name) {
  return node?.type === "CallExpression" && node.callee.name === name;
}

function isStart(node) {
  return (node.type === "CallExpression" || node.type === "NewExpression") && STARTERS.has(node.callee.name);
}

function isImport(parent) {
  return /^(?:Import|Export)/.test(parent.type);
}

/** A module with side effects on loading could be left out or moved, and its effects with it. */
function onlyDeclares(program, file) {
  const statement = program.body.find((entry) => !isDeclaration(entry));
  if (statement === undefined) return;
  const line = `${statement.type} at ${statement.start}`;
  throw new Error(`dist/${file}: does something when it is loaded (${line}); do it in a function`);
}

/** What stands for a function of LATE_BUILTINS (lateBuiltins) can be called or given to others, and is nothing more. */
function onlyCallsLate(program, file) {
  const imports = program.body.filter(
    ({ type, source }) => type === "ImportDeclaration" && LATE_BUILTINS.includes(source.value),
  );
  const late = new Set(imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)));
  if (late.size === 0) return;
  for (const { node } of nodesOf(program)) {
    const name = usedAsMore(node).find((used) => used?.type === "Identifier" && late.has(used.name))?.name;
    if (name === undefined) continue;
    throw new Error(
      `dist/${file}: uses ${name} as more than a function; take it by process.getBuiltinModule()`,
    );
  }
}

/** What a node needs the class, the members or the own meaning for `promisify` of. */
function usedAsMore(node) {
  if (node.type === "BinaryExpression" && node.operator === "instanceof") return [node.right];
  if (node.type === "ClassDeclaration" || node.type === "ClassExpression") return [node.superClass];
  if (node.type === "MemberExpression") return [node.object];
  return isCallOf(node, "promisify") ? node.arguments : [];
}

function isDeclaration({ type, specifiers, source }) {
  // `import "./x.js"` is for what x does.
  if (type === "ImportDeclaration") return specifiers.length > 0 || isBuiltin(source.value);
  return DECLARATIONS.has(type);
}
