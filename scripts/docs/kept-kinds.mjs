/** The small files that src/ declares with `keptKind`, for docs/design/small-files.md and the test of all of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DECLARATION = /^export const \w+ = keptKind\(/gm;
const CALL = /\bkeptKind\(/g;

/**
 * All kinds, by name. `load` imports a module, given by its path below src/. Throws where one is declared that its module does
 * not export: it would be missing here.
 */
export async function keptKinds(root, load) {
  const src = join(root, "src");
  const kinds = [];
  for (const file of readdirSync(src, { recursive: true })) {
    if (!file.endsWith(".ts") || file.startsWith("kept/")) continue;
    const source = readFileSync(join(src, file), "utf8");
    const count = source.match(CALL)?.length ?? 0;
    if (count === 0) continue;
    if ((source.match(DECLARATION)?.length ?? 0) !== count)
      throw new Error(`src/${file}: each keptKind is an exported constant`);
    for (const value of Object.values(await load(file))) if (isKind(value)) kinds.push(value);
  }
  return kinds.sort((one, other) => (one.label < other.label ? -1 : 1));
}

function isKind(value) {
  return value?.constructor?.name === "KeptKind";
}
