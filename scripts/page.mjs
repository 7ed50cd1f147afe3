/**
 * The browser's page, `src/page/` -> `build/page/`: modules bundled and minified, all but the first file named by their content, and
 * each beside itself compressed by gzip and brotli. `files.json` lists them for the service: `[{ path, file, type, immutable }]`. The
 * same sources make the same bytes. `node scripts/page.mjs [ROOT]`.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import sharp from "sharp";
import { bundleAlone, bundlePage, firstSheet } from "./page/page-bundle.mjs";
import { partSizes, refuseHeavy } from "./page/page-sizes.mjs";

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

/**
 * Builds the page below `root`. Throws when a part of it is larger than it may be.
 * @param {string} root
 */
export async function buildPage(root) {
  const source = join(root, "src", "page");
  const chunks = await bundlePage(source);
  const style = hashed("style.css", Buffer.from(firstSheet(source)));
  const drawing = readFileSync(join(source, "icon.svg"));
  const icon = hashed("icon.svg", drawing);
  const entry = chunks.find(({ isEntry }) => isEntry);
  const html = readFileSync(join(source, "index.html"), "utf8")
    .replace("{{script}}", `page/${entry.fileName}`)
    .replace("{{style}}", `page/${style.name}`)
    .replace("{{icon}}", `page/${icon.name}`);
  const files = [
    ...chunks.map(({ fileName, code }) => ({ name: fileName, bytes: Buffer.from(code) })),
    style,
    icon,
  ].map((file) => ({ ...file, immutable: true }));
  files.push({ name: "index.html", bytes: Buffer.from(html), immutable: false });
  // Browsers know these by names of their own choice, so that they are asked for again each time.
  for (const name of [WORKER, MICROPHONE])
    files.push({
      name,
      bytes: Buffer.from(await bundleAlone(source, name.replace(".js", ".ts"))),
      immutable: false,
    });
  files.push({ name: "icon.png", bytes: await pictureOf(drawing), immutable: false });
  const compressed = files.map((file) => ({
    ...file,
    gzip: gzipSync(file.bytes, { level: constants.Z_BEST_COMPRESSION }),
  }));
  const sizes = new Map(compressed.map(({ name, gzip }) => [name, gzip.length]));
  const parts = partSizes(chunks, sizes, ["index.html", style.name, icon.name]);
  refuseHeavy(parts);
  write(join(root, "build", "page"), compressed);
  return parts;
}

/** The icon for home screens, which show no drawings: its corners are theirs to round. */
async function pictureOf(drawing) {
  const square = Buffer.from(String(drawing).replace(' rx="7"', ""));
  return await sharp(square, { density: (72 * ICON_PIXELS) / 32 })
    .resize(ICON_PIXELS, ICON_PIXELS)
    .png({ palette: true, colours: 4, dither: 0, compressionLevel: 9 })
    .toBuffer();
}

function hashed(name, bytes) {
  const [stem, extension] = name.split(".");
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 8);
  return { name: `${stem}-${hash}.${extension}`, bytes };
}

/** Writes a new folder, then puts it in the old one's place: a service that starts meanwhile finds one or the other. */
function write(folder, files) {
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  for (const { name, bytes, gzip } of files) {
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(made, name), bytes);
    writeFileSync(join(made, `${name}.gz`), gzip);
    writeFileSync(join(made, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
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
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = process.argv[2] ?? join(fileURLToPath(import.meta.url), "..", "..");
  const { firstView, parts } = await buildPage(root);
  const largest = Math.max(...Object.values(parts).flatMap((sizes) => Object.values(sizes)));
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  console.log(
    `page: first view ${kib(Math.max(...Object.values(firstView)))}, largest other part ${kib(largest)} (gzip)`,
  );
}
