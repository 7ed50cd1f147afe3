/**
 * `npm run bundle -- --root FILE.squashfs [--out FILE.raucb] [--format verity|plain]`: the signed bundle that updates a
 * box to that root. Version and kind of box come from the root itself (`/usr/lib/nvrd-image/image.json`).
 * Who signs: scripts/update-keys.mjs.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { updateKeys } from "./update-keys.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IMAGE_FILE = "usr/lib/nvrd-image/image.json";
const SAFE_TEXT = /^[A-Za-z0-9][A-Za-z0-9.+~_-]{0,99}$/;

/** The root's own facts: `{ version, compatible }`. */
export function rootFacts(rootFile) {
  const text = execFileSync("unsquashfs", ["-cat", rootFile, IMAGE_FILE], { encoding: "utf8" });
  const { version, compatible } = JSON.parse(text);
  for (const value of [version, compatible])
    if (typeof value !== "string" || !SAFE_TEXT.test(value))
      throw new Error(`${rootFile}: /${IMAGE_FILE} has no version and compatible`);
  return { version, compatible };
}

/** The manifest: one image, checked by dm-verity as it is read, and the hook that takes the kernel to the ESP. */
export function manifestOf({ version, compatible, format }) {
  return [
    "[update]",
    `compatible=${compatible}`,
    `version=${version}`,
    "",
    "[bundle]",
    `format=${format}`,
    "",
    "[hooks]",
    "filename=hook.sh",
    "",
    "[image.rootfs]",
    "filename=root.img",
    "hooks=post-install",
    "",
  ].join("\n");
}

/** Makes the bundle `out` of a root. `facts` replaces those of the root. Throws with rauc's message. */
export function makeBundle({ root, out, keys, format = "verity", facts = rootFacts(root) }) {
  mkdirSync(dirname(out), { recursive: true });
  const folder = mkdtempSync(join(dirname(out), ".bundle-"));
  const unfinished = join(folder, "bundle.raucb");
  try {
    const content = join(folder, "content");
    mkdirSync(content);
    linkOrCopy(root, join(content, "root.img"));
    copyFileSync(join(ROOT, "image", "rauc", "hook.sh"), join(content, "hook.sh"));
    writeFileSync(join(content, "manifest.raucm"), manifestOf({ ...facts, format }));
    // The root is compressed already: compressing it again takes minutes and saves nothing.
    const args = [
      `--cert=${keys.cert}`,
      `--key=${keys.key}`,
      "--mksquashfs-args=-comp zstd -Xcompression-level 1",
    ];
    try {
      execFileSync("rauc", ["bundle", ...args, content, unfinished], { stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      throw new Error(`rauc bundle: ${error.stderr ?? error.message}`, { cause: error });
    }
    renameSync(unfinished, out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return facts;
}

function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    // Another file system has no link to it.
    copyFileSync(from, to);
  }
}

function run() {
  const { values } = parseArgs({
    options: { root: { type: "string" }, out: { type: "string" }, format: { type: "string" } },
  });
  if (values.root === undefined) throw new Error("--root FILE.squashfs is missing: npm run image makes it");
  const root = resolve(values.root);
  const facts = rootFacts(root);
  const name = `${facts.compatible}-${facts.version}.raucb`;
  const out = resolve(values.out ?? join(ROOT, "build", "image", name));
  const keys = updateKeys(ROOT);
  makeBundle({ root, out, keys, facts, ...(values.format === undefined ? {} : { format: values.format }) });
  const signer = keys.isDevelopment ? "the development key: for images of this checkout alone" : keys.cert;
  console.log(`bundle: ${out}: ${facts.version} for ${facts.compatible}, signed with ${signer}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    run();
  } catch (error) {
    console.error(`bundle: ${error.message}`);
    process.exitCode = 1;
  }
}
