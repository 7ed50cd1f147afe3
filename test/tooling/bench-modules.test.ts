import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const BENCHES = join(REPOSITORY_ROOT, "test/bench/scripts");

/** Paths below dist/ that a script loads: by its `load`, or by name. */
function loadedBy(script: string): string[] {
  const text = readFileSync(join(BENCHES, script), "utf8");
  return [...text.matchAll(/\bload\("([^"]+\.js)"\)|\bdist\/([\w/-]+\.js)/g)].map(
    ([, loaded, named]) => loaded ?? named ?? "",
  );
}

it("every module that a bench's script loads from the built service has its source", () => {
  const scripts = readdirSync(BENCHES).filter((name) => name.endsWith(".mjs"));
  const loaded = scripts.flatMap((script) => loadedBy(script).map((path) => ({ script, path })));
  expect(loaded.length).toBeGreaterThan(20);
  const isThere = ({ path }: { readonly path: string }) =>
    existsSync(join(REPOSITORY_ROOT, "src", path.replace(/\.js$/, ".ts")));
  expect(loaded.filter((one) => !isThere(one))).toEqual([]);
});
