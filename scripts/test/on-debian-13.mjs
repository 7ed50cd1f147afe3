/**
 * Runs tests under the Node that Debian 13's package carries, with the build of the HTTP library for it:
 *
 *   node scripts/test/on-debian-13.mjs test/http [FILE...]
 *
 * That library needs Debian 13's glibc, so the tests run in a root of it below build/kept/, with this checkout at its place. It
 * takes root and mmdebstrap; without them it says so and ends with status 0. The tests are those that need no more than Node.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { nodeRuntime } from "../node-runtime.mjs";
import { sourcesFor } from "../package/apt.mjs";
import { HOST_PROCESSORS } from "../package/native-parts.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SUITE = "trixie";
const PACKAGES = ["ca-certificates", "curl", "libstdc++6", "openssl"];
const MAKE_MS_MAX = 300_000;
/** In a mount namespace of its own: what is mounted goes with it. */
const INSIDE = `set -e
mkdir -p "$BASE$CHECKOUT"
mount --bind "$CHECKOUT" "$BASE$CHECKOUT"
[ -e "$BASE/etc/hosts" ] || printf '127.0.0.1 localhost\\n::1 localhost\\n' > "$BASE/etc/hosts"
mount --rbind /dev "$BASE/dev"
mount -t proc proc "$BASE/proc"
exec chroot "$BASE" /usr/bin/env -C "$CHECKOUT" -u BASE -u CHECKOUT PATH="$(dirname "$NODE"):$PATH" "$NODE" node_modules/vitest/vitest.mjs run "$@"`;

/** Why there can be no such root here; undefined where there can. */
function missing() {
  if (process.getuid?.() !== 0) return "only root can make a Debian";
  const absent = ["mmdebstrap", "unshare"].find((program) => spawnSync("which", [program]).status !== 0);
  return absent === undefined ? undefined : `${absent} is not installed`;
}

/** A root of Debian 13, made where there is none yet. */
function debianRoot() {
  const folder = join(ROOT, "build/kept/debian-13");
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  const lists = join(ROOT, "build/kept", `debian-13-sources.${process.pid}`);
  mkdirSync(lists, { recursive: true });
  try {
    const sources = [...sourcesFor(SUITE)].map(([name, text]) => {
      const file = join(lists, name);
      writeFileSync(file, text);
      return file;
    });
    const options = ["--variant=minbase", `--include=${PACKAGES.join(",")}`, "--quiet"];
    const made = spawnSync("mmdebstrap", [...options, SUITE, unfinished, ...sources], {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: MAKE_MS_MAX,
    });
    if (made.status !== 0) throw new Error(`mmdebstrap: ${made.error?.message ?? `status ${made.status}`}`);
    renameSync(unfinished, folder);
  } finally {
    rmSync(lists, { recursive: true, force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function main(files) {
  const reason = missing();
  if (reason !== undefined) {
    console.log(`tests under Debian 13's Node are left out: ${reason}`);
    return 0;
  }
  const node = join(nodeRuntime(HOST_PROCESSORS[process.arch], SUITE), "bin/node");
  const env = { ...process.env, BASE: debianRoot(), CHECKOUT: ROOT, NODE: node };
  const options = { stdio: ["ignore", "inherit", "inherit"], env };
  const args = ["-m", "--propagation", "private", "bash", "-c", INSIDE, "bash", ...files];
  return spawnSync("unshare", args, options).status ?? 1;
}

process.exitCode = main(process.argv.slice(2));
