/**
 * The kernel module `nvrd_tryboot` (image/tryboot-module) for one of Debian's kernels, by Debian's own cross compiler and headers.
 * Nothing runs under emulation; it takes some twenty seconds.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, run } from "./run.mjs";
import { sourceLines } from "./sources.mjs";

const NAME = "nvrd_tryboot.ko";
const PACKAGES = [
  ...["base-files", "bash", "coreutils", "dash", "diffutils", "findutils", "gawk", "grep", "make", "sed"],
  ...["binutils-aarch64-linux-gnu", "gcc-aarch64-linux-gnu", "libelf1t64"],
];

/** The kernel in a base (tar file): the name of its folder of modules. Throws unless it is one. */
export function kernelOf(base) {
  const names = outputOf("tar", ["-tf", base]).matchAll(/^(?:\.\/)?usr\/lib\/modules\/([^/\n]+)\//gm);
  const versions = [...new Set([...names].map(([, version]) => version))];
  if (versions.length === 1) return versions[0];
  throw new Error(`${base}: expected one kernel, found ${versions.join(", ") || "none"}`);
}

/**
 * Makes it below `folder`; returns the file. The headers of `kernel` are fetched: where the archive has gone on to a newer
 * kernel than an older base has, that throws, and `--fresh` is the way out.
 */
export function makeTrybootModule({ image, suite, kernel, folder }) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, NAME);
  rmSync(file, { force: true });
  const list = join(folder, "tryboot-module.list");
  writeFileSync(list, `${sourceLines(suite, ["main"]).join("\n")}\n`);
  const own = outputOf("dpkg", ["--print-architecture"]).trim();
  const architectures = [...new Set([own, "arm64"])].join(",");
  const source = join(image, "tryboot-module");
  run("mmdebstrap", [
    ...["--mode=auto", `--architectures=${architectures}`, "--variant=extract", "--format=null"],
    `--include=${PACKAGES.join(",")}`,
    '--extract-hook=mkdir -p "$1/module"',
    `--extract-hook=copy-in '${source}/Kbuild' '${source}/nvrd_tryboot.c' /module`,
    `--extract-hook='${source}/build' "$1" '${kernel}'`,
    `--extract-hook=download /module/${NAME} '${file}'`,
    ...[suite, "-", list],
  ]);
  rmSync(list);
  return file;
}

/** Puts it among the modules of a root, to be loaded at each start. The index of modules is the caller's to make. */
export function addTrybootModule({ tree, kernel, file }) {
  const modules = join(tree, "usr/lib/modules", kernel, "updates");
  const loaded = join(tree, "usr/lib/modules-load.d");
  for (const place of [modules, loaded]) mkdirSync(place, { recursive: true });
  cpSync(file, join(modules, NAME));
  writeFileSync(join(loaded, "nvrd-tryboot.conf"), "nvrd_tryboot\n");
}
