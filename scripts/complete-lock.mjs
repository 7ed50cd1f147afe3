/**
 * Completes package-lock.json after `npm install`: `node scripts/complete-lock.mjs [ROOT]`, with `--check` it only reports.
 *
 * npm leaves optional packages of other platforms out of the lock when the registry in use does not carry them, and
 * `npm ci` then refuses the lock everywhere ("Missing: … from lock file", npm/cli#4828). Their entries need no more
 * than a version and the platform: on any other one they are passed over.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

/** Entries that the lock lacks: path to entry. Throws when a package's platform cannot be told from its name. */
export function missingEntries(lock) {
  const missing = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isThere(lock.packages, path, name)) continue;
      const version = range.replace(/^[~^]/, "");
      if (!/^\d+\.\d+\.\d+/.test(version))
        throw new Error(`${name} ${range}: no version to write into the lock`);
      missing[`node_modules/${name}`] = {
        version,
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
        ...platformOf(name),
      };
    }
  }
  return missing;
}

/** Whether Node would find `name` from the package at `path`. */
function isThere(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    if (packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === "") return false;
  }
}

function platformOf(name) {
  const words = name.replace("linuxmusl", "linux-musl").split(/[-/]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  if (os.length === 0 && cpu.length === 0)
    throw new Error(`${name}: its name tells no platform; add it by hand`);
  const libc = words.includes("musl")
    ? ["musl"]
    : words.some((word) => word === "gnu" || word === "glibc")
      ? ["glibc"]
      : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}

/** The lock with all entries, in npm's order. */
export function completed(lock) {
  const packages = Object.entries({ ...lock.packages, ...missingEntries(lock) });
  return { ...lock, packages: Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, "en"))) };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [root = dirname(dirname(fileURLToPath(import.meta.url)))] = process.argv
    .slice(2)
    .filter((word) => !word.startsWith("--"));
  const file = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const names = Object.keys(missingEntries(lock));
  if (names.length === 0) console.log("lock: complete");
  else if (process.argv.includes("--check")) {
    console.error(`package-lock.json lacks ${names.join(", ")}: node scripts/complete-lock.mjs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, `${JSON.stringify(completed(lock), null, 2)}\n`);
    console.log(`lock: added ${names.join(", ")}`);
  }
}
