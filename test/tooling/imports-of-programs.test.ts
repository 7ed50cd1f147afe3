import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

/** Programs in JavaScript, which no compiler checks. */
const PROGRAMS = ["test", "scripts"].flatMap((folder) =>
  readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => join(folder, name)),
);
const IMPORT = /import \{([^}]+)\} from "(\.[^"]*\/dist\/[^"]+)\.js"/g;
/** The same while the program runs, also of a folder of built modules that is an argument of it. */
const LATE_IMPORT =
  /const \{([^}]+)\} = await (?:file|import)\((?:new URL\()?"(?:[./]*\/dist\/)?([^."][^"]*)\.js"/g;

/** What a program imports of the built modules by name: the module's source, and the name there. */
function importsOf(program: string): readonly (readonly [source: string, name: string])[] {
  const text = readFileSync(join(REPOSITORY_ROOT, program), "utf8");
  const atOnce = [...text.matchAll(IMPORT)].map(([, names = "", module = ""]) => {
    const built = relative(REPOSITORY_ROOT, join(REPOSITORY_ROOT, dirname(program), module));
    return [`${built.replace(/^dist\//, "src/")}.ts`, names] as const;
  });
  const late = [...text.matchAll(LATE_IMPORT)].map(([, names = "", module = ""]) => {
    return [`src/${module}.ts`, names] as const;
  });
  return [...atOnce, ...late].flatMap(([source, names]) => {
    const plain = names.split(",").map((name) => name.trim().split(/ as |:/)[0] ?? "");
    return plain.filter((name) => name !== "").map((name) => [source, name] as const);
  });
}

/** Whether the source exports the name, itself or of another one. */
function exportsName(source: string, name: string): boolean {
  const file = join(REPOSITORY_ROOT, source);
  if (!existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  const own = new RegExp(`^export (?:async )?(?:abstract )?(?:class|const|function\\*?|let) ${name}\\b`, "m");
  const passed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  return own.test(text) || passed.some((each) => each.trim().split(" as ").at(-1) === name);
}

describe("programs beside the tests", () => {
  it.each(PROGRAMS.filter((program) => importsOf(program).length > 0))(
    "%s imports what there is",
    (program) => {
      expect(importsOf(program).filter(([source, name]) => !exportsName(source, name))).toEqual([]);
    },
  );
});
