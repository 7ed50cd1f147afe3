import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const PAGE = join(REPOSITORY_ROOT, "src", "page");
const sheets = readdirSync(PAGE, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".css"),
);

/** The classes that a sheet's selectors begin with: those that it gives a look, wherever they are. */
function ownClasses(sheet: string): string[] {
  const text = readFileSync(join(PAGE, sheet), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = ""]) => list.split(","));
  const classes = selectors.map((selector) => /^\s*\.([a-z][\w-]*)(?![^\s]*\()/.exec(selector)?.[1]);
  return [...new Set(classes.filter((name) => name !== undefined))];
}

// All sheets are joined into one file: a class of one screen would change another that has one of the same name.
it("a class has its look from the sheets of one part of the page", () => {
  const partsOf = new Map<string, Set<string>>();
  for (const sheet of sheets) {
    // What all screens share, `style/` and `control/`, is one part.
    const part = /^(?:style|control)\//.test(sheet) ? "shared" : (sheet.split("/")[0] ?? "");
    for (const name of ownClasses(sheet)) partsOf.set(name, (partsOf.get(name) ?? new Set()).add(part));
  }
  const shared = [...partsOf].filter(([, parts]) => parts.size > 1).map(([name, parts]) => [name, ...parts]);
  expect(shared).toEqual([]);
});
