import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MutantTests } from "../../scripts/mutants/mutant-tests.mjs";
import { mutated, mutationsOf } from "../../scripts/mutants/mutations.mjs";
import { switched } from "../../scripts/mutants/switched.mjs";
import { testsOf } from "../../scripts/mutants/tests-of.mjs";

/** Each mutant of a program, as its kind and its text. */
const mutants = (code: string): string[] =>
  mutationsOf(code).map((mutation) => `${mutation.kind}: ${mutated(code, mutation)}`);

describe("mutants of a program", () => {
  it.each([
    ["if (a) b = 1;", ["condition negated: if (!(a)) b = 1;"]],
    ["x(a < 0 ? b : c);", ['"<" to "<=": x(a <= 0 ? b : c);', "0 to 1: x(a < 1 ? b : c);"]],
    ["x(a && b);", ['"&&" to "||": x(a || b);']],
    ["x(a - b);", ['"-" to "+": x(a + b);']],
    ["function f() { return a; }", ["return left out: function f() { ; }"]],
    ["this.#timer?.clear();", ["statement left out: ;"]],
    ["x(a[2] ?? 0);", ["2 to 4: x(a[4] ?? 0);"]],
    ["const LIMIT = 128;", ["128 to 256: const LIMIT = 256;"]],
    ["const isOn = true;", ["true to false: const isOn = false;"]],
  ])("%s", (code, expected) => {
    expect(mutants(code)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ["types", "type A = 1 | 2; interface B { readonly a: true } let c: 3;"],
    ["imports", 'import { a } from "./a.js";'],
    ["what is said to the log", 'this.#options.log.warn({ a: 1 }, "b"); log.info("c");'],
    ["what the compiler wants behind an element", "const c = a[b] ?? 0;"],
    ["texts that are put together", 'const a = "b" + c;'],
  ])("are none of %s", (_name, code) => {
    expect(mutants(code)).toEqual([]);
  });

  it("name the line of their place", () => {
    expect(mutationsOf("let a;\n\na = 1;").map(({ line }) => line)).toEqual([3, 3]);
  });
});

describe("a program that holds all of its mutants", () => {
  const code = [
    "const seen = [];",
    "function count(limit) {",
    "  let sum = 0;",
    "  for (let at = 0; at < limit; at += 1) {",
    "    if (at === 2 && limit > 3) seen.push(at + 5);",
    "    else sum = sum + at;",
    "  }",
    "  return seen.length > 0 ? sum - seen[0] : sum;",
    "}",
    "[count(3), count(5), seen];",
  ].join("\n");
  const mutations = mutationsOf(code).map((mutation, number) => ({ ...mutation, number }));
  /** Loops that a mutant makes endless are cut. */
  const run = (program: string, isMutant: (number: number) => boolean): string => {
    try {
      return JSON.stringify(runInNewContext(program, { $isMutant: isMutant }, { timeout: 1000 }));
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  };
  const program = switched(code, mutations).replace(/^import .*?; /, "");

  it("is as before when none is active", () => {
    expect(run(program, () => false)).toBe(run(code, () => false));
  });

  it.each(mutations.map((mutation) => [`${mutation.line}: ${mutation.kind}`, mutation] as const))(
    "does as the one that is active: line %s",
    (_name, mutation) => {
      const alone = run(mutated(code, mutation), () => false);
      expect(run(program, (number) => number === mutation.number)).toBe(alone);
    },
  );

  it("has its lines where they were", () => {
    expect(program.split("\n")).toHaveLength(code.split("\n").length);
  });
});

it("the tests nearest to a file are asked first, those of other rooms where they come to it, by their steps", () => {
  const imports = new Map(
    Object.entries({
      "test/camera/reaching.test.ts": ["test/support/rtsp/player.ts"],
      "test/support/rtsp/player.ts": ["src/rtsp/part/queue.ts"],
      "test/rtsp/part/near.test.ts": ["src/rtsp/index.ts"],
      "test/rtsp/far.test.ts": [],
      "test/rtsp/part/queue.test.ts": ["src/rtsp/part/queue.ts"],
      "test/live/other.test.ts": ["src/live/index.ts"],
      "test/live/user.test.ts": ["src/rtsp/part/queue.ts"],
      "test/rtsp/user.test.ts": ["src/rtsp/part/queue.ts"],
    }).map(([test, files]) => [test, new Set(files)] as const),
  );
  expect(testsOf("src/rtsp/part/queue.ts", imports)).toEqual([
    ["test/rtsp/part/queue.test.ts"],
    ["test/rtsp/user.test.ts"],
    ["test/rtsp/part/near.test.ts"],
    ["test/rtsp/far.test.ts"],
    ["test/live/user.test.ts", "test/camera/reaching.test.ts"],
  ]);
});

it("the copy for mutants has what its modules load from build/: addons, the HTTP library, the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "nvrd-mutants-"));
  try {
    new MutantTests({ root: process.cwd(), folder, imports: new Map() });
    const copy = join(folder, "test-modules/build");
    const built = readdirSync("build").filter((name) => /\.node$|^(?:http|page)$/.test(name));
    expect(built).toEqual(expect.arrayContaining(["http", "nvrd.node", "page"]));
    for (const name of built) expect(existsSync(join(copy, name)), name).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
