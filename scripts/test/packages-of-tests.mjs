/**
 * The Debian packages that some tests need: those of the programs that their files start, support files included, and
 * what lies beside programs: plugins, libraries, modules of Python. `npm test -- base` installs nothing for cameras.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { PROGRAM_PACKAGES, programsIn } from "./programs.mjs";

/** Packages that no program's name leads to, by what a file of the tests says that needs them. */
const BESIDE_PROGRAMS = [
  [
    /\bgst[-_]|\bGst\b/,
    ["gir1.2-gst-plugins-base-1.0", "gir1.2-gst-rtsp-server-1.0", "gstreamer1.0-libav"],
    [
      "gstreamer1.0-plugins-bad",
      "gstreamer1.0-plugins-base",
      "gstreamer1.0-plugins-good",
      "gstreamer1.0-rtsp",
    ],
    ["gstreamer1.0-tools", "python3", "python3-gi"],
  ],
  [/\bc?vlc\b/, ["vlc-plugin-base"]],
  [/\bphp\b/, ["php-xml"]],
  [/\burllib3\b/, ["python3-urllib3"]],
  [/\bprometheus_client\b/, ["python3-prometheus-client"]],
  [/\b(?:import yaml|yaml\.safe_load)\b/, ["python3-yaml"]],
  [/\bnginx\b|\bcaddy\b|\bhaproxy\b/i, ["caddy", "haproxy", "nginx"]],
  [/\bfuse3?\b/, ["fuse3", "libfuse3-dev"]],
  [/\bclang\b/, ["libclang-rt-dev"]],
  [/\bframe-path\.mjs\b/, ["valgrind"]],
  [/\bxfs\b/, ["xfsprogs"]],
  [/\bsystemd-nspawn\b/, ["dbus", "iputils-arping", "procps", "systemd"]],
  [/\barping\b/, ["iputils-arping"]],
  [/\bpreflight\.mjs\b|\bscripts\/package\b/, ["binutils"]],
];

/** Where tests of the other processor's build are: they need its compiler. */
const CROSS_BUILT = /\bcross-build\.mjs\b|\baarch64-linux-gnu\b/;

const IMPORTED = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']|new URL\(\s*["'`](\.{0,2}[^"'`:]+)["'`]/g;
const NAMED_SCRIPT = /["'`/]([\w-]+\.(?:py|php|c|cc|mjs|cjs))["'`]/g;

/** The Debian packages for the test files below `folders` (`test/base`), of those that `npm test` installs: `all`. */
export function packagesOfTests(root, folders, all) {
  const files = filesOfTests(root, folders);
  const texts = [...files].map((file) => readFileSync(file, "utf8"));
  const wanted = new Set(texts.flatMap((text) => [...ofPrograms(text), ...besidePrograms(text)]));
  return all.filter((name) => wanted.has(name));
}

/** Whether tests below `folders` try the build for another processor. */
export function areCrossBuilt(root, folders) {
  return [...filesOfTests(root, folders)].some((file) => CROSS_BUILT.test(readFileSync(file, "utf8")));
}

function ofPrograms(text) {
  return programsIn(text).flatMap((program) => PROGRAM_PACKAGES[program] ?? []);
}

function besidePrograms(text) {
  return BESIDE_PROGRAMS.filter(([sign]) => sign.test(text)).flatMap(([, ...packages]) => packages.flat());
}

/** The test files below `folders`, and what they import or name of `test/`, and so on. */
function filesOfTests(root, folders) {
  const tests = join(root, "test");
  const byName = scriptsByName(tests);
  const seen = new Set(folders.flatMap((folder) => testFilesBelow(join(root, folder))));
  for (const file of seen)
    for (const next of [...importsOf(file), ...scriptsNamed(file, byName)])
      if (!relative(tests, next).startsWith("..")) seen.add(next);
  return seen;
}

function testFilesBelow(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => join(path, name));
}

function importsOf(file) {
  return [...readFileSync(file, "utf8").matchAll(IMPORTED)].flatMap(([, imported, address]) => {
    const path = resolve(dirname(file), imported ?? address);
    const candidates = [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx"), path];
    return candidates.filter((name) => existsSync(name) && statSync(name).isFile()).slice(0, 1);
  });
}

/** Programs of the tests that are started by their names: scripts of Python and PHP, C that is compiled. */
function scriptsNamed(file, byName) {
  return [...readFileSync(file, "utf8").matchAll(NAMED_SCRIPT)].flatMap(([, name]) => byName.get(name) ?? []);
}

function scriptsByName(tests) {
  const all = readdirSync(tests, { recursive: true }).filter((name) =>
    /\.(?:py|php|c|cc|mjs|cjs)$/.test(name),
  );
  return new Map(all.map((name) => [basename(name), [join(tests, name)]]));
}
