/**
 * Makes a fresh checkout ready: `node scripts/setup.mjs build|run|test|torture|bench`.
 *
 * Checks Node, installs missing Debian packages (as root; otherwise prints the one line to run and stops with
 * status 1), installs the npm packages of package-lock.json and builds the addon and the TypeScript. What is
 * there already is left alone, so a second run takes a fraction of a second. Plain Node: runs before
 * node_modules exists.
 */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { crossBuildMissing, installCrossPackages } from "./cross-build.mjs";
import { APT_OPTIONS, CROSS_BUILDING_USES, DEBIAN_PACKAGES, purposesOf } from "./debian-packages.mjs";
import { runStep, StepError } from "./step.mjs";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
const DPKG_FORMAT = "${binary:Package} ${db:Status-Status}\n";
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A step that cannot go on; the message says what to do. */
export class SetupError extends Error {}

/** Node lines that one of the two builds of uWebSockets.js has binaries for (src/http/library.ts) and that still get fixes. */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || (major === 24 && minor >= 11)) return;
  throw new SetupError(
    `Node ${version} is not supported: install Node 22 (22.12 or later), on Debian 13 Node 24 (24.11 or later), or Node 20 (20.19 or later).`,
  );
}

/** Names of `wanted` that dpkg does not report as installed for this machine's own processor. */
export function missingPackages(wanted) {
  const result = spawnSync("dpkg-query", ["-W", "-f", DPKG_FORMAT, ...wanted], { encoding: "utf8" });
  const own = spawnSync("dpkg", ["--print-architecture"], { encoding: "utf8" });
  if (result.error || own.error) {
    console.warn(
      `setup: no dpkg here; nvrd is built and tested on Debian 12 and 13 with: ${wanted.join(" ")}`,
    );
    return [];
  }
  return missingOf(wanted, result.stdout, own.stdout.trim());
}

/** Names of `wanted` that `listing` (DPKG_FORMAT) lacks for the processor `own`: another one's package is of no use here. */
export function missingOf(wanted, listing, own) {
  const lines = new Set(listing.split("\n"));
  return wanted.filter((name) => !lines.has(`${name} installed`) && !lines.has(`${name}:${own} installed`));
}

async function installPackages(use, missing) {
  const install = ["install", "-y", "--no-install-recommends", ...missing];
  const reasons = purposesOf(missing).map((line) => `  ${line}\n`);
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      `Debian packages are missing:\n${reasons.join("")}Run this line, then start again:\n\n  sudo apt-get update && sudo apt-get ${install.join(" ")}\n`,
    );
  }
  console.log(`setup: "${use}" needs Debian packages that this machine lacks:\n${reasons.join("")}`);
  if (!(await isAgreed())) throw new SetupError("nothing was installed");
  await runLoud("apt-get", [...APT_OPTIONS, "update"], { warnOnly: true });
  await withoutStarts(() =>
    runLoud("apt-get", [...APT_OPTIONS, ...install], {
      title: `${missing.length} Debian packages; the download takes minutes on a slow line`,
    }),
  );
}

/** Asks whoever sits at a terminal; elsewhere the command was the answer. */
async function isAgreed() {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question("Install them with apt-get? [Y/n] ");
    return /^(?:y(?:es)?)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** Debian asks it before a package's service is started (invoke-rc.d(8), deb-systemd-invoke(1p)); 101 forbids it. */
const START_POLICY = "/usr/sbin/policy-rc.d";
const NO_STARTS = "#!/bin/sh\n# Of nvrd's set-up, while it installs packages: may be removed.\nexit 101\n";
/** The status of a program that a signal has ended is this, and the signal's number. */
const SIGNAL_STATUS = 128;

/**
 * Runs `install` so that no service starts that a package brings: tests start their own, on ports of their own. The machine is as
 * before when that ends, is interrupted, or was killed in an earlier set-up. A machine's own policy stands.
 */
export async function withoutStarts(install, policy = START_POLICY) {
  if (existsSync(policy) && readFileSync(policy, "utf8") !== NO_STARTS) return await install();
  const remove = () => rmSync(policy, { force: true });
  const ends = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [
    signal,
    () => {
      remove();
      process.exit(SIGNAL_STATUS + constants.signals[signal]);
    },
  ]);
  for (const [signal, end] of ends) process.once(signal, end);
  writeFileSync(policy, NO_STARTS, { mode: 0o755 });
  try {
    return await install();
  } finally {
    for (const [signal, end] of ends) process.off(signal, end);
    remove();
  }
}

/** What the tests of another processor's build need. Without it they are left out, with the reason in their names. */
function installForCrossBuild() {
  if (process.getuid?.() !== 0 || crossBuildMissing("arm64") === undefined) return;
  console.log(
    "setup: the tests of the arm64 build need arm64 packages: dpkg --add-architecture arm64, and what follows",
  );
  try {
    installCrossPackages("arm64");
  } catch (error) {
    console.warn(`setup: ${error.message}; the tests of the arm64 build are left out`);
  }
}

/** Runs a step whose output the user sees; a title says what it is and how long it takes. */
async function runLoud(command, args, { title, warnOnly = false } = {}) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const text = `${command} ${args.join(" ")}`;
  try {
    await runStep(command, args, { title, cwd: ROOT, env });
  } catch (error) {
    if (!warnOnly) throw new SetupError(`${text} failed (${error.message}); see its output above.`);
    console.warn(`setup: ${text} failed (${error.message}); going on with what is there`);
  }
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

async function installNpmPackages() {
  const stale = staleNpmPackage(ROOT);
  if (stale === undefined) return;
  const modules = join(ROOT, "node_modules");
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm ci would empty the folder the link points to, which other checkouts may use.
    console.warn(`setup: ${stale} differs from package-lock.json; node_modules is a link and is left alone`);
    return;
  }
  const title = `npm ci, because ${stale} is missing or differs from package-lock.json; takes up to a minute`;
  // Every native package here carries its binaries: no install script has to run.
  // Node was checked above: uws-pack asks for 22 and carries the binary for 20, which npm would warn about.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) await runLoud(process.execPath, [npm, ...args], { title });
  else await runLoud("npm", args, { title });
}

/** What a use needs of the machine: Debian packages, and whether it builds for another processor too. */
export function needsOf(use) {
  const packages = DEBIAN_PACKAGES[use];
  if (packages === undefined) {
    throw new SetupError(`unknown use "${use}": one of ${Object.keys(DEBIAN_PACKAGES).join(", ")}`);
  }
  return { use, packages, isCrossBuilt: CROSS_BUILDING_USES.has(use) };
}

/** Makes the checkout ready for `needsOf` a use, or for a part of that. */
export async function setUp({ use, packages, isCrossBuilt }) {
  checkNode(process.versions.node);
  const missing = missingPackages(packages);
  if (missing.length > 0) await installPackages(use, missing);
  if (isCrossBuilt) installForCrossBuild();
  await installNpmPackages();
  await build(ROOT, (script, args, title) =>
    runStep(process.execPath, [script, ...args], { title, cwd: ROOT }),
  );
}

/** Sets up for what `makeNeeds` returns; false, with the reason on stderr, where that is not possible. */
export async function isSetUp(makeNeeds) {
  try {
    await setUp(makeNeeds());
    return true;
  } catch (error) {
    if (!(error instanceof SetupError) && !(error instanceof StepError)) throw error;
    console.error(
      error instanceof SetupError ? `setup: ${error.message}` : "setup: the build failed, see above",
    );
    return false;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!(await isSetUp(() => needsOf(process.argv[2] ?? "build")))) process.exitCode = 1;
}
