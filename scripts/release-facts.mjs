/**
 * What a build is of: `build/release.json`, made by each build, read by the program (`src/base/process/version.ts`) and by
 * what makes packages and images.
 *
 * A build of the commit with the tag `v1.0.0` is 1.0.0. Every other one is on its way to the version in package.json, and says when its
 * commit was made and which it is: 1.0.0~git202611281730.abc12345, which Debian sorts before 1.0.0 (deb-version(7)) and after older ones.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FACTS = join("build", "release.json");
const COMMIT_CHARACTERS = 8;

/**
 * @param {string} root a checkout, or its files without git
 * @returns {{ version: string, commit: string, date: string }} `date`: of the commit, ISO 8601, UTC; commit and date are empty
 * where git does not know them
 */
export function releaseFacts(root) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commit = git(root, "rev-parse", "HEAD");
  if (commit === undefined || git(root, "rev-parse", "--show-toplevel") !== realpathSync(root))
    return { version: `${version}~local`, commit: "", date: "" };
  const date = new Date(Number(git(root, "log", "-1", "--format=%ct")) * 1000).toISOString();
  const isReleased = git(root, "tag", "--points-at", "HEAD")?.split("\n").includes(`v${version}`) === true;
  const isChanged = git(root, "status", "--porcelain", "--untracked-files=no") !== "";
  const stamp = date.replace(/\D/g, "").slice(0, "YYYYMMDDhhmm".length);
  const own = isReleased ? "" : `~git${stamp}.${commit.slice(0, COMMIT_CHARACTERS)}`;
  return { version: `${version}${own}${isChanged ? "+changed" : ""}`, commit, date };
}

/** Writes them, where they are not written yet. */
export function keepReleaseFacts(root) {
  const file = join(root, FACTS);
  const text = `${JSON.stringify(releaseFacts(root))}\n`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Those of the last build. Throws where nothing was built. */
export function keptReleaseFacts(root) {
  return JSON.parse(readFileSync(join(root, FACTS), "utf8"));
}

function git(root, ...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
