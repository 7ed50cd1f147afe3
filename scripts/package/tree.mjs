/** What a package puts where. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { HTTP_PACKAGES, makeHttpLibraries } from "../http-library.mjs";
import { NODES, nodeRuntime } from "../node-runtime.mjs";
import { sightFiles } from "../sight/sight-model.mjs";
import { BUNDLED_PACKAGES, bundleService } from "./bundle.mjs";
import { bashCompletion, manualPage } from "./command-help.mjs";
import { copyMachineDocuments } from "./documents.mjs";
import { keepLoadedFiles } from "./loaded-files.mjs";
import { crossTool, nativeFiles } from "./native-parts.mjs";
import { nodeFlags } from "./node-flags.mjs";
import { NPM_PROCESSORS } from "./platform.mjs";

const GZIP_LEVEL_MAX = 9;
const PROGRAM_MODE = 0o755;
const FILE_MODE = 0o644;
/** By folder of systemd: the file there, and its source. */
const SYSTEMD_FILES = {
  "usr/lib/sysusers.d/nvrd.conf": "systemd/nvrd.sysusers",
  "usr/lib/tmpfiles.d/nvrd.conf": "systemd/nvrd.tmpfiles",
  "usr/lib/systemd/journald.conf.d/nvrd.conf": "systemd/nvrd.journald",
  "usr/lib/udev/rules.d/62-nvrd-disks.rules": "systemd/nvrd-disks.rules",
  "usr/lib/nvrd/mount-disk": "packaging/debian/mount-disk",
  "usr/lib/nvrd/network-back": "packaging/debian/network-back",
  "usr/share/nvrd/nvrd-hardware.conf": "systemd/nvrd-hardware.conf",
};
/** Where a suite looks for units; Debian 13 has no /lib of its own. */
const UNIT_FOLDERS = { bookworm: "lib/systemd/system", trixie: "usr/lib/systemd/system" };
/** Drop-ins for what only newer versions of systemd know. */
const SUITE_DROP_INS = { bookworm: [], trixie: ["nvrd.service.d/restart-steps.conf"] };
/** Read by the program beside what tsc makes of src/. */
const SOURCE_DATA = [
  "src/demo/clips",
  "src/camera/device/models.json",
  "src/picture/still/font",
  "build/page",
];

/** Fills `tree` with everything but DEBIAN/. Rejects when a part is not built, or cannot be bundled. */
export async function fillTree(root, tree, parts) {
  const library = join(tree, "usr/lib/nvrd");
  await copyService(root, library, parts);
  const flags = nodeFlags(readFileSync(join(root, "bin/nvrd"), "utf8"));
  const launcher = readFileSync(join(root, "packaging/debian/nvrd.sh"), "utf8");
  write(join(tree, "usr/bin/nvrd"), launcher.replace("@NODE_FLAGS@", flags));
  copy(join(root, "packaging/debian/nvrd-video-parts.sh"), join(tree, "usr/bin/nvrd-video-parts"));
  copy(join(root, "scripts/video-parts.mjs"), join(library, "video-parts.mjs"));
  write(join(tree, "etc/nvrd/nvrd.json"), readFileSync(join(root, "packaging/debian/nvrd.json")));
  await writeCommandHelp(root, tree, parts);
  copyUnits(root, tree, parts.suite);
  copyDocuments(root, tree, parts);
}

async function copyService(root, library, { suite, processor, native, modules }) {
  const node = nodeRuntime(processor, suite);
  copy(join(node, "bin/node"), join(library, "bin/node"));
  strip(join(library, "bin/node"), processor);
  for (const name of ["nvrd", "package.json"]) copy(join(root, "bin", name), join(library, "bin", name));
  for (const name of ["package.json", "build/release.json"]) copy(join(root, name), join(library, name));
  cpSync(join(root, "dist"), join(library, "dist"), {
    recursive: true,
    filter: (path) => !/(?:\.d\.ts|\.built|\.tsbuildinfo)$/.test(path),
  });
  cpSync(modules, join(library, "node_modules"), { recursive: true, verbatimSymlinks: true });
  const cpu = NPM_PROCESSORS[processor];
  for (const { source } of makeHttpLibraries(join(library, "node_modules"), join(library, "build/http"), cpu))
    rmSync(source);
  await bundleService(library);
  rmSync(join(library, "dist"), { recursive: true });
  await keepLoadedFiles(join(library, "node_modules"), packagesOf(root, suite));
  for (const name of [...SOURCE_DATA, ...sightFiles(root)]) copy(join(root, name), join(library, name));
  for (const name of nativeFiles(native)) {
    const target = join(library, name.endsWith(".node") ? "build" : ".", name);
    copy(join(native, name), target);
    strip(target, processor);
  }
}

async function writeCommandHelp(root, tree, { version, dateSeconds }) {
  const { USAGE } = await import(pathToFileURL(join(root, "dist/command/index.js")).href);
  const date = new Date(dateSeconds * 1000).toISOString().slice(0, "YYYY-MM-DD".length);
  const page = gzipSync(manualPage(USAGE, { version, date }), { level: GZIP_LEVEL_MAX });
  write(join(tree, "usr/share/man/man1/nvrd.1.gz"), page);
  write(join(tree, "usr/share/bash-completion/completions/nvrd"), bashCompletion(USAGE));
}

/** Of the packages, those that the program loads from node_modules, and those in its bundle or in build/http. */
function packagesOf(root, suite) {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const notLoaded = new Set([...BUNDLED_PACKAGES, ...Object.values(HTTP_PACKAGES)]);
  return {
    loaded: Object.keys(dependencies).filter((name) => !notLoaded.has(name)),
    elsewhere: [...BUNDLED_PACKAGES, HTTP_PACKAGES[NODES[suite].abi]],
  };
}

function copyUnits(root, tree, suite) {
  const folder = join(tree, UNIT_FOLDERS[suite]);
  for (const name of readdirSync(join(root, "systemd")).filter((entry) =>
    /\.(service|socket|timer)$/.test(entry),
  ))
    copy(join(root, "systemd", name), join(folder, name));
  for (const name of SUITE_DROP_INS[suite]) copy(join(root, "systemd", suite, name), join(folder, name));
  for (const [target, source] of Object.entries(SYSTEMD_FILES)) copy(join(root, source), join(tree, target));
}

function copyDocuments(root, tree, { suite, processor, version, dateSeconds }) {
  const folder = join(tree, "usr/share/doc/nvrd");
  copyMachineDocuments(root, folder);
  copy(join(root, "packaging/debian/copyright"), join(folder, "copyright"));
  copy(join(nodeRuntime(processor, suite), "LICENSE"), join(folder, "node-LICENSE"));
  const date = new Date(dateSeconds * 1000).toUTCString().replace("GMT", "+0000");
  const entry = `nvrd (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md beside this.\n\n -- nvrd <nvrd@localhost>  ${date}\n`;
  write(join(folder, "changelog.gz"), gzipSync(entry, { level: GZIP_LEVEL_MAX }));
  copy(join(root, "CHANGELOG.md"), join(folder, "CHANGELOG.md"));
}

/** Programs are what is executed by name; the rest is read. One time for all, so that the same sources make the same file. */
export function settleTree(tree, dateSeconds) {
  const programs = [
    "usr/bin/nvrd",
    "usr/bin/nvrd-video-parts",
    "usr/lib/nvrd/bin/node",
    "usr/lib/nvrd/bin/nvrd",
    "usr/lib/nvrd/clock-watch",
    "usr/lib/nvrd/mount-disk",
    "usr/lib/nvrd/network-back",
  ];
  const executable = new Set(programs.map((name) => join(tree, name)));
  for (const name of ["postinst", "prerm", "postrm"]) executable.add(join(tree, "DEBIAN", name));
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  for (const path of [tree, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const found = lstatSync(path);
    if (!found.isSymbolicLink())
      chmodSync(path, found.isDirectory() || executable.has(path) ? PROGRAM_MODE : FILE_MODE);
    lutimesSync(path, dateSeconds, dateSeconds);
  }
}

function strip(file, processor) {
  const tool = crossTool(processor, "strip");
  const done = spawnSync(tool, ["--strip-unneeded", file], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${tool} ${file}: ${done.stderr || done.error?.message}`);
}

function copy(source, target) {
  if (!existsSync(source)) throw new Error(`${source} is missing; build it first: npm run build`);
  mkdirSync(dirname(target), { recursive: true });
  if (lstatSync(source).isDirectory()) cpSync(source, target, { recursive: true });
  else {
    rmSync(target, { force: true });
    copyFileSync(source, target);
  }
}

function write(target, content) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}
