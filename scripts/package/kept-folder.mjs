/** Folders below build/ that are made once and reused, while they and their inputs are unchanged. */
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";

const FINGERPRINT = ".fingerprint";

/**
 * `folder`, made by `make(unfinished)` unless it is there unchanged. A half-made or damaged one is made again.
 * @param {string} folder
 * @param {(unfinished: string) => void} make
 */
export function keptFolder(folder, make) {
  if (isUnchanged(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  writeFileSync(join(unfinished, FINGERPRINT), fingerprintOf(unfinished));
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return folder;
}

function isUnchanged(folder) {
  const file = join(folder, FINGERPRINT);
  return existsSync(file) && readFileSync(file, "utf8") === fingerprintOf(folder);
}

/** Of names and contents of all files. */
function fingerprintOf(folder) {
  const hash = createHash("sha256");
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of paths) {
    const name = relative(folder, path);
    if (name === FINGERPRINT) continue;
    const content = lstatSync(path).isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
