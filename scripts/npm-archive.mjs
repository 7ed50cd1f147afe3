/**
 * One npm package, unpacked and checked against a hash that is written down here: never as a dependency, and without what it
 * depends on. npm's own configuration says which registry it comes from.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const FETCH_MS_MAX = 180_000;

/**
 * Puts the files of a package into `target`, which must not exist. Throws when it does not come, or is not what was meant.
 * @param {{ name: string, version: string, integrity: string }} wanted
 * @param {string} target
 */
export function fetchNpmPackage({ name, version, integrity }, target) {
  const wanted = `${name}@${version}`;
  mkdirSync(dirname(target), { recursive: true });
  const place = mkdtempSync(`${target}.`);
  try {
    const args = ["pack", wanted, "--pack-destination", place, "--silent"];
    const packed = spawnSync("npm", args, { encoding: "utf8", timeout: FETCH_MS_MAX });
    if (packed.status !== 0) throw new Error(`npm pack ${wanted}: ${packed.stderr || packed.error?.message}`);
    const archive = join(place, readdirSync(place).find((file) => file.endsWith(".tgz")) ?? "");
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${wanted} is ${found}, not ${integrity}`);
    const tar = spawnSync("tar", ["-xzf", archive, "-C", place, "--no-same-owner"], { encoding: "utf8" });
    if (tar.status !== 0) throw new Error(`tar -xzf ${archive}: ${tar.stderr}`);
    renameSync(join(place, "package"), target);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
