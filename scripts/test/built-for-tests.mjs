/**
 * What `npm test` makes of a built checkout, for less processor time. Without `npm test`, by `npx vitest run FILE` or
 * `npm run torture`, the tests start bin/nvrd of the checkout and load the modules of src/.
 *
 * The program that the tests start is the bundle, as packages hold it: its start takes half the processor time of dist/
 * with its hundreds of modules, and the tests start it some hundred times. The modules that the tests load are those of
 * dist/, beside the bundled scripts for threads and children, of which the tests start some hundred too.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { bundleService } from "../package/bundle.mjs";
import { ADDONS } from "../package/native-parts.mjs";

const MAKERS = ["scripts/package/bundle.mjs", "scripts/test/built-for-tests.mjs"];

/**
 * The program's file and the folder of the modules, made again where they are older than what they are made of. `root` is
 * a built checkout.
 */
export async function builtForTests(root) {
  const folder = join(root, "build", "test-program");
  const modules = join(root, "build", "test-modules");
  const made = { program: join(folder, "bin", "nvrd"), modules: join(modules, "dist") };
  const stamp = join(folder, "made-of");
  const madeOf = fingerprint(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === madeOf) return made;
  copyCheckout(root, folder);
  copyCheckout(root, modules);
  for (const file of await bundleService(folder))
    if (dirname(file) !== ".") copyFileSync(join(folder, "dist", file), join(modules, "dist", file));
  writeFileSync(stamp, madeOf);
  return made;
}

function copyCheckout(root, folder) {
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
}

/** `dist/.built` is written by scripts/build.mjs and names the sources. */
function fingerprint(root) {
  const hash = createHash("sha256");
  for (const name of ["dist/.built", "bin/nvrd", "package-lock.json", ...MAKERS])
    hash.update(readFileSync(join(root, name)));
  return hash.digest("hex");
}
