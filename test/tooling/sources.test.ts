import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkSources } from "../../scripts/check-sources.mjs";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const RULE = "noExcessiveLinesPerFunction";

let root: TemporaryDirectory;

beforeEach(() => {
  root = new TemporaryDirectory("sources");
  root.write({
    "package.json": '{"dependencies":{"a":"1.2.3","b":"npm:c@4.5.6"}}',
    "package-lock.json": '{"packages":{}}',
  });
});
afterEach(() => root.remove());

function cppFunction(lines: number): string {
  return `int F(int x) {\n${"  x += 1;\n".repeat(lines)}}\n`;
}

/** What biome, as the project configures it, says of a source of src/ with these methods. */
function lint(body: string): string {
  root.write({
    "biome.json": readFileSync("biome.json", "utf8"),
    "src/a.ts": `export class A {\n${body}}\n`,
  });
  const biome = path.resolve("node_modules/@biomejs/biome/bin/biome");
  const { stdout, stderr } = spawnSync(process.execPath, [biome, "lint", "--vcs-enabled=false", "src"], {
    cwd: root.path,
    encoding: "utf8",
  });
  return `${stdout}${stderr}`;
}

function method(name: string, lines: number): string {
  return `  ${name}(x: number[]): void {\n${"    x.push(1);\n".repeat(lines)}  }\n`;
}

describe("functions of src/", () => {
  it("may have 60 lines, however long their file", () => {
    expect(lint(Array.from({ length: 10 }, (_, at) => method(`m${at}`, 60)).join(""))).toMatch(
      /Checked 1 file.*No fixes/,
    );
  });

  it("may not have 61 lines", () => {
    expect(lint(method("m", 61))).toContain(RULE);
  });
});

describe("check of sources", () => {
  it("refuses a file of src/ that is opened by Node's own calls, and not what names and removes files", () => {
    root.write({
      "src/a.ts":
        'import { readFile as read, rm } from "node:fs/promises";\nimport { openSync } from "node:fs";\n',
      "src/b.ts": 'import { rename, stat } from "node:fs/promises";\n',
      "src/page/c.ts": 'import { readFile } from "node:fs/promises";\n',
    });
    const problems = checkSources(root.path, ["src/a.ts", "src/b.ts", "src/page/c.ts"]);
    expect(problems.map((line) => line.split(" of Node")[0])).toEqual([
      "src/a.ts: readFile",
      "src/a.ts: openSync",
    ]);
  });

  it("accepts a C++ function of 60 lines, however long its file", () => {
    root.write({ "native/a.cc": cppFunction(60).repeat(10) });
    expect(checkSources(root.path, ["native/a.cc"])).toEqual([]);
  });

  it("refuses a timer of Node in the service, whose faults would end it", () => {
    const text =
      "const a = clock.setTimeout(run, 1);\nsetInterval(() => work(), 1000);\nawait setTimeout(5);\n";
    root.write({ "src/a.ts": text, "src/page/b.ts": text, "src/base/time/clock.ts": text });
    expect(checkSources(root.path, ["src/a.ts", "src/page/b.ts", "src/base/time/clock.ts"])).toEqual([
      expect.stringContaining("src/a.ts:2: a timer of Node"),
    ]);
  });

  it("refuses a start of a program by Node in the service, which may end it", () => {
    const text =
      'const a = spawn("true");\nconst b = fork(script);\nstartProgram("true");\nprocess.#fork(1);\n';
    root.write({ "src/a.ts": text, "src/base/process/start-program.ts": text });
    expect(checkSources(root.path, ["src/a.ts", "src/base/process/start-program.ts"])).toEqual([
      expect.stringContaining("src/a.ts:1: a start by Node"),
      expect.stringContaining("src/a.ts:2: a start by Node"),
    ]);
  });

  it("refuses limits of tests, hooks and waits that are shorter than those of all", () => {
    const files = {
      "test/a.test.ts": [
        "const SOON_MS = 20_000;",
        'it("a", async () => {}, 60_000);',
        'it("b", { timeout: SOON_MS }, async () => {});',
        'it.each([5000, 6000])("c %i", async (ms) => {}, SOON_MS);',
        "beforeAll(start, 600_000);",
        "beforeAll(() => start(), 600_000);",
        "afterAll(async () => {}, 5000);",
        "await expect.poll(seen, { timeout: 30_000 }).toBe(1);",
        "await expect.poll(seen, { timeout: 120_000 }).toBe(1);",
        "// It ends before the limit does.",
        "await expect.poll(seen, { timeout: 2000 }).toBe(1);",
      ].join("\n"),
    };
    root.write(files);
    expect(checkSources(root.path, Object.keys(files))).toEqual(
      [
        [2, "a test or hook"],
        [3, "a test or hook"],
        [4, "a test or hook"],
        [7, "a test or hook"],
        [8, "a wait"],
      ].map(
        ([line, what]) =>
          `test/a.test.ts:${line}: ${what} has less time than all others; leave the limit out`,
      ),
    );
  });

  it("refuses waits that do not say what they saw, in a test that expects nothing else", () => {
    const tests = [
      'import { until } from "../support/api/api-harness.js";',
      'it("a", async () => { await until("one", () => n === 1); });',
      'it("b", async () => { await until("one", () => n === 1, { seen: () => n }); });',
      'it("c", async () => { await until("one", () => n === 1); expect(n).toBe(1); });',
      'it.each([1])("d", async () => {',
      '  await until("one", () => n === 1, { timeoutMs: 5 });',
      "});",
    ];
    const archive = [
      'import { SILENT_LOG, until } from "../../support/archive/archive-fixture.js";',
      'test("a", async () => { await until(() => n === 1, "one"); });',
      'test("b", async () => { await until(() => n === 1, "one", () => n); });',
    ];
    const helped = [
      'import { until } from "../support/base/until.js";',
      'const begun = async () => { await until("one", () => n === 1); };',
      "async function ended(): Promise<void> { await begun(); }",
      'it("a", async () => { await ended(); });',
      'it("b", async () => { await ended(); expect(n).toBe(1); });',
      'async function checked() { await until("two", () => n === 2); expect(n).toBe(2); }',
      'it("c", async () => { await checked(); });',
    ];
    const own = ["async function until() {}", 'it("a", async () => { await until(); });'];
    const files = {
      "test/a.test.ts": tests.join("\n"),
      "test/archive/b.test.ts": archive.join("\n"),
      "test/c.test.ts": own.join("\n"),
      "test/d.test.ts": helped.join("\n"),
    };
    root.write(files);
    expect(checkSources(root.path, Object.keys(files))).toEqual([
      expect.stringContaining("test/a.test.ts:2: a wait in a test that expects nothing else"),
      expect.stringContaining("test/a.test.ts:6: a wait"),
      expect.stringContaining("test/archive/b.test.ts:2: a wait"),
      expect.stringContaining("test/d.test.ts:2: a wait"),
    ]);
  });

  it("refuses a C++ function of 61 lines", () => {
    root.write({ "native/a.cc": `${cppFunction(2)}${cppFunction(61)}` });
    expect(checkSources(root.path, ["native/a.cc"])).toEqual([
      expect.stringContaining("native/a.cc:5: a function of 61 lines"),
    ]);
  });

  it("refuses a C++ method of 61 lines", () => {
    const method = cppFunction(61).replaceAll(/^(?=.)/gm, "  ");
    root.write({ "native/a.h": `class A {\n${method}};\n` });
    expect(checkSources(root.path, ["native/a.h"])).toEqual([
      expect.stringContaining("native/a.h:2: a function of 61 lines"),
    ]);
  });

  it("takes a long namespace or class for no function", () => {
    root.write({ "native/a.h": `namespace a {\nclass A {\n${"  int x;\n".repeat(80)}};\n}\n` });
    expect(checkSources(root.path, ["native/a.h"])).toEqual([]);
  });

  it("refuses a file of more than 3 MB", () => {
    root.write({ "clip.h264": "x".repeat(3 * 1024 * 1024 + 1) });
    expect(checkSources(root.path, ["clip.h264"])).toEqual([
      expect.stringContaining("clip.h264: 3145729 bytes"),
    ]);
  });

  it("refuses a lock file with download addresses", () => {
    root.write({ "package-lock.json": '{"packages":{"a":{"resolved": "https://registry.example/a.tgz"}}}' });
    expect(checkSources(root.path, [])).toEqual([
      expect.stringContaining("package-lock.json: holds download addresses"),
    ]);
  });

  it("refuses a lock file that lacks a platform's optional package", () => {
    const packages = {
      "node_modules/a": { version: "1.0.0", optionalDependencies: { "@a/darwin-arm64": "1.0.0" } },
    };
    root.write({ "package-lock.json": JSON.stringify({ packages }) });
    expect(checkSources(root.path, [])).toEqual([
      "package-lock.json: lacks node_modules/@a/darwin-arm64; run npm run lock",
    ]);
  });

  it("refuses a version range", () => {
    root.write({ "package.json": '{"dependencies":{"a":"^1.2.3"}}' });
    expect(checkSources(root.path, [])).toEqual(["package.json: a ^1.2.3 is not an exact version"]);
  });
});
