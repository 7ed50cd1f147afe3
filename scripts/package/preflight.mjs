/** Checks that this machine has what building a package needs, before the long work begins. */
import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { hostSuite, SUITES, sourcesFor } from "./apt.mjs";
import { crossTool, HOST_PROCESSORS } from "./native-parts.mjs";

/** By program: the Debian package that brings it. */
const TOOLS = {
  "dpkg-deb": "dpkg",
  git: "git",
  md5sum: "coreutils",
  npm: "npm",
  "pkg-config": "pkg-config",
  readelf: "binutils",
  tar: "tar",
};
/** Of a processor's compiler. */
const COMPILER_TOOLS = ["g++", "gcc", "strip"];
const COMPILERS = { amd64: "g++-x86-64-linux-gnu", arm64: "g++-aarch64-linux-gnu" };
/** Modules, Node, tree and .deb of one package; libraries of another suite are among it. */
const BYTES_PER_PACKAGE = 1_200_000_000;

/**
 * Throws one Error with all that is missing, with a line to paste where packages are. `has` and `freeBytes` are those of
 * this machine by default.
 * @param {string} root
 * @param {readonly { suite: string, processor: string }[]} packages
 * @param {{ has?: (program: string) => boolean, freeBytes?: number, suite?: string, processor?: string, sources?: (suite: string) => unknown }} [machine]
 */
export function checkMachine(root, packages, machine = {}) {
  const problems = missingOf(root, packages, machine);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function missingOf(root, packages, machine) {
  const suite = machine.suite ?? hostSuite();
  const own = machine.processor ?? HOST_PROCESSORS[process.arch];
  const problems = packages
    .filter((wanted) => SUITES.indexOf(suite) > SUITES.indexOf(wanted.suite))
    .map(
      (wanted) =>
        `a package for ${wanted.suite} is built on ${wanted.suite} or an older Debian, not on ${suite}: leave --suite out for ${suite}`,
    );
  const absent = absentPackages(packages, own, machine.has ?? hasProgram);
  if (absent.length > 0)
    problems.push(
      `programs are missing. Run this line, then start again:\n\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${absent.join(" ")}\n`,
    );
  const foreign = packages.filter((wanted) => wanted.suite !== suite || wanted.processor !== own);
  if (foreign.length > 0) problems.push(...sourceProblems(foreign, machine.sources ?? sourcesFor));
  const needed = BYTES_PER_PACKAGE * Math.max(1, packages.length);
  const free = machine.freeBytes ?? freeBytesOf(join(root, "build"));
  if (free < needed)
    problems.push(
      `${Math.round(free / 1e6)} MB are free for ${join(root, "build")}, ${Math.round(needed / 1e6)} MB are needed: make room`,
    );
  return problems;
}

function absentPackages(packages, own, has) {
  const tools = Object.entries(TOOLS).flatMap(([program, name]) => (has(program) ? [] : [name]));
  const compilers = [...new Set(packages.map(({ processor }) => processor))].flatMap((processor) => {
    if (COMPILER_TOOLS.every((tool) => has(crossTool(processor, tool)))) return [];
    return [processor === own ? "g++" : COMPILERS[processor]];
  });
  return [...new Set([...tools, ...compilers])];
}

function sourceProblems(packages, sources) {
  return [...new Set(packages.map(({ suite }) => suite))].flatMap((suite) => {
    try {
      sources(suite);
      return [];
    } catch (error) {
      return [`${error.message}: the libraries of ${suite} come from there`];
    }
  });
}

function hasProgram(program) {
  return spawnSync("which", [program]).status === 0;
}

function freeBytesOf(folder) {
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
