/**
 * Builds nvrd.node and codec.node for another processor, and fetches a Node of it that runs under qemu-user:
 *
 *   node scripts/cross-build.mjs arm64 [--packages]
 *
 * The addons go to build/arm64, Node to build/arm64/node. Missing Debian packages are named; with --packages they are
 * installed (as root) and nothing is built. What is there already is left alone.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { APT_OPTIONS } from "./debian-packages.mjs";
import { nodeRuntime } from "./node-runtime.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
const DPKG_FORMAT = "${binary:Package} ${db:Status-Status}\n";

/** By Debian's name of the processor. */
const MACHINES = {
  arm64: {
    triplet: "aarch64-linux-gnu",
    emulator: "qemu-aarch64-static",
  },
};
const LIBRARIES = ["libavcodec-dev", "libavutil-dev", "libswresample-dev", "libswscale-dev"];

/** The Debian packages for a cross build and for running its results. */
function packagesOf(name) {
  const tools = [`g++-${MACHINES[name].triplet}`, "qemu-user-static"];
  return [...tools, ...LIBRARIES.map((library) => `${library}:${name}`)];
}

/** Those of packagesOf() that dpkg does not report as installed; all of them where there is no dpkg. */
export function missingCrossPackages(name) {
  const wanted = packagesOf(name);
  const { stdout } = spawnSync("dpkg-query", ["-W", "-f", DPKG_FORMAT, ...wanted], { encoding: "utf8" });
  const installed = new Set(
    (stdout ?? "")
      .split("\n")
      .filter((line) => line.endsWith(" installed"))
      .map((line) => line.split(" ", 1)[0]),
  );
  return wanted.filter((entry) => !installed.has(entry));
}

/** Why nothing can be built for `name` here; undefined when it can. */
export function crossBuildMissing(name) {
  if (process.arch !== "x64") return "a machine that is not x86-64";
  const missing = missingCrossPackages(name);
  return missing.length === 0 ? undefined : missing.join(" ");
}

/** Installs what is missing. Throws when that fails. */
export function installCrossPackages(name) {
  if (process.arch !== "x64") return;
  const missing = missingCrossPackages(name);
  if (missing.length === 0) return;
  console.log(`cross build: installing ${missing.join(" ")}`);
  run("dpkg", ["--add-architecture", name]);
  run("apt-get", [...APT_OPTIONS, "update"]);
  run("apt-get", [...APT_OPTIONS, "install", "-y", "--no-install-recommends", ...missing]);
}

function run(command, args, env = {}) {
  const options = { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } };
  const result = spawnSync(command, args, options);
  if (result.status === 0) return;
  throw new Error(`${command} ${args.join(" ")}: ${result.error?.message ?? `status ${result.status}`}`);
}

/** The folder with the addons for `name`, or with the one named, built where they are older than their sources. */
export function crossBuild(name, addon) {
  const { triplet } = MACHINES[name];
  const output = join(ROOT, "build", name);
  const only = addon === undefined ? [] : ["--only", addon];
  run(process.execPath, [join(ROOT, "scripts/build-native.mjs"), "--output", output, ...only], {
    CXX: `${triplet}-g++`,
    PKG_CONFIG_LIBDIR: `/usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig`,
  });
  return output;
}

/** The command that runs Node for `name` here, fetched at the first call. Throws when the download is not the expected one. */
export function crossNode(name) {
  return [MACHINES[name].emulator, join(nodeRuntime(name), "bin/node")];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = "", option] = process.argv.slice(2);
  if (!Object.hasOwn(MACHINES, name) || (option !== undefined && option !== "--packages")) {
    console.error(
      `cross build: node scripts/cross-build.mjs ${Object.keys(MACHINES).join("|")} [--packages]`,
    );
    process.exit(2);
  }
  try {
    if (option === "--packages") installCrossPackages(name);
    else {
      const missing = crossBuildMissing(name);
      if (missing !== undefined) {
        throw new Error(`missing: ${missing}. As root: node scripts/cross-build.mjs ${name} --packages`);
      }
      console.log(`cross build: ${crossBuild(name)}, run by: ${crossNode(name).join(" ")}`);
    }
  } catch (error) {
    console.error(`cross build: ${error.message}`);
    process.exitCode = 1;
  }
}
