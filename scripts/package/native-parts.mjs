/**
 * The native parts of a package, built against the libav* of its suite: their -dev packages are unpacked into a folder, nothing
 * is installed. The C library and libstdc++ are those of this machine, so a package is built on its own suite or an older
 * one; `elf.mjs` checks the result.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Apt, hostSuite, SUITES } from "./apt.mjs";

/** What build-native.mjs makes, relative to `build`. */
export const ADDONS = ["nvrd.node", "codec.node", "Release/lmdb.node"];
const LIBRARIES = ["libavcodec", "libavutil", "libswresample", "libswscale"];
/** By Debian's name of the processor. */
export const TRIPLETS = { amd64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };
/** Debian's name of the processor this is, by Node's. */
export const HOST_PROCESSORS = { x64: "amd64", arm64: "arm64" };
const HARDENING = ["-O2", "-Wall", "-Wextra", "-Werror", "-fPIE", "-pie", "-D_FORTIFY_SOURCE=2"];
const LINKING = ["-fstack-protector-strong", "-Wl,-z,relro,-z,now"];

/** `tool` of the compiler for `processor`, by its own name, so that it is the same one on any machine. */
export function crossTool(processor, tool) {
  return `${TRIPLETS[processor]}-${tool}`;
}

/**
 * The folder with the addons and programs for a package, built where they are older than their sources, and the file that
 * says which packages carry the libraries they are linked to (deb-shlibs(5)).
 */
export function buildNativeParts(root, { suite, processor, run }) {
  if (SUITES.indexOf(hostSuite()) > SUITES.indexOf(suite))
    throw new Error(`a package for ${suite} is built on ${suite} or an older Debian, not on ${hostSuite()}`);
  const folder = join(root, "build/packages/native", `${suite}-${processor}`);
  mkdirSync(folder, { recursive: true });
  const isOwn = suite === hostSuite() && processor === HOST_PROCESSORS[process.arch];
  const shlibsFile = isOwn
    ? buildForHost(root, folder, run)
    : buildBeside(root, { folder, suite, processor, run });
  for (const name of ADDONS)
    if (!existsSync(join(folder, name))) throw new Error(`${name} was not built for ${suite}`);
  const watch = join(root, "native/clock-watch/clock_watch.c");
  run(crossTool(processor, "gcc"), [...HARDENING, ...LINKING, "-o", join(folder, "clock-watch"), watch]);
  return { folder, shlibsFile };
}

/** For the machine that this is: the addons that its own checkout runs on. */
function buildForHost(root, folder, run) {
  run(process.execPath, [join(root, "scripts/build-native.mjs")]);
  for (const name of ADDONS) cpSync(join(root, "build", name), join(folder, name));
  const info = "/var/lib/dpkg/info";
  const files = readdirSync(info).filter((name) => /^lib(av|sw)[a-z]+\d+(:[a-z0-9]+)?\.shlibs$/.test(name));
  const own = files.filter(
    (name) => !name.includes(":") || name.includes(`:${HOST_PROCESSORS[process.arch]}.`),
  );
  const shlibsFile = join(folder, "shlibs");
  writeFileSync(shlibsFile, own.map((name) => readFileSync(join(info, name), "utf8")).join(""));
  return shlibsFile;
}

/** For another suite or processor: against its libav*, unpacked beside. */
function buildBeside(root, { folder, suite, processor, run }) {
  const sysroot = librariesOf(root, { suite, processor });
  run(process.execPath, [join(root, "scripts/build-native.mjs"), "--output", folder], {
    CXX: crossTool(processor, "g++"),
    PKG_CONFIG_LIBDIR: join(sysroot, "usr/lib", TRIPLETS[processor], "pkgconfig"),
    PKG_CONFIG_SYSROOT_DIR: sysroot,
  });
  return join(sysroot, "shlibs");
}

/** The libav* of a suite with their headers, unpacked once; `shlibs` in it says which packages carry them. */
function librariesOf(root, { suite, processor }) {
  const folder = join(root, "build/packages/libraries", `${suite}-${processor}`);
  if (existsSync(join(folder, "shlibs"))) return folder;
  const apt = new Apt(join(root, "build/packages/apt", `${suite}-${processor}`), { suite, processor });
  apt.update();
  const development = LIBRARIES.map((name) => `${name}-dev`);
  const runtime = development.flatMap((name) =>
    apt.dependenciesOf(name).filter((other) => /^lib(av|sw)[a-z]+\d+$/.test(other)),
  );
  const unpacking = `${folder}.unpacking`;
  rmSync(unpacking, { recursive: true, force: true });
  mkdirSync(unpacking, { recursive: true });
  const shlibs = [];
  for (const file of apt.download([...new Set([...development, ...runtime])])) {
    dpkg(["-x", file, unpacking]);
    const control = `${unpacking}.control`;
    dpkg(["-e", file, control]);
    if (existsSync(join(control, "shlibs"))) shlibs.push(readFileSync(join(control, "shlibs"), "utf8"));
    rmSync(control, { recursive: true, force: true });
  }
  writeFileSync(join(unpacking, "shlibs"), shlibs.join(""));
  rmSync(folder, { recursive: true, force: true });
  renameSync(unpacking, folder);
  return folder;
}

function dpkg(args) {
  const done = spawnSync("dpkg-deb", args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`dpkg-deb ${args.join(" ")}: ${done.stderr || done.error?.message}`);
}

/** Names of the addons and programs that `buildNativeParts` makes. */
export function nativeFiles(folder) {
  return [...ADDONS, "clock-watch"].filter((name) => existsSync(join(folder, name)));
}
