/**
 * What `npm test` makes of a built checkout, for less processor time. Without `npm test`, by `npx vitest run FILE` or
 * `npm run torture`, the tests load the modules of src/.
 *
 * The modules that the tests load are those of dist/; threads and children, of which the tests start some hundred, are the
 * bundle's, one file each.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ADDONS } from "../package/native-parts.mjs";

const MADE_OF = ["dist/.built", "bundle/.made", "scripts/test/built-for-tests.mjs"];

/**
 * The folder of the modules, made again where they are older than what they are made of. `root` is a built checkout.
 * @param {string} root
 */
export function modulesForTests(root) {
  const folder = join(root, "build", "test-modules");
  const modules = join(folder, "dist");
  const stamp = join(folder, "made-of");
  const madeOf = fingerprint(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === madeOf) return modules;
  copyCheckout(root, folder);
  for (const file of startedFiles(root)) {
    const bundled = JSON.stringify(join(root, "bundle", file));
    const text = `import { createRequire } from "node:module";\ncreateRequire(import.meta.url)(${bundled});\n`;
    writeFileSync(join(modules, file), text);
  }
  writeFileSync(stamp, madeOf);
  return modules;
}

/** Files of the bundle that are started as threads and children: they keep their places. */
function startedFiles(root) {
  const files = readdirSync(join(root, "bundle"), { recursive: true });
  return files.filter((file) => file.endsWith(".js") && dirname(file) !== ".");
}

function copyCheckout(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  // The data files of src/ are read where they lie.
  for (const name of ["node_modules", "src", "bundle"]) symlinkSync(join(root, name), join(folder, name));
  // The addons are named: the folder that they are in is the one that holds this copy.
  mkdirSync(join(folder, "build/Release"), { recursive: true });
  for (const name of ADDONS)
    if (existsSync(join(root, "build", name)))
      symlinkSync(join(root, "build", name), join(folder, "build", name));
  // Without a network there may be no weights of the detector: the link leads nowhere then.
  for (const name of ["page", "http", "sight"])
    symlinkSync(join(root, "build", name), join(folder, "build", name));
}

/** `dist/.built` and `bundle/.made` are written by scripts/build.mjs and name the sources. */
function fingerprint(root) {
  const hash = createHash("sha256");
  for (const name of MADE_OF) hash.update(readFileSync(join(root, name)));
  return hash.digest("hex");
}
