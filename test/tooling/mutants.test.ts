import { describe, expect, it } from "vitest";
import { mutated, mutationsOf } from "../../scripts/mutants/mutations.mjs";
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
    ["const LIMIT = 128;", ["128 to 256: const LIMIT = 256;"]],
    ["const isOn = true;", ["true to false: const isOn = false;"]],
  ])("%s", (code, expected) => {
    expect(mutants(code)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ["types", "type A = 1 | 2; interface B { readonly a: true } let c: 3;"],
    ["imports", 'import { a } from "./a.js";'],
    ["what is said to the log", 'this.#options.log.warn({ a: 1 }, "b"); log.info("c");'],
    ["texts that are put together", 'const a = "b" + c;'],
  ])("are none of %s", (_name, code) => {
    expect(mutants(code)).toEqual([]);
  });

  it("name the line of their place", () => {
    expect(mutationsOf("let a;\n\na = 1;").map(({ line }) => line)).toEqual([3, 3]);
  });
});

it("the tests nearest to a file are asked first, those of other rooms only where they import it", () => {
  const imports = new Map(
    Object.entries({
      "test/rtsp/part/near.test.ts": ["src/rtsp/index.ts"],
      "test/rtsp/far.test.ts": [],
      "test/rtsp/part/queue.test.ts": ["src/rtsp/part/queue.ts"],
      "test/live/other.test.ts": ["src/live/index.ts"],
      "test/live/user.test.ts": ["src/rtsp/part/queue.ts"],
    }).map(([test, files]) => [test, new Set(files)] as const),
  );
  expect(testsOf("src/rtsp/part/queue.ts", imports)).toEqual([
    ["test/rtsp/part/queue.test.ts", "test/live/user.test.ts"],
    ["test/rtsp/part/near.test.ts"],
    ["test/rtsp/far.test.ts"],
  ]);
});
