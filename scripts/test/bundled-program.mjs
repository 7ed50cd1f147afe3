/**
 * The program that `npm test` starts: the bundle of this checkout, as packages hold it. Its start takes half the
 * processor time of dist/ with its hundreds of modules, and the tests start it some hundred times. Without `npm test`,
 * by `npx vitest run FILE` or `npm run torture`, the tests start bin/nvrd of the checkout itself.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleService } from "../package/bundle.mjs";
import { ADDONS } from "../package/native-parts.mjs";

const BUNDLER = "scripts/package/bundle.mjs";

/** The program's file, its bundle made where it is older than what it is made of. `root` is a built checkout. */
export async function bundledProgram(root) {
  const folder = join(root, "build", "test-program");
  const program = join(folder, "bin", "nvrd");
  const stamp = join(folder, "made-of");
  const made = fingerprint(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === made) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["dist", "bin", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  // The data files of src/ are read where they lie.
  for (const name of ["node_modules", "src"]) symlinkSync(join(root, name), join(folder, name));
  // The addons are named: the folder that they are in is the one that holds this copy.
  mkdirSync(join(folder, "build/Release"), { recursive: true });
  for (const name of ADDONS)
    if (existsSync(join(root, "build", name)))
      symlinkSync(join(root, "build", name), join(folder, "build", name));
  symlinkSync(join(root, "build/page"), join(folder, "build/page"));
  await bundleService(folder);
  writeFileSync(stamp, made);
  return program;
}

/** `dist/.built` is written by scripts/build.mjs and names the sources. */
function fingerprint(root) {
  const hash = createHash("sha256");
  for (const name of ["dist/.built", "bin/nvrd", "package-lock.json", BUNDLER])
    hash.update(readFileSync(join(root, name)));
  return hash.digest("hex");
}
