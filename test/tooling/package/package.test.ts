import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { keptFolder } from "../../../scripts/package/kept-folder.mjs";
import { keepLoadedFiles } from "../../../scripts/package/loaded-files.mjs";
import { isForOthers, platformFaults, settlePlatform } from "../../../scripts/package/platform.mjs";
import { checkMachine } from "../../../scripts/package/preflight.mjs";
import { chosenPackages } from "../../../scripts/package.mjs";
import { forEachTest } from "../../support/base/for-tests.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const root = forEachTest(() => new TemporaryDirectory("package"));

const BOOKWORM = { suite: "bookworm", processor: "amd64" };
const TRIXIE = { suite: "trixie", processor: "amd64" };

describe("npm run package", () => {
  it.each([
    [{}, TRIXIE, ["trixie amd64"]],
    [{ arch: "arm64" }, TRIXIE, ["trixie arm64"]],
    [{ suite: "trixie" }, BOOKWORM, ["trixie amd64"]],
    [{ all: true }, TRIXIE, ["trixie amd64", "trixie arm64"]],
    [{ all: true }, BOOKWORM, ["bookworm amd64", "bookworm arm64", "trixie amd64", "trixie arm64"]],
  ])("with %j on %j builds %j", (options, own, packages) => {
    const chosen = chosenPackages(options, own);
    expect(chosen.map(({ suite, processor }) => `${suite} ${processor}`)).toEqual(packages);
  });

  const machine = {
    ...TRIXIE,
    has: () => true,
    freeBytes: 1e10,
    sources: () => new Map(),
  };

  it("begins on a machine that has all it needs", () => {
    expect(() => checkMachine(root.path, [TRIXIE], machine)).not.toThrow();
  });

  it("says one line to paste for all programs that are missing", () => {
    const has = (program: string) => program !== "git" && !program.startsWith("aarch64-");
    const wanted = [{ suite: "trixie", processor: "arm64" }];
    expect(() => checkMachine(root.path, wanted, { ...machine, has })).toThrow(
      "sudo apt-get update && sudo apt-get install -y --no-install-recommends git g++-aarch64-linux-gnu\n",
    );
  });

  it("says that there is too little room, and how much is needed", () => {
    expect(() => checkMachine(root.path, [TRIXIE], { ...machine, freeBytes: 5e8 })).toThrow(
      /500 MB are free for .*, 1200 MB are needed: make room/,
    );
  });

  it("asks for APT sources only where another suite or processor is built", () => {
    const sources = () => {
      throw new Error("/etc/apt names no sources of trixie");
    };
    expect(() => checkMachine(root.path, [TRIXIE], { ...machine, sources })).not.toThrow();
    const wanted = [{ suite: "trixie", processor: "arm64" }];
    expect(() => checkMachine(root.path, wanted, { ...machine, sources })).toThrow("names no sources");
  });

  it("refuses an older suite with what to do", () => {
    expect(() => checkMachine(root.path, [BOOKWORM], machine)).toThrow("leave --suite out for trixie");
  });
});

describe("npm packages of a package", () => {
  const OPTIONAL = { version: "1.0.0", optional: true, os: ["linux"] };
  const LOCK = {
    "": { dependencies: { plain: "1" } },
    "node_modules/plain": {
      version: "1.0.0",
      optionalDependencies: { "@img/linux-x64": "1", "@img/musl-x64": "1", "@img/linux-arm64": "1" },
    },
    "node_modules/@img/linux-x64": { ...OPTIONAL, cpu: ["x64"], libc: ["glibc"] },
    "node_modules/@img/musl-x64": { ...OPTIONAL, cpu: ["x64"], libc: ["musl"], dependencies: { part: "1" } },
    "node_modules/@img/linux-arm64": { ...OPTIONAL, cpu: ["arm64"], libc: ["glibc"] },
    // Of the one for musl alone: for no other machine by itself, and needed by nothing that stays.
    "node_modules/part": { version: "1.0.0", optional: true },
    "node_modules/tool": { version: "1.0.0", devOptional: true, optionalDependencies: { "tool-x64": "1" } },
    "node_modules/tool-x64": { version: "1.0.0", os: ["linux"], cpu: ["x64"] },
  };
  const install = (...names: readonly string[]) => {
    const files = names.map((name) => [`node_modules/${name}/package.json`, '{"version":"1.0.0"}']);
    root.write({ "package-lock.json": JSON.stringify({ packages: LOCK }), ...Object.fromEntries(files) });
  };

  it("are those of the target, whatever npm brought", () => {
    install("plain", "@img/linux-x64", "@img/musl-x64", "part", "tool", "tool-x64");
    expect(platformFaults(root.path, "arm64")).toHaveLength(6);
    const fetched: string[] = [];
    settlePlatform(root.path, "arm64", (name: string, entry: { version: string }, target: string) => {
      fetched.push(`${name} ${entry.version}`);
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, "package.json"), '{"version":"1.0.0"}');
    });
    expect(fetched).toEqual(["@img/linux-arm64 1.0.0"]);
    expect(platformFaults(root.path, "arm64")).toEqual([]);
  });

  it("keep what the named ones can load, their data and shared libraries, and all licences", async () => {
    root.write({
      "node_modules/plain/package.json":
        '{"version":"1.0.0","exports":{"import":"./index.mjs","require":"./index.cjs"}}',
      "node_modules/plain/index.mjs": 'import "inner";',
      "node_modules/plain/index.cjs": 'require("inner"); require("./late.js");',
      "node_modules/plain/late.js":
        'require("fs").readFileSync(require("path").join(__dirname, "words.json"));',
      "node_modules/plain/words.json": "[]",
      "node_modules/plain/index.d.ts": "",
      "node_modules/plain/minified.js": "",
      "node_modules/plain/img/before.png": "",
      "node_modules/plain/node_modules/inner/package.json": '{"main":"lib/inner.js"}',
      "node_modules/plain/node_modules/inner/lib/inner.js": "",
      "node_modules/plain/node_modules/inner/test/inner.js": "",
      "node_modules/@img/linux-x64/package.json": "{}",
      "node_modules/@img/linux-x64/lib/libvips.so.42": "",
      "node_modules/bundled/package.json": '{"main":"index.js"}',
      "node_modules/installer/package.json": "{}",
      "node_modules/installer/LICENSE": "",
      "node_modules/bundled/index.js": 'require("@of/bundled");',
      "node_modules/bundled/LICENSE": "",
      "node_modules/@of/bundled/package.json": '{"main":"lib/index.js"}',
      "node_modules/@of/bundled/lib/index.js": "",
      "node_modules/@of/bundled/NOTICE.txt": "",
    });
    await keepLoadedFiles(join(root.path, "node_modules"), { loaded: ["plain"], elsewhere: ["bundled"] });
    const files = readdirSync(root.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(relative(root.path, entry.parentPath), entry.name));
    expect(files.sort()).toEqual([
      "node_modules/@img/linux-x64/lib/libvips.so.42",
      "node_modules/@of/bundled/NOTICE.txt",
      "node_modules/@of/bundled/package.json",
      "node_modules/bundled/LICENSE",
      "node_modules/bundled/package.json",
      "node_modules/plain/index.cjs",
      "node_modules/plain/index.mjs",
      "node_modules/plain/late.js",
      "node_modules/plain/node_modules/inner/lib/inner.js",
      "node_modules/plain/node_modules/inner/package.json",
      "node_modules/plain/package.json",
      "node_modules/plain/words.json",
    ]);
  });

  it("are refused when one that is loaded is not there", async () => {
    root.write({
      "node_modules/plain/package.json": '{"version":"1.0.0"}',
      "node_modules/plain/index.js": "",
    });
    const kept = keepLoadedFiles(join(root.path, "node_modules"), {
      loaded: ["plain", "absent"],
      elsewhere: [],
    });
    await expect(kept).rejects.toThrow("absent: there is none in ");
  });

  it("are refused when one is of another version", () => {
    install("plain", "@img/linux-x64");
    root.write({ "node_modules/plain/package.json": '{"version":"0.9.0"}' });
    expect(platformFaults(root.path, "amd64")).toEqual(["node_modules/plain is 0.9.0, not 1.0.0"]);
  });

  it.each([
    [{}, false],
    [{ os: ["!win32"] }, false],
    [{ os: ["!linux"] }, true],
    [{ cpu: ["arm64"] }, true],
    [{ libc: ["musl"] }, true],
    [{ libc: ["glibc"], os: ["linux"], cpu: ["x64"] }, false],
  ])("an entry with %j is for others: %j", (entry, expected) => {
    expect(isForOthers(entry, "amd64")).toBe(expected);
  });
});

describe("a folder that is kept", () => {
  const make = (text: string) =>
    keptFolder(join(root.path, "kept"), (unfinished: string) => {
      mkdirSync(unfinished, { recursive: true });
      writeFileSync(join(unfinished, "file"), text);
    });
  const content = () => readFileSync(join(root.path, "kept/file"), "utf8");

  it("is made once", () => {
    make("first");
    make("second");
    expect(content()).toBe("first");
  });

  it("is made again when it is not as it was made", () => {
    make("first");
    writeFileSync(join(root.path, "kept/file"), "damaged");
    make("second");
    expect(content()).toBe("second");
  });

  it("is not kept when making it failed", () => {
    const fail = () => {
      throw new Error("no network");
    };
    expect(() => keptFolder(join(root.path, "kept"), fail)).toThrow("no network");
    make("second");
    expect(content()).toBe("second");
  });
});
