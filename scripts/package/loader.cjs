/**
 * Loads the program of a bundle (bundle.mjs), which has this beside it as `loader.js`.
 *
 * The code that V8 made of the program and of the packages that it loads was kept in `code.cache` (code-cache.mjs): without it, V8 reads and compiles two megabytes
 * of JavaScript at each start. A cache that is missing, damaged, of other files or of another Node is not used: that costs
 * time and nothing else. A program that was installed without one makes it at its first start, in the directory that the service manager
 * gave it for caches (keepCode). Stack traces name the source files and their lines (`source-lines`, read by the first stack trace).
 */
"use strict";
const { createHash } = require("node:crypto");
const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

const CACHE_FILE = path.join(__dirname, "code.cache");
const LINES_FILE = path.join(__dirname, "source-lines");
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
/** What Node gives a CommonJS module. */
const PACKAGE_LOADED_WITH = "exports, require, module, __filename, __dirname";
const PACKAGES = `${path.sep}node_modules${path.sep}`;
/** A start has loaded by then what it needs of the cache; what is loaded later reads it again. */
const CACHE_KEPT_MS = 10_000;
/** A first start has ended by then on a slow box too, and V8 has not forgotten yet what it compiled for it. */
const KEEP_AFTER_MS = 30_000;
/** Between two scripts: what the code of one takes is not to add up. */
const KEEP_STEP_MS = 100;
/** Ten times what a start needs. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const OTHERS_WRITE = 0o022;
const KEPT_MODE = 0o600;

/** By path: the module that is loaded. */
const modules = new Map();
/** By path: its script, and what that was made of; only where they are to be saved, because a script keeps all of its code. */
let scripts;
const requireOutside = Module.createRequire(__filename);
/** A script whose code comes from a cache cannot `import()` itself. */
const importOutside = (name) => import(name);
let cache;
/** After how long the code of this start is kept, where it had none; undefined: not at all. */
let keepAfterMs;
let isFirst = true;
let sourceLines;

/** The exports of a file of the bundle, by its name. */
exports.load = (name) => load(path.join(__dirname, name));

/** From now on the scripts are kept, for saveCache(). */
exports.keepScripts = () => {
  scripts = new Map();
};

/** Keeps what V8 has compiled since keepScripts() for the next process. */
exports.saveCache = () => {
  writeFileSync(`${CACHE_FILE}.new`, cacheOf([...scripts].map(partOf)));
  renameSync(`${CACHE_FILE}.new`, CACHE_FILE);
};

/**
 * For a bundle without a cache of its own: where this start finds no code that fits in the service manager's directory for caches
 * (CACHE_DIRECTORY, systemd.exec(5)), it keeps there what V8 has compiled after `afterMs`, for the next one. To be called before load().
 */
exports.keepCode = (afterMs = KEEP_AFTER_MS) => {
  if (!existsSync(CACHE_FILE) && keptFile() !== undefined) keepAfterMs = afterMs;
};

/** Undefined where the service manager gave no directory. */
function keptFile() {
  const directory = process.env.CACHE_DIRECTORY ?? "";
  return path.isAbsolute(directory) ? path.join(directory, "code.cache") : undefined;
}

function keepScriptsOfThisStart() {
  scripts = new Map();
  setTimeout(() => {
    keepInSteps(keptFile()).catch(({ message }) =>
      process.emitWarning(`the code of this start was not kept, so the next one takes as long: ${message}`),
    );
  }, keepAfterMs).unref();
}

/** The main thread goes on with its work between two scripts. */
async function keepInSteps(file) {
  const directory = path.dirname(file);
  if (!isOurs(statSync(directory)))
    throw new Error(`${directory} must belong to root or to the service's user, and others must not write there`);
  const parts = [];
  const kept = [...scripts];
  scripts = undefined;
  for (const entry of kept) {
    parts.push(partOf(entry));
    await new Promise((resolve) => {
      setTimeout(resolve, KEEP_STEP_MS).unref();
    });
  }
  const all = cacheOf(parts);
  if (all.length > CACHE_BYTES_MAX) throw new Error(`it is ${all.length} bytes, more than ${CACHE_BYTES_MAX}`);
  await promises.rm(`${file}.new`, { force: true });
  await promises.writeFile(`${file}.new`, all, { flag: "wx", mode: KEPT_MODE });
  await promises.rename(`${file}.new`, file);
}

function partOf([file, { script, digest }]) {
  return { name: path.relative(__dirname, file), digest, code: script.createCachedData() };
}

function cacheOf(parts) {
  const list = parts.map(({ name, digest, code }) => ({ name, digest, bytes: code.length }));
  const body = packed(list, ...parts.map(({ code }) => code));
  return Buffer.concat([digestOf(body), body]);
}

/** Whether nobody but root and this user could have written it. */
function isOurs({ uid, mode }) {
  return (uid === 0 || uid === process.geteuid()) && (mode & OTHERS_WRITE) === 0;
}

function load(file) {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(file, module);
  const folder = path.dirname(file);
  const requireFrom = (id) => (id.startsWith(".") ? load(path.join(folder, id)) : requireOutside(id));
  compiled(file)(module.exports, requireFrom, module, file, folder, importOutside);
  return module.exports;
}

/** V8 takes its code for any source of the same length: what the code is for is compared here. */
function compiled(file) {
  const bytes = readFileSync(file);
  // A file is a function's text in ASCII: V8 keeps it as it was read, one byte for each character.
  return compiledText(file, bytes.toString("latin1"), bytes);
}

/** What the text of a file evaluates to; `bytes`: what the text was made of. */
function compiledText(file, text, bytes) {
  const digest = digestOf(bytes).toString("base64");
  cache ??= keptForStart(readCache());
  const entry = cache.get(path.relative(__dirname, file));
  const script = new vm.Script(text, {
    filename: file,
    ...(entry?.digest === digest ? { cachedData: entry.code } : {}),
  });
  const isKept = entry?.digest === digest && script.cachedDataRejected === false;
  if (isFirst && !isKept && keepAfterMs !== undefined) keepScriptsOfThisStart();
  isFirst = false;
  scripts?.set(file, { script, digest });
  return script.runInThisContext();
}

/**
 * Packages that a start loads as CommonJS are compiled by Node, which knows no cache: half of what lmdb takes. Files that are not in the
 * cache are left to Node, as are those after the start.
 */
const compileByNode = Module.prototype._compile;
Module.prototype._compile = function compilePackage(text, file, format, ...rest) {
  const isKnown = scripts !== undefined || cache?.has(path.relative(__dirname, file)) === true;
  // Node 22 comes here with ECMAScript modules too, for a package that requires one.
  const isPlain = format !== "module" && !text.startsWith("#!");
  if (!isKnown || !isPlain || !file.includes(PACKAGES))
    return compileByNode.call(this, text, file, format, ...rest);
  const whole = `(function (${PACKAGE_LOADED_WITH}) { ${text}\n})`;
  const run = compiledText(file, whole, whole);
  return run.call(this.exports, this.exports, Module.createRequire(file), this, file, path.dirname(file));
};

function keptForStart(entries) {
  setTimeout(() => {
    cache = undefined;
  }, CACHE_KEPT_MS).unref();
  return entries;
}

/** By name: `{ digest, code }`. Empty when there is no whole cache: V8 does not check its bytes, and would run damaged ones. */
function readCache() {
  try {
    const all = existsSync(CACHE_FILE) ? readFileSync(CACHE_FILE) : readKept(keptFile());
    if (all === undefined) return new Map();
    const body = all.subarray(DIGEST_BYTES);
    if (!digestOf(body).equals(all.subarray(0, DIGEST_BYTES))) return new Map();
    const { head, rest } = unpacked(body);
    let at = 0;
    const entries = head.map(({ name, digest, bytes }) => {
      at += bytes;
      return [name, { digest, code: rest.subarray(at - bytes, at) }];
    });
    return new Map(entries);
  } catch {
    return new Map();
  }
}

/** Undefined where there is none, or one that somebody else could have written: its code would run as the service. */
function readKept(file) {
  if (file === undefined || !isOurs(statSync(path.dirname(file)))) return undefined;
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(descriptor);
    const isUsable = facts.isFile() && facts.nlink === 1 && facts.size <= CACHE_BYTES_MAX && isOurs(facts);
    return isUsable ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** A list as JSON, behind its length, and bytes behind that. */
function packed(list, ...bytes) {
  const head = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...bytes]);
}

function unpacked(bytes) {
  const headEnd = LENGTH_BYTES + bytes.readUInt32LE(0);
  return { head: JSON.parse(bytes.toString("utf8", LENGTH_BYTES, headEnd)), rest: bytes.subarray(headEnd) };
}

function digestOf(bytes) {
  return createHash("sha256").update(bytes).digest();
}

Error.prepareStackTrace = (error, sites) => {
  let title;
  try {
    title = String(error);
  } catch {
    title = "Error";
  }
  return [title, ...sites.map((site) => `    at ${described(site)}`)].join("\n");
};

/** As V8 describes a place, but with the source file and its line where the place is in the bundle. */
function described(site) {
  const text = String(site);
  const file = site.getFileName();
  if (typeof file !== "string" || !modules.has(file)) return text;
  const source = sourceOf(path.relative(__dirname, file), site.getLineNumber());
  const place = `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
  return source === undefined ? text : text.replace(place, () => source);
}

/** `src/…/x.ts:12`; undefined where a line is the bundler's own. */
function sourceOf(name, line) {
  sourceLines ??= readSourceLines();
  const known = sourceLines.get(name);
  if (known === undefined || line < 1 || line > known.count) return undefined;
  const at = (known.from + line - 1) * 2 * LENGTH_BYTES;
  const source = known.sources[known.numbers.readUInt32LE(at)];
  return source === undefined ? undefined : `${source}:${known.numbers.readUInt32LE(at + LENGTH_BYTES)}`;
}

/** By name: for each line the number of its source and the line there (bundle.mjs writes them). */
function readSourceLines() {
  try {
    const { head, rest: numbers } = unpacked(readFileSync(LINES_FILE));
    let from = 0;
    const entries = head.map(({ name, sources, count }) => {
      from += count;
      return [name, { sources, count, from: from - count, numbers }];
    });
    return new Map(entries);
  } catch {
    return new Map();
  }
}
