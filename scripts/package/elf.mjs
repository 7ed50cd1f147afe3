/** The system libraries that a package's programs and libraries need: its Depends. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { basename, join } from "node:path";

const ELF_MAGIC = "\x7fELF";
/** What each suite has: the C library's version, and the last symbol version of its libstdc++ with the compiler's. */
const SUITE_LIMITS = {
  bookworm: { GLIBC: "2.36", GLIBCXX: "3.4.30", CXXABI: "1.3.13" },
  trixie: { GLIBC: "2.41", GLIBCXX: "3.4.33", CXXABI: "1.3.15" },
};
/** The first libstdc++6 with a symbol version (gcc's ABI policy and guidelines); older ones need no bound. */
const LIBSTDCXX_PACKAGES = {
  "3.4.29": "11",
  "3.4.30": "12",
  "3.4.31": "13",
  "3.4.32": "13.1",
  "3.4.33": "14",
};
/** Packages of the libraries that every Debian has. */
const SYSTEM_LIBRARIES = new Map([
  ["libc.so.6", "libc6"],
  ["libm.so.6", "libc6"],
  ["libdl.so.2", "libc6"],
  ["libpthread.so.0", "libc6"],
  ["libresolv.so.2", "libc6"],
  ["librt.so.1", "libc6"],
  ["ld-linux-aarch64.so.1", "libc6"],
  ["ld-linux-x86-64.so.2", "libc6"],
  ["libgcc_s.so.1", "libgcc-s1"],
  ["libstdc++.so.6", "libstdc++6"],
]);

/** Programs and libraries below `folder`. */
export function elfFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isElf)
    .sort();
}

function isElf(file) {
  const start = Buffer.alloc(ELF_MAGIC.length);
  const fd = openSync(file, "r");
  try {
    return readSync(fd, start) === start.length && start.toString("latin1") === ELF_MAGIC;
  } finally {
    closeSync(fd);
  }
}

/** The processor a file is for, by Debian's name. */
export function processorOf(file) {
  const machine = /Machine:\s*(.+)/.exec(readelf(["-h", file]))?.[1] ?? "";
  if (machine.includes("X86-64")) return "amd64";
  return machine === "AArch64" ? "arm64" : machine;
}

/**
 * The Depends of the programs and libraries below `folder`, sorted. `shlibs` is what the packages of other libraries say
 * of them (deb-shlibs(5)). Throws when a file is for another processor, or needs something that the suite lacks.
 */
export function dependenciesOf(folder, { suite, processor, shlibsFile }) {
  const files = elfFiles(folder);
  const own = new Set(files.map((file) => basename(file)));
  const shlibs = shlibsOf(shlibsFile);
  const newest = new Map();
  const packages = new Set();
  for (const file of files) {
    if (processorOf(file) !== processor) throw new Error(`${file} is not for ${processor}`);
    for (const [, name, version] of readelf(["-V", file]).matchAll(/Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+)/g))
      if (compareVersions(version, newest.get(name) ?? "0") > 0) newest.set(name, version);
    for (const [, library] of readelf(["-d", file]).matchAll(/\(NEEDED\).*\[([^\]]+)\]/g)) {
      if (own.has(library)) continue;
      const carrier = SYSTEM_LIBRARIES.get(library) ?? shlibs.get(library);
      if (carrier === undefined) throw new Error(`${file} needs ${library}, which no known package carries`);
      packages.add(carrier);
    }
  }
  for (const [name, version] of newest)
    if (compareVersions(version, SUITE_LIMITS[suite][name]) > 0)
      throw new Error(`${name}_${version} is needed; ${suite} has ${SUITE_LIMITS[suite][name]}`);
  return [...packages].map((name) => withVersion(name, newest)).sort();
}

function withVersion(name, newest) {
  if (name === "libc6") return `libc6 (>= ${newest.get("GLIBC")})`;
  if (name !== "libstdc++6") return name;
  const version = LIBSTDCXX_PACKAGES[newest.get("GLIBCXX")];
  return version === undefined ? name : `libstdc++6 (>= ${version})`;
}

/** Lines of `library version dependency`, for instance `libavutil 57 libavutil57 (>= 7:5.0)`. */
function shlibsOf(file) {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.includes(": "));
  return new Map(
    lines.map((line) => {
      const [library, version, ...dependency] = line.split(" ");
      return [`${library}.so.${version}`, dependency.join(" ")];
    }),
  );
}

function compareVersions(left, right) {
  const [a, b] = [left, right].map((text) => text.split(".").map(Number));
  for (let at = 0; at < Math.max(a.length, b.length); at += 1)
    if ((a[at] ?? 0) !== (b[at] ?? 0)) return (a[at] ?? 0) - (b[at] ?? 0);
  return 0;
}

function readelf(args) {
  const done = spawnSync("readelf", ["-W", ...args], { encoding: "utf8", maxBuffer: 1e8 });
  if (done.status === 0) return done.stdout;
  throw new Error(`readelf ${args.join(" ")}: ${done.stderr || done.error?.message}`);
}
