/**
 * The browser's page, `src/page/` -> `build/page/`: modules bundled and minified, style sheets joined, all but the first file
 * named by their content, and each beside itself compressed by gzip and brotli. `files.json` lists them for the service:
 * `[{ path, file, type, immutable }]`. The same sources make the same bytes. `node scripts/page.mjs [ROOT]`.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import zopfli from "@gfx/zopfli";
import { rolldown } from "rolldown";
import sharp from "sharp";
import { likeBesideLike } from "./page-order.mjs";
import { shortStyleNames } from "./page-style-names.mjs";
import { shortWordNames } from "./page-word-names.mjs";
import { packWords } from "./page-words.mjs";

/** Below these sizes the page is quick on a slow link; bytes, compressed by gzip. */
export const FIRST_VIEW_BYTES_MAX = 60 * 1024;
export const ALL_BYTES_MAX = 176 * 1024;

/** How often zopfli looks for a shorter gzip file; more than this gains less than one byte in a thousand. */
const GZIP_ITERATIONS = 5;

/**
 * The files of the page, by what is in them. Few files are smaller together than many: what they have in common is found by
 * compression, and no lists of what they take from each other are needed. What is shown first is one of them, with all that each
 * screen needs. Words are files of their own, one a language, because compression finds words that are too far away no more.
 */
const SHOWN_FIRST =
  /\/page\/(?:main|app|shell)\.|\/page\/(?:state|control|player|login|wall)\/|\/node_modules\/|rolldown/;
const SHARED = /\/(?:events\/names|motion\/box|motion\/region-overlay)\./;
const FIRST_WORDS = "common|language|login|wall";
/** In a file of their own, where their letters may be written with a byte each. */
const FURTHER_WORDS_RU = new RegExp(`/page/words/(?!(?:${FIRST_WORDS})\\.)\\w+\\.ts\\?ru$`);
const CHUNKS = [
  { name: "words", test: new RegExp(`/page/words/(?!(?:${FIRST_WORDS})\\.)\\w+\\.ts$`) },
  { name: "words-ru", test: FURTHER_WORDS_RU },
  {
    name: "settings",
    test: /\/page\/(?:settings|setup|finding|account)\/|\/state\/figures\.|\/control\/check\./,
  },
  { name: "main", test: new RegExp(`${SHOWN_FIRST.source}|${SHARED.source}|/words/(?:${FIRST_WORDS})\\.`) },
  { name: "recorded", test: /\/page\/(?:events|playback)\// },
];

/** The service worker: its place in the address is its scope. */
const WORKER = "worker.js";
/** What runs in the thread of sound; loaded there by its address. */
const MICROPHONE = "microphone.js";
const ICON_PIXELS = 256;

const TYPES = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
};
/** Style sheets in the order of their weight; those of screens follow, by name. */
const STYLES_FIRST = ["style/tokens.css", "style/base.css", "control/control.css", "style/shell.css"];

/**
 * Builds the page below `root`. Throws when it is larger than it may be.
 * @param {string} root
 * @returns {Promise<{ firstView: number, all: number }>} sizes compressed by gzip, bytes
 */
export async function buildPage(root) {
  const source = join(root, "src", "page");
  const styles = shortStyleNames(styleOf(source), modulesIn(source));
  const words = shortWordNames([source, join(source, "../messages")]);
  const chunks = await bundle(source, (code, file) => words(styles.code(code, file), file));
  const style = hashed("style.css", Buffer.from(styles.sheet));
  const drawing = readFileSync(join(source, "icon.svg"));
  const icon = hashed("icon.svg", drawing);
  const entry = chunks.find(({ isEntry }) => isEntry);
  const html = readFileSync(join(source, "index.html"), "utf8")
    .replace("{{script}}", `/page/${entry.fileName}`)
    .replace("{{style}}", `/page/${style.name}`)
    .replace("{{icon}}", `/page/${icon.name}`);
  const files = [
    ...chunks.map(({ fileName, code }) => ({ name: fileName, bytes: Buffer.from(likeBesideLike(code)) })),
    style,
    icon,
  ].map((file) => ({ ...file, immutable: true }));
  files.push({ name: "index.html", bytes: Buffer.from(html), immutable: false });
  // Browsers know these by names of their own choice, so that they are asked for again each time.
  for (const name of [WORKER, MICROPHONE])
    files.push({ name, bytes: Buffer.from(await bundleAlone(source, name)), immutable: false });
  files.push({ name: "icon.png", bytes: await pictureOf(drawing), immutable: false });
  const sizes = await write(join(root, "build", "page"), files);
  const sum = (names) => names.reduce((all, name) => all + sizes.get(name), 0);
  const first = ["index.html", style.name, icon.name, ...reachable(entry, chunks)];
  return withinBounds({ firstView: sum(first), all: sum([...sizes.keys()]) });
}

/** All modules of the page, with their sources. */
function modulesIn(source) {
  return readdirSync(source, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [join(source, name), readFileSync(join(source, name), "utf8")]);
}

async function bundle(source, shorten) {
  const build = await rolldown({
    cwd: source,
    input: join(source, "main.ts"),
    platform: "browser",
    preserveEntrySignatures: false,
    tsconfig: join(source, "tsconfig.json"),
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    // Without an object for each element's children, and without a list for them.
    transform: {
      jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
      inject: { h: ["preact", "h"], Fragment: ["preact", "Fragment"] },
    },
    plugins: [packWords(shorten, (id) => FURTHER_WORDS_RU.test(id))],
    // How long plugins took says something of the machine, not of the sources.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(`the page: ${message}`);
    },
  });
  try {
    const { output } = await build.generate({
      format: "esm",
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
      minify: true,
      codeSplitting: {
        groups: CHUNKS.map((group) => ({ ...group, includeDependenciesRecursively: false })),
      },
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    return output;
  } finally {
    await build.close();
  }
}

/** What runs without a page: one file without imports. */
async function bundleAlone(source, name) {
  const input = join(source, name.replace(".js", ".ts"));
  const resolve = { extensionAlias: { ".js": [".ts", ".js"] } };
  const build = await rolldown({ cwd: source, input, platform: "browser", resolve });
  try {
    const { output } = await build.generate({
      format: "esm",
      minify: true,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    return output[0].code;
  } finally {
    await build.close();
  }
}

/** The icon for home screens, which show no drawings: its corners are theirs to round. */
async function pictureOf(drawing) {
  const square = Buffer.from(String(drawing).replace(' rx="7"', ""));
  return await sharp(square, { density: (72 * ICON_PIXELS) / 32 })
    .resize(ICON_PIXELS, ICON_PIXELS)
    .png({ palette: true, colours: 4, dither: 0, compressionLevel: 9 })
    .toBuffer();
}

/** The style sheets joined, without comments and indents. */
function styleOf(source) {
  const found = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".css"));
  const rest = found.filter((name) => !STYLES_FIRST.includes(name)).sort();
  const sheets = [...STYLES_FIRST, ...rest].map((name) => [name, readFileSync(join(source, name), "utf8")]);
  refuseSharedClasses(sheets);
  const text = sheets.map(([, sheet]) => sheet).join("\n");
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .replace(/\n+/g, "\n")
    .replace(/^([\w-]+): /gm, "$1:")
    .replace(/ ?\{\n/g, "{")
    .replace(/;\n\}\n?/g, "}")
    .replace(/;\n/g, ";")
    .trimStart();
}

/** All sheets are one in the end: a class that two folders define would change the other folder's screens. */
function refuseSharedClasses(sheets) {
  const folderOf = new Map();
  for (const [name, sheet] of sheets) {
    const [folder] = name.split("/");
    for (const [, className] of sheet.matchAll(/^\s*\.([\w-]+)/gm)) {
      const first = folderOf.get(className) ?? folder;
      if (first !== folder)
        throw new Error(
          `the page: the class ${className} is defined in ${first}/ and in ${folder}/; rename one`,
        );
      folderOf.set(className, first);
    }
  }
}

function hashed(name, bytes) {
  const [stem, extension] = name.split(".");
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 8);
  return { name: `${stem}-${hash}.${extension}`, bytes };
}

/** What a browser fetches before the first screen: the entry, all it imports, and the first screen with its imports. */
function reachable(entry, chunks) {
  const names = new Set();
  const visit = (name) => {
    if (names.has(name)) return;
    names.add(name);
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) visit(next);
  };
  visit(entry.fileName);
  visit(chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith("/wall/screen.tsx"))).fileName);
  return [...names];
}

/** Writes a new folder, then puts it in the old one's place: a service that starts meanwhile finds one or the other. */
async function write(folder, files) {
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const sizes = new Map();
  for (const { name, bytes } of files) {
    const gzip = await zopfli.gzipAsync(bytes, { numiterations: GZIP_ITERATIONS });
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(made, name), bytes);
    writeFileSync(join(made, `${name}.gz`), gzip);
    writeFileSync(join(made, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
    sizes.set(name, gzip.length);
  }
  const list = files.map(({ name, immutable }) => ({
    path: immutable || name === MICROPHONE ? `/page/${name}` : name === "index.html" ? "/" : `/${name}`,
    file: name,
    type: TYPES[name.split(".").at(-1)],
    immutable,
  }));
  writeFileSync(join(made, "files.json"), `${JSON.stringify(list, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
  return sizes;
}

function withinBounds(sizes) {
  const { firstView, all } = sizes;
  if (firstView > FIRST_VIEW_BYTES_MAX)
    throw new Error(`the page's first view has ${firstView} bytes; at most ${FIRST_VIEW_BYTES_MAX}`);
  if (all > ALL_BYTES_MAX) throw new Error(`the page has ${all} bytes; at most ${ALL_BYTES_MAX}`);
  return sizes;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = process.argv[2] ?? join(fileURLToPath(import.meta.url), "..", "..");
  const { firstView, all } = await buildPage(root);
  console.log(
    `page: first view ${(firstView / 1024).toFixed(1)} KiB, all ${(all / 1024).toFixed(1)} KiB (gzip)`,
  );
}
