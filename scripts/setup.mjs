/**
 * Makes a fresh checkout ready: `node scripts/setup.mjs build|run|test|torture|bench`.
 *
 * Checks Node, installs missing Debian packages (as root; otherwise prints the one line to run and stops with
 * status 1), installs the npm packages of package-lock.json and builds the addon and the TypeScript. What is
 * there already is left alone, so a second run takes a fraction of a second. Plain Node: runs before
 * node_modules exists.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { crossBuildMissing, installCrossPackages } from "./cross-build.mjs";
import { CROSS_BUILDING_USES, DEBIAN_PACKAGES } from "./debian-packages.mjs";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
const DPKG_FORMAT = "${binary:Package} ${db:Status-Status}\n";
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A step that cannot go on; the message says what to do. */
export class SetupError extends Error {}

/** Node lines that uWebSockets.js (uws-pack 20.0.8) has binaries for and that still get fixes here. */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12)) return;
  throw new SetupError(
    `Node ${version} is not supported: install Node 22 (22.12 or later) or Node 20 (20.19 or later).`,
  );
}

/** Names of `wanted` that dpkg does not report as installed. */
export function missingPackages(wanted) {
  const result = spawnSync("dpkg-query", ["-W", "-f", DPKG_FORMAT, ...wanted], {
    encoding: "utf8",
  });
  if (result.error) {
    console.warn(
      `setup: no dpkg here; nvrd is built and tested on Debian 12 and 13 with: ${wanted.join(" ")}`,
    );
    return [];
  }
  const installed = new Set(
    result.stdout
      .split("\n")
      .filter((line) => line.endsWith(" installed"))
      .map((line) => line.split(/[: ]/, 1)[0]),
  );
  return wanted.filter((name) => !installed.has(name));
}

function installPackages(missing) {
  const install = ["install", "-y", "--no-install-recommends", ...missing];
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      `Debian packages are missing. Run this line, then start again:\n\n  sudo apt-get update && sudo apt-get ${install.join(" ")}\n`,
    );
  }
  console.log(`setup: installing ${missing.join(" ")}`);
  runLoud("apt-get", ["-o", "Acquire::Retries=3", "update"], { warnOnly: true });
  runLoud("apt-get", ["-o", "Acquire::Retries=3", "-o", "Dpkg::Use-Pty=0", ...install]);
}

/** What the tests of another processor's build need. Without it they are left out, with the reason in their names. */
function installForCrossBuild() {
  if (process.getuid?.() !== 0 || crossBuildMissing("arm64") === undefined) return;
  try {
    installCrossPackages("arm64");
  } catch (error) {
    console.warn(`setup: ${error.message}; the tests of the arm64 build are left out`);
  }
}

function runLoud(command, args, options = {}) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"], env });
  if (result.status === 0) return;
  const reason = result.error?.message ?? `status ${result.status ?? result.signal}`;
  const text = `${command} ${args.join(" ")} failed (${reason})`;
  if (!options.warnOnly) throw new SetupError(`${text}; see its output above.`);
  console.warn(`setup: ${text}; going on with what is there`);
}

/**
 * The first package of package-lock.json that node_modules lacks or has in another version; undefined when all
 * are there. Packages beyond the lock do not matter, nor optional ones for other platforms.
 */
export function staleNpmPackage(root) {
  const installedFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return "node_modules";
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.optional || entry.devOptional) continue;
    if (installed[path]?.version !== entry.version) return path;
  }
  return undefined;
}

function installNpmPackages() {
  const stale = staleNpmPackage(ROOT);
  if (stale === undefined) return;
  const modules = join(ROOT, "node_modules");
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm ci would empty the folder the link points to, which other checkouts may use.
    console.warn(`setup: ${stale} differs from package-lock.json; node_modules is a link and is left alone`);
    return;
  }
  console.log(`setup: npm ci (${stale} is missing or differs from package-lock.json)`);
  // Every native package here carries its binaries: no install script has to run.
  // Node was checked above: uws-pack asks for 22 and carries the binary for 20, which npm would warn about.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) runLoud(process.execPath, [npm, ...args]);
  else runLoud("npm", args);
}

export function setUp(use) {
  const wanted = DEBIAN_PACKAGES[use];
  if (wanted === undefined) {
    throw new SetupError(`unknown use "${use}": one of ${Object.keys(DEBIAN_PACKAGES).join(", ")}`);
  }
  checkNode(process.versions.node);
  const missing = missingPackages(wanted);
  if (missing.length > 0) installPackages(missing);
  if (CROSS_BUILDING_USES.has(use)) installForCrossBuild();
  installNpmPackages();
  build(ROOT, (script, args) =>
    execFileSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: "inherit" }),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    setUp(process.argv[2] ?? "build");
  } catch (error) {
    if (!(error instanceof SetupError) && error.status === undefined) throw error;
    console.error(
      error instanceof SetupError ? `setup: ${error.message}` : "setup: the build failed, see above",
    );
    process.exitCode = 1;
  }
}
