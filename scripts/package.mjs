/**
 * Debian packages of the recorder, with the Node they need inside:
 *
 *   npm run package [-- --all] [--arch amd64|arm64] [--suite bookworm|trixie] [--package-version V]
 *
 * Without options: for this machine's own suite and processor; with --all for both processors and every suite that can be
 * built here. They go to build/packages/nvrd_<version>_<arch>_<suite>.deb, each with a list of
 * what is in it beside. The same sources, SOURCE_DATE_EPOCH (default: the last commit's time) and maintainer
 * (`package/maintainer.mjs`) make the same bytes.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bomOf, npmPackages } from "./image/sbom.mjs";
import { NODES } from "./node-runtime.mjs";
import { hostSuite, SUITES } from "./package/apt.mjs";
import { dependenciesOf } from "./package/elf.mjs";
import { authorOf, maintainerOf } from "./package/maintainer.mjs";
import { buildNativeParts, HOST_PROCESSORS, TRIPLETS } from "./package/native-parts.mjs";
import { productionModules } from "./package/npm-modules.mjs";
import { checkMachine } from "./package/preflight.mjs";
import { fillTree, settleTree } from "./package/tree.mjs";
import { keptReleaseFacts } from "./release-facts.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUTPUT = join(ROOT, "build/packages");
export const PROCESSORS = Object.keys(TRIPLETS);
/** Sorts the package of a newer Debian above that of an older one, so that changing to it is an upgrade. */
const SUITE_MARKS = { bookworm: "deb12", trixie: "deb13" };
/** Of the whole: both suites' dpkg reads zstd, which unpacks on a small box in a quarter of xz's time. */
const COMPRESSION = "-Zzstd";
const COMPRESSION_LEVEL = 12;
const SCRIPTS = ["postinst", "prerm", "postrm"];
const RECOMMENDED = ["ca-certificates", "smartmontools", "systemd-timesyncd | time-daemon"];

/**
 * Builds one package; returns its path. The version is package.json's unless another is given. A lower `level` of
 * compression makes the same package, longer, in a tenth of the time.
 * @param {{ suite: string, processor: string, packageVersion?: string | undefined, level?: number }} options
 * @returns {Promise<string>}
 */
export async function buildPackage({ suite, processor, packageVersion, level = COMPRESSION_LEVEL }) {
  const upstream = packageVersion ?? keptReleaseFacts(ROOT).version;
  const version = `${upstream}+${SUITE_MARKS[suite]}`;
  const dateSeconds = sourceDate();
  const { folder: native, shlibsFile } = buildNativeParts(ROOT, { suite, processor, run });
  const modules = productionModules(ROOT, { suite, processor, run });
  const tree = join(OUTPUT, `tree-${suite}-${processor}`);
  rmSync(tree, { recursive: true, force: true });
  await fillTree(ROOT, tree, { suite, processor, native, modules, version, dateSeconds });
  const needs = dependenciesOf(tree, { suite, processor, shlibsFile });
  const depends = [...needs, "e2fsprogs", "iproute2", "iputils-arping", "systemd (>= 252)"];
  writeControl(tree, { version, processor, depends });
  settleTree(tree, dateSeconds);
  const target = join(OUTPUT, `nvrd_${upstream}_${processor}_${suite}.deb`);
  // Under its name it is whole: a build that was ended leaves no half of one.
  const unfinished = `${target}.unfinished`;
  const build = ["--root-owner-group", COMPRESSION, `-z${level}`, "--build", tree, unfinished];
  run("dpkg-deb", build, { SOURCE_DATE_EPOCH: `${dateSeconds}` });
  renameSync(unfinished, target);
  writeBom(tree, target, { version: upstream, suite, processor, epoch: dateSeconds });
  rmSync(tree, { recursive: true });
  return target;
}

function writeControl(tree, { version, processor, depends }) {
  const control = join(tree, "DEBIAN");
  const size = Math.ceil(bytesBelow(tree) / 1024);
  mkdirSync(control, { recursive: true });
  const text = `Package: nvrd
Version: ${version}
Architecture: ${processor}
Maintainer: ${maintainerOf(process.env, authorOf(ROOT))}
Installed-Size: ${size}
Depends: ${depends.join(", ")}
Recommends: ${RECOMMENDED.join(", ")}
Section: video
Priority: optional
Description: network video recorder service
 Records RTSP and ONVIF cameras into a crash-proof archive and serves the REST
 API of a video surveillance server. The Node it runs on is inside.
`;
  writeFileSync(join(control, "control"), text);
  writeFileSync(join(control, "conffiles"), "/etc/nvrd/nvrd.json\n");
  for (const name of SCRIPTS) copyFileSync(join(ROOT, "packaging/debian", name), join(control, name));
  writeFileSync(join(control, "md5sums"), checksums(tree));
}

/** What is in the package, beside it: of the system's packages that it depends on, their own say what they are. */
function writeBom(tree, target, { version, suite, processor, epoch }) {
  const npm = npmPackages(join(tree, "usr/lib/nvrd/node_modules"));
  const node = { name: "node", version: NODES[suite].version, license: "MIT" };
  const bom = bomOf({
    version,
    compatible: `nvrd-${processor}`,
    suite,
    epoch,
    debian: [],
    npm: [...npm, node],
  });
  writeFileSync(target.replace(/\.deb$/, ".cdx.json"), `${JSON.stringify(bom, undefined, 1)}\n`);
}

function checksums(tree) {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith("DEBIAN/") && !name.startsWith("etc/"))
    .sort();
  const done = spawnSync("md5sum", ["--", ...files], { cwd: tree, encoding: "utf8", maxBuffer: 1e8 });
  if (done.status !== 0) throw new Error(`md5sum: ${done.stderr || done.error?.message}`);
  return done.stdout;
}

function bytesBelow(tree) {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function sourceDate() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d{1,12}$/.test(given)) return Number(given);
  const log = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" });
  const seconds = Number(log.stdout);
  if (log.status === 0 && Number.isInteger(seconds) && seconds > 0) return seconds;
  throw new Error("no commit tells the date of the sources: set SOURCE_DATE_EPOCH (seconds since 1970)");
}

function run(command, args, env = {}, cwd = ROOT) {
  const options = { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env }, cwd };
  const done = spawnSync(command, args, options);
  if (done.status === 0) return;
  throw new Error(`${command} ${args.join(" ")}: ${done.error?.message ?? `status ${done.status}`}`);
}

/**
 * The packages that the options name; without an option, the machine's own suite or processor.
 * @param {{ arch?: string | undefined, suite?: string | undefined, all?: boolean | undefined }} options
 * @param {{ suite: string, processor: string }} own
 * @returns {{ suite: string, processor: string }[]}
 */
export function chosenPackages({ arch, suite, all = false }, own) {
  const suites = all ? SUITES.slice(SUITES.indexOf(own.suite)) : [own.suite];
  const chosen = choose(suite, suites, SUITES, "suite");
  const processors = choose(arch, all ? PROCESSORS : [own.processor], PROCESSORS, "arch");
  return chosen.flatMap((name) => processors.map((processor) => ({ suite: name, processor })));
}

function choose(given, fallback, known, name) {
  if (given === undefined) return fallback;
  if (known.includes(given)) return [given];
  throw new Error(`--${name} ${given}: one of ${known.join(", ")}`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean" },
      arch: { type: "string" },
      suite: { type: "string" },
      "package-version": { type: "string" },
    },
  });
  const packageVersion = values["package-version"];
  if (packageVersion !== undefined && !/^\d[A-Za-z0-9.~]{0,63}$/.test(packageVersion))
    throw new Error(`--package-version ${packageVersion}: digits, letters, dots and ~, a digit first`);
  const own = { suite: hostSuite(), processor: HOST_PROCESSORS[process.arch] };
  const packages = chosenPackages(values, own);
  checkMachine(ROOT, packages);
  for (const wanted of packages) {
    console.log(`package: for ${wanted.suite}, ${wanted.processor}; takes some minutes`);
    console.log(`package: ${relative(ROOT, await buildPackage({ ...wanted, packageVersion }))}`);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await main();
  } catch (error) {
    console.error(`package: ${error.message}`);
    process.exitCode = 1;
  }
}
