import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout, wherever this file was compiled to. */
export const REPOSITORY_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(directory: string): string {
  if (existsSync(join(directory, "package-lock.json"))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error("not inside a checkout of nvrd: no package-lock.json above");
  return findRoot(parent);
}
