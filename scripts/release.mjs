/**
 * What a release consists of, in build/release/<version>:
 *
 *   npm run release [-- --trial] [--without-image]
 *
 * The Debian packages for every suite and processor that can be built here, the images of all boards, the bundles that update
 * boxes to them, the lists of what each consists of (CycloneDX), this version's section of the CHANGELOG, and SHA256SUMS of
 * all. A release is made of a tagged commit with a section in the CHANGELOG and keys that are kept; `--trial` makes the same of
 * what is there, and says what a release would have refused.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startForeignPrograms } from "./image/foreign-programs.mjs";
import { BOARDS, productsOf } from "./image.mjs";
import { keptReleaseFacts } from "./release-facts.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const KEY_VARIABLES = ["NVRD_UPDATE_KEY", "NVRD_UPDATE_CERT", "NVRD_UPDATE_KEYRING"];
const SUMS = "SHA256SUMS";
const READ_BYTES = 1 << 20;

/**
 * A version's section of a CHANGELOG (keepachangelog.com), without its title; undefined: there is none, or nothing in it.
 * @param {string} changelog
 * @param {string} version `Unreleased` too
 */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^(?=## \[)/m).slice(1);
  const section = sections.find((text) => text.startsWith(`## [${version}]`));
  return section?.slice(section.indexOf("\n")).trim() || undefined;
}

/** What keeps a build from being a release, each with what to do; none: it is one. */
export function releaseFaults({ version, changelog, env, withImage }) {
  const faults = [];
  if (version.endsWith("+changed"))
    faults.push("files differ from the commit: commit them, or put them away");
  if (/~|\+/.test(version))
    faults.push(`${version} is no release: tag the commit with v and the version of package.json`);
  if (sectionOf(changelog, version) === undefined)
    faults.push(
      `CHANGELOG.md has no section "## [${version}]" with something in it: name what was "Unreleased" so`,
    );
  const missing = withImage ? KEY_VARIABLES.filter((name) => env[name] === undefined) : [];
  if (missing.length > 0)
    faults.push(
      `${missing.join(", ")} not set: boxes would trust a key of this checkout alone (docs/guide/update.md)`,
    );
  return faults;
}

/** The commands that make it, in their order. */
export function releaseSteps({ version, withImage, images }) {
  const step = (script, ...args) => [join("scripts", script), ...args];
  const steps = [step("package.mjs", "--all")];
  if (!withImage) return steps;
  for (const board of BOARDS) {
    const { root } = productsOf(images, version, board);
    steps.push(
      step("image.mjs", "--board", board, "--out", images, "--compress"),
      step("make-bundle.mjs", "--root", root, "--out", root.replace(/\.squashfs$/, ".raucb")),
    );
  }
  return steps;
}

/** Of the files below `folder`, those that a release gives away. */
export function releasedFiles(folder, version) {
  if (!existsSync(folder)) return [];
  const isOfVersion = (name) => name.includes(`_${version}_`) || name.includes(`-${version}-`);
  return readdirSync(folder)
    .filter((name) => isOfVersion(name) && /\.(?:deb|cdx\.json|img\.zst|raucb)$/.test(name))
    .map((name) => join(folder, name));
}

/** As `sha256sum --check` reads them, by name. */
export function sumsOf(files) {
  const lines = files.map((file) => `${sumOf(file)}  ${basename(file)}\n`);
  return lines.sort((one, other) => (one.slice(64) < other.slice(64) ? -1 : 1)).join("");
}

function sumOf(file) {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(READ_BYTES);
  const descriptor = openSync(file, "r");
  try {
    for (let count = readSync(descriptor, buffer); count > 0; count = readSync(descriptor, buffer))
      hash.update(buffer.subarray(0, count));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}

/** Puts the files, the notes and the sums into `target`, whole or not at all. */
export function collect({ target, files, notes }) {
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  for (const file of files) copyFileSync(file, join(unfinished, basename(file)));
  writeFileSync(join(unfinished, "CHANGES.md"), `${notes}\n`);
  const all = readdirSync(unfinished).map((name) => join(unfinished, name));
  writeFileSync(join(unfinished, SUMS), sumsOf(all));
  rmSync(target, { recursive: true, force: true });
  renameSync(unfinished, target);
}

function main() {
  const { values } = parseArgs({
    options: {
      trial: { type: "boolean", default: false },
      "without-image": { type: "boolean", default: false },
    },
  });
  const { version } = keptReleaseFacts(ROOT);
  const withImage = !values["without-image"];
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const faults = releaseFaults({ version, changelog, env: process.env, withImage });
  for (const fault of faults) console.error(`release: ${fault}`);
  if (faults.length > 0 && !values.trial) throw new Error("nothing was built; --trial builds it for a try");
  const images = join(ROOT, "build/image");
  // Before minutes of packages, not after them.
  if (withImage) startForeignPrograms("arm64", "aarch64");
  for (const [script, ...args] of releaseSteps({ version, withImage, images })) {
    const done = spawnSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: "inherit" });
    if (done.status !== 0)
      throw new Error(`${script} ${args.join(" ")}: status ${done.status ?? done.signal}`);
  }
  const files = [
    ...releasedFiles(join(ROOT, "build/packages"), version),
    ...(withImage ? releasedFiles(images, version) : []),
  ];
  const target = join(ROOT, "build/release", version);
  const notes = sectionOf(changelog, version) ?? sectionOf(changelog, "Unreleased") ?? "";
  collect({ target, files, notes });
  console.log(
    `release: ${relative(ROOT, target)}: ${files.map((file) => basename(file)).join(", ")}, ${SUMS}`,
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main();
  } catch (error) {
    console.error(`release: ${error.message}`);
    process.exitCode = 1;
  }
}
