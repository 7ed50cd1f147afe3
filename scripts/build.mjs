/**
 * Builds what is older than its sources: the native addon (`native/` -> `build/nvrd.node`, by
 * `scripts/build-native.mjs`), the HTTP library's binaries (`build/http/`, by `scripts/http-library.mjs`), the TypeScript (`src/` -> `dist/`, by tsc, incremental), the browser's page (`src/page/` ->
 * `build/page/`, by `scripts/page.mjs`), the weights of the detector of objects (`build/sight/`, by `scripts/sight/sight-model.mjs`), the program as few files (`dist/` -> `bundle/`, by `scripts/bundle-program.mjs`)
 * and the API's page of the reference (`docs/ref/api.md`, by `scripts/docs/make-api-doc.mjs`). It says first what it is a build of (`release-facts.mjs`).
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { makeHttpLibraries } from "./http-library.mjs";
import { keepReleaseFacts } from "./release-facts.mjs";

const NATIVE_SCRIPT = join("scripts", "build-native.mjs");
const PAGE_SCRIPT = join("scripts", "page.mjs");
const BUNDLE_SCRIPT = join("scripts", "bundle-program.mjs");
const API_DOC = join("docs", "ref", "api.md");
const API_DOC_SCRIPT = join("scripts", "docs", "make-api-doc.mjs");
const API_DOC_STAMP = join("build", ".api-doc-made");
const PAGE_SOURCES = join("src", "page");
const TSC = join("node_modules", "typescript", "bin", "tsc");
/** Written after a build without errors: a fingerprint of the sources it was made from. */
const STAMP = join("dist", ".built");
const BUNDLE_STAMP = join("bundle", ".made");
const PAGE_STAMP = join("build", ".page-built");
const SIGHT_SCRIPT = join("scripts", "sight", "sight-model.mjs");
/** Goes with the folder. */
const SIGHT_STAMP = join("build", "sight", ".made");
const HTTP_SCRIPT = join("scripts", "http-library.mjs");
const HTTP_FOLDER = join("build", "http");
/** Goes with the folder. */
const HTTP_STAMP = join(HTTP_FOLDER, ".made");

/** `run(script, args, title)` runs a Node script in `root`, says the title and how long it took, and rejects when it fails. */
export async function build(root, run) {
  // Most of the addons' time is one compiler's, beside which a second processor has nothing to do.
  keepReleaseFacts(root);
  await buildHttpLibrary(root);
  await together(buildNative(root, run), buildScripts(root, run), buildSightModel(root, run));
  await together(buildBundle(root, run), buildApiDoc(root, run));
}

/** Waits for all, also where one fails: none is left running. */
async function together(...parts) {
  for (const part of await Promise.allSettled(parts)) if (part.status === "rejected") throw part.reason;
}

async function buildScripts(root, run) {
  await buildTypeScript(root, run);
  await buildPage(root, run);
}

/** The script compares the addon with its sources itself. */
async function buildNative(root, run) {
  if (existsSync(join(root, NATIVE_SCRIPT))) await run(NATIVE_SCRIPT, []);
}

/** Weights of the detector of objects: where they cannot be fetched, a recorder without it is built. */
async function buildSightModel(root, run) {
  if (!existsSync(join(root, SIGHT_SCRIPT))) return;
  const makers = [
    SIGHT_SCRIPT,
    join("scripts", "npm-archive.mjs"),
    ...filesIn(root, join("scripts", "sight")),
  ];
  try {
    await whenChanged(root, SIGHT_STAMP, makers, () => run(SIGHT_SCRIPT, []));
  } catch (error) {
    console.warn(
      `setup: without the detector of objects, because its weights did not come: ${error.message}`,
    );
  }
}

/** The lock names the packages that they are made of. */
async function buildHttpLibrary(root) {
  if (!existsSync(join(root, HTTP_SCRIPT))) return;
  await whenChanged(root, HTTP_STAMP, [HTTP_SCRIPT, "package-lock.json"], () => {
    makeHttpLibraries(join(root, "node_modules"), join(root, HTTP_FOLDER));
  });
}

async function buildTypeScript(root, run) {
  await whenChanged(root, STAMP, ["tsconfig.json", "package.json", ...filesIn(root, "src")], async () => {
    removeOrphans(root);
    await run(TSC, ["-p", "."], "TypeScript; takes 10 s to a minute");
  });
}

async function buildPage(root, run) {
  if (!existsSync(join(root, PAGE_SOURCES))) return;
  const makers = filesIn(root, "scripts").filter((file) => /^scripts\/page\b.*\.mjs$/.test(file));
  const sources = [...makers, "tsconfig.json", "package.json", ...filesIn(root, PAGE_SOURCES)];
  await whenChanged(root, PAGE_STAMP, [...sources, ...filesIn(root, join("src", "contract"))], async () => {
    await run(TSC, ["-p", PAGE_SOURCES], "the page's types");
    await run(PAGE_SCRIPT, [], "the page");
  });
}

/** Made anew with another Node as well: its code cache is of one version. */
async function buildBundle(root, run) {
  if (!existsSync(join(root, BUNDLE_SCRIPT))) return;
  const makers = filesIn(root, join("scripts", "package")).filter((file) =>
    /bundle|cache|loader|source-lines/.test(file),
  );
  const sources = [STAMP, BUNDLE_SCRIPT, "bin/nvrd", "package-lock.json", ...makers];
  await whenChanged(
    root,
    BUNDLE_STAMP,
    sources,
    () => run(BUNDLE_SCRIPT, [], "the bundle"),
    () => process.version,
  );
}

/** Made again where the page itself was edited, too: nothing but its sources counts. */
async function buildApiDoc(root, run) {
  if (!existsSync(join(root, API_DOC_SCRIPT))) return;
  const makers = filesIn(root, "scripts").filter((file) =>
    /^scripts\/docs\/(.*api-doc.*|markdown)\.mjs$/.test(file),
  );
  const sources = [STAMP, ...makers, join("docs", "ref", "api-head.md")];
  const made = () => fingerprintOf(join(root, API_DOC));
  await whenChanged(root, API_DOC_STAMP, sources, () => run(API_DOC_SCRIPT, [], "the API's page"), made);
}

/**
 * Runs `make` unless the files (relative to `root`) are as they were when it last ended without an error, and so is what `also`
 * returns.
 */
async function whenChanged(root, stampFile, files, make, also = () => "") {
  const sources = sourceFingerprint(root, files);
  const fingerprint = () => `${sources}${also()}`;
  const stamp = join(root, stampFile);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint()) return;
  rmSync(stamp, { force: true });
  await make();
  writeFileSync(stamp, fingerprint());
}

/** Names, sizes and times of the files: changes whenever one is edited, added or removed. */
function sourceFingerprint(root, files) {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}
`);
  }
  return hash.digest("hex");
}

/** Of what the file holds; empty where there is none. */
function fingerprintOf(file) {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
}

function filesIn(root, folder) {
  return filesBelow(join(root, folder)).map((file) => relative(root, file));
}

/** Removes outputs without a source: tsc leaves them, and they would still be importable. */
function removeOrphans(root) {
  const dist = join(root, "dist");
  for (const file of filesBelow(dist)) {
    const match = /^(.*)\.js(\.map)?$/.exec(relative(dist, file));
    if (match === null) continue;
    if (!existsSync(join(root, "src", `${match[1]}.ts`))) rmSync(file);
  }
}

function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
