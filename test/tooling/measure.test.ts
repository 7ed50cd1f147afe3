import { describe, expect, it } from "vitest";
import { linesOfCode, measure, pairsAlike } from "../../scripts/measure.mjs";

const RUN = [
  "const port = 1;",
  'log("a");',
  "if (port > 2) {",
  "  close(port);",
  "}",
  "started += 3;",
  "return port;",
].join("\n");

describe("the measure of the tree", () => {
  it("counts lines that are neither empty nor of a comment alone", () => {
    const text = "// a\n\n/** b */\n/*\n * c\n */\nconst d = 1; // e\n<!-- f -->\n}\n";
    expect(linesOfCode(text)).toBe(2);
  });

  it("counts code by room, and what is beside the rooms in the sum alone", () => {
    const files = [
      { path: "src/a/one.ts", text: "one();\ntwo();" },
      { path: "src/b/deep/two.ts", text: "one();" },
      { path: "src/main.ts", text: "one();" },
      { path: "src/b/clip.mp4", text: "one();\n" },
    ];
    const { source, rooms } = measure(files);
    expect(source).toBe(4);
    expect([...rooms]).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("names folders with more files than a glance takes in", () => {
    const many = (count: number, folder: string) =>
      Array.from({ length: count }, (_, at) => ({ path: `${folder}/${at}.ts`, text: "" }));
    expect(measure([...many(31, "src/a"), ...many(30, "src/b")]).crowded).toEqual([["src/a", 31]]);
  });

  it("finds two files that share six lines but for texts and numbers, once", () => {
    const other = RUN.replace("1;", "77;").replace('"a"', '"b"');
    const pairs = pairsAlike([
      { path: "src/a.ts", text: `${RUN}\n${RUN}` },
      { path: "src/b.ts", text: `first();\n${other}` },
    ]);
    expect(pairs.filter(({ one, other: second }) => one.path !== second.path)).toEqual([
      { one: { path: "src/a.ts", line: 1 }, other: { path: "src/b.ts", line: 2 } },
    ]);
  });

  it("finds a file that repeats itself, but no run that overlaps itself", () => {
    expect(pairsAlike([{ path: "src/a.ts", text: `${RUN}\nnext();\n${RUN}` }])).toHaveLength(1);
    expect(pairsAlike([{ path: "src/a.ts", text: "push(item);\n".repeat(9) }])).toEqual([]);
  });

  it("leaves out lists of what is imported and handed on, on one line or on many", () => {
    const names = Array.from({ length: 7 }, (_, at) => `  type Name${at},`).join("\n");
    const list = (word: string) => `${word} {\n${names}\n} from "./names.js";\nmine();`;
    const alike = (word: string) =>
      pairsAlike(["a", "b"].map((name) => ({ path: `src/${name}.ts`, text: list(word) })));
    expect([alike("import"), alike("import type"), alike("export")]).toEqual([[], [], []]);
    const text = `const made = {\n${names}\n};`;
    expect(pairsAlike(["a", "b"].map((name) => ({ path: `src/${name}.ts`, text })))).toHaveLength(1);
  });

  it("leaves out five lines, other names, and what stands in many places", () => {
    const five = RUN.split("\n").slice(1).join("\n");
    const renamed = RUN.replaceAll("port", "path");
    const alike = (texts: readonly string[]) =>
      pairsAlike(texts.map((text, at) => ({ path: `src/${at}.ts`, text })));
    expect(alike([RUN, five])).toEqual([]);
    expect(alike([RUN, renamed])).toEqual([]);
    expect(alike(Array.from({ length: 9 }, () => RUN))).toEqual([]);
  });
});
