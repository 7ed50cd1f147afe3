import path from "node:path";
import { fileURLToPath } from "node:url";

/** The path of a script beside the module at `moduleUrl`. Tests run from the sources, which a child cannot load: they get the built one. */
export function builtScript(moduleUrl: string, name: string): string {
  const here = fileURLToPath(moduleUrl);
  const directory = path.dirname(here);
  if (!here.endsWith(".ts")) return path.join(directory, `${name}.js`);
  const root = directory.lastIndexOf(`${path.sep}src${path.sep}`);
  return path.join(directory.slice(0, root), "dist", directory.slice(root + "/src/".length), `${name}.js`);
}
