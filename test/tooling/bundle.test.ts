import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleService, readModules, startedScripts } from "../../scripts/package/bundle.mjs";
import { forEachTest } from "../support/base/for-tests.js";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const service = forEachTest(() => new TemporaryDirectory("bundle"));

/** Modules as tsc makes them; `valibot` stands for the packages that are taken in. */
function write(modules: Readonly<Record<string, string>>): void {
  const packages = {
    "node_modules/valibot/package.json": '{ "name": "valibot", "type": "module", "main": "index.js" }',
    "node_modules/valibot/index.js":
      'import { inner } from "inner"; export const check = () => "checked " + inner;',
    "node_modules/inner/package.json": '{ "name": "inner", "main": "index.js" }',
    "node_modules/inner/index.js": 'exports.inner = "inside";',
    "node_modules/lmdb/package.json": '{ "name": "lmdb", "type": "module", "main": "index.js" }',
    "node_modules/lmdb/index.js": 'export const where = "outside";',
  };
  const dist = Object.entries(modules).map(([name, text]) => [`dist/${name}`, text]);
  service.write({ "package.json": '{ "type": "module" }', ...packages, ...Object.fromEntries(dist) });
}

function run(script: string): string {
  const load = `require(${JSON.stringify(service.join("bundle/loader.js"))}).load(${JSON.stringify(script)})`;
  return execFileSync(process.execPath, ["-e", load], { encoding: "utf8" }).trim();
}

function saveCache(run = ""): void {
  const call = run === "" ? "" : `.${run}()`;
  const script = `const loader = require(${JSON.stringify(service.join("bundle/loader.js"))});
    loader.keepScripts(); loader.load("cli.js")${call}; loader.saveCache();`;
  execFileSync(process.execPath, ["-e", script]);
}

const BUILT_SCRIPT = "export const builtScript = (url, name) => new URL('./' + name + '.js', url).pathname;";

describe("the bundle of a service", () => {
  it("takes in own modules and packages with what these need, and leaves the others outside", async () => {
    write({
      "cli.js":
        'import { check } from "./a/b.js"; import { where } from "lmdb"; console.log(check(), where);',
      "a/b.js": 'export { check } from "valibot";',
    });
    expect(await bundleService(service.path)).toEqual(["cli.js"]);
    const text = readFileSync(service.join("bundle/cli.js"), "utf8");
    expect(text).toContain('require("lmdb")');
    expect(text).not.toContain('require("valibot")');
    expect(run("cli.js")).toBe("checked inside outside");
  });

  it("gives what never changes as plain members, and asks for a variable that does each time", async () => {
    write({
      "cli.js":
        'void import("./late.js").then((late) => { late.add(); late.add(); console.log(late.count, new late.Kept().name); });',
      "late.js":
        'export let count = 0; export function add() { count += 1; } export class Kept { name = "kept"; }',
    });
    await bundleService(service.path);
    const late = readdirSync(service.join("bundle")).find((name) => name.startsWith("late-")) ?? "";
    const text = readFileSync(service.join("bundle", late), "utf8");
    expect(text).toMatch(/^exports\.add = add;$/m);
    expect(text).toMatch(/^exports\.Kept = Kept;$/m);
    expect(text).toMatch(/defineProperty\(exports, "count"/);
    expect(run("cli.js")).toBe("2 kept");
  });

  it("does not mind a folder that is reached by a link", async () => {
    write({ "cli.js": 'import { where } from "lmdb"; console.log(where);' });
    const link = `${service.path}-link`;
    symlinkSync(service.path, link);
    await bundleService(link);
    rmSync(link);
    expect(readFileSync(service.join("bundle/cli.js"), "utf8")).toContain('require("lmdb")');
  });

  it("leaves scripts that are started at their places, a file each", async () => {
    write({
      "cli.js": 'import { script } from "./a/starter.js"; console.log(script());',
      "base/index.js": BUILT_SCRIPT,
      "a/starter.js":
        'import { builtScript } from "../base/index.js"; export const script = () => builtScript(import.meta.url, "child");',
      "a/child.js": 'import { name } from "./name.js"; console.log("child", name);',
      "a/name.js": 'export const name = "of a";',
    });
    expect(await bundleService(service.path)).toEqual(["a/child.js", "cli.js"]);
    expect(run("cli.js")).toBe(service.join("bundle/a/child.js"));
    const child = service.join("bundle/a/child.js");
    expect(execFileSync(process.execPath, [child], { encoding: "utf8" }).trim()).toBe("child of a");
  });

  it("lets a module find its files from the place it had", async () => {
    write({
      "cli.js":
        'import { own } from "./a/b/own.js"; console.log(own); void import("./c/late.js").then(({ late }) => console.log(late));',
      "a/b/own.js": 'export const own = new URL("../x.json", import.meta.url).href;',
      "c/late.js": "export const late = import.meta.url;",
    });
    await bundleService(service.path);
    const bundle = pathToFileURL(service.join("bundle")).href;
    expect(run("cli.js").split("\n")).toEqual([`${bundle}/a/x.json`, `${bundle}/c/late.js`]);
  });

  it("gives a thread only what it uses of a room", async () => {
    write({
      "cli.js": 'import { builtScript } from "./base/index.js"; builtScript(import.meta.url, "thread");',
      "base/index.js": `export { used } from "./used.js"; export { check } from "./log.js"; ${BUILT_SCRIPT}`,
      "base/used.js": 'export const used = "used";',
      "base/log.js":
        'import { check as first } from "valibot"; const made = first(); export const check = () => made;',
      "thread.js": 'import { used } from "./base/index.js"; console.log(used);',
    });
    await bundleService(service.path);
    expect(readFileSync(service.join("bundle/thread.js"), "utf8")).not.toContain("checked");
  });

  it("uses node:http without what Node would load for all of it", async () => {
    write({
      "cli.js":
        'import { request } from "./a.js"; console.log(typeof request, process.moduleLoadList.some((name) => /undici/.test(name)));',
      "a.js": 'export { request } from "./b.js";',
      "b.js": 'import { request as asked } from "node:http"; export const request = asked;',
    });
    await bundleService(service.path);
    expect(run("cli.js")).toBe("function false");
  });

  it("keeps the names of functions, which reports of crashes go by", async () => {
    write({
      "cli.js":
        'import { failsHere } from "./a.js"; try { failsHere(); } catch (error) { console.log(error.stack); }',
      "a.js": 'export function failsHere() { throw new Error("told"); }',
    });
    await bundleService(service.path);
    expect(run("cli.js")).toContain("at failsHere (dist/a.js:1)");
  });

  it("names source files and their lines in stack traces", async () => {
    write({
      "cli.js":
        'import { failsHere } from "./a.js"; try { failsHere(); } catch (error) { console.log(error.stack); }',
      "a.js": 'export function failsHere() { throw new TypeError("told"); }\n//# sourceMappingURL=a.js.map',
      // Line 1 of a.js is line 12 of its source.
      "a.js.map":
        '{ "version": 3, "file": "a.js", "sources": ["../src/a.ts"], "names": [], "mappings": "AAWA" }',
    });
    await bundleService(service.path);
    const output = run("cli.js");
    expect(output).toMatch(/^TypeError: told\n/);
    expect(output).toContain("at failsHere (src/a.ts:12)");
    rmSync(service.join("bundle/source-lines"));
    expect(run("cli.js")).toMatch(/at failsHere \(.*bundle\/cli\.js:\d+:\d+\)/);
  });

  it("imports packages while it runs, also as code from a cache", async () => {
    write({ "cli.js": 'export const late = () => import("lmdb").then(({ where }) => console.log(where));' });
    await bundleService(service.path);
    saveCache("late");
    const script = `require(${JSON.stringify(service.join("bundle/loader.js"))}).load("cli.js").late()`;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim()).toBe("outside");
  });
});

/** Whether V8 took code of a cache for the program. */
function isCodeTaken(env: Readonly<Record<string, string>>): boolean {
  const script = `
    const vm = require("node:vm");
    const { Script } = vm;
    vm.Script = class extends Script {
      constructor(...args) { super(...args); process.stderr.write(String(this.cachedDataRejected === false)); }
    };
    require(${JSON.stringify(service.join("bundle/loader.js"))}).load("cli.js");`;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8", env }).stderr === "true";
}

describe("the code cache of a bundle", () => {
  const program = { "cli.js": 'import { told } from "./a.js"; console.log(told());' };
  const bundle = async (text: string): Promise<void> => {
    write({ ...program, "a.js": `export const told = () => "${text}";` });
    await bundleService(service.path);
  };
  const isUsed = (): boolean => isCodeTaken({});

  it("is used by the next start", async () => {
    await bundle("first");
    expect(isUsed()).toBe(false);
    saveCache();
    expect(isUsed()).toBe(true);
    expect(run("cli.js")).toBe("first");
  });

  it("of a program that has changed since is not used, even where its length is the same", async () => {
    await bundle("first");
    saveCache();
    const kept = readFileSync(service.join("bundle/code.cache"));
    await bundle("other");
    writeFileSync(service.join("bundle/code.cache"), kept);
    expect(isUsed()).toBe(false);
    expect(run("cli.js")).toBe("other");
  });

  it("that is damaged or cut off anywhere is not used", async () => {
    await bundle("first");
    saveCache();
    const whole = readFileSync(service.join("bundle/code.cache"));
    const places = [0, 36, Math.floor(whole.length / 2), whole.length - 1];
    for (const place of places) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 0xff;
      for (const content of [damaged, whole.subarray(0, place)]) {
        writeFileSync(service.join("bundle/code.cache"), content);
        expect(isUsed()).toBe(false);
      }
    }
    expect(run("cli.js")).toBe("first");
  });
});

describe("the code that a service keeps of its first start", () => {
  const CACHE_BYTES_MAX = 32 * 1024 * 1024;
  const SOMEBODY = 12_345;
  /** Nothing is kept in so long. */
  const NOTHING_MS = 1500;
  const noRoot = process.geteuid?.() === 0 ? undefined : "root, who gives files away";
  const kept = (): string => service.join("cache/code.cache");
  const environment = (): { CACHE_DIRECTORY: string } => ({ CACHE_DIRECTORY: service.join("cache") });
  /** Runs until what was compiled is kept, or a warning says why not; answers the warning. */
  const startKeeping = (
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly flags?: readonly string[];
      readonly waitMs?: number;
    } = {},
  ): string => {
    const { env = environment(), flags = [], waitMs = PATIENCE_MS } = options;
    const script = `
      const loader = require(${JSON.stringify(service.join("bundle/loader.js"))});
      process.on("warning", ({ message }) => { process.stderr.write(message); process.exit(); });
      loader.keepCode(0); loader.load("cli.js");
      const { statSync } = require("node:fs");
      const number = () => statSync(${JSON.stringify(kept())}, { throwIfNoEntry: false })?.ino;
      const before = number();
      setInterval(() => number() !== before && process.exit(), 20);
      setTimeout(() => process.exit(), ${waitMs});`;
    const args = ["--no-warnings", ...flags, "-e", script];
    return spawnSync(process.execPath, args, { encoding: "utf8", env }).stderr;
  };
  const bundle = async (text: string): Promise<void> => {
    write({ "cli.js": `console.log("${text}");` });
    await bundleService(service.path);
  };
  beforeEach(async () => {
    mkdirSync(service.join("cache"), { mode: 0o700 });
    await bundle("first");
  });

  it("is used by the next start", () => {
    expect(startKeeping()).toBe("");
    expect(isCodeTaken(environment())).toBe(true);
  });

  it("can be read and written by the service alone", () => {
    startKeeping();
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
  });

  it("is made anew for a program that has changed", async () => {
    startKeeping();
    await bundle("other");
    expect(isCodeTaken(environment())).toBe(false);
    startKeeping();
    expect(isCodeTaken(environment())).toBe(true);
  });

  it("is made anew where it was damaged", () => {
    writeFileSync(kept(), "not what it was", { mode: 0o600 });
    startKeeping();
    expect(isCodeTaken(environment())).toBe(true);
  });

  it("is made anew by another Node, or one with other flags", () => {
    startKeeping({ flags: ["--no-lazy"] });
    expect(isCodeTaken(environment())).toBe(false);
    startKeeping();
    expect(isCodeTaken(environment())).toBe(true);
  });

  it("is not made anew by a start that used it", () => {
    startKeeping();
    const { ino } = statSync(kept());
    startKeeping({ waitMs: NOTHING_MS });
    expect(statSync(kept()).ino).toBe(ino);
  });

  it("is not made where the service manager gives no directory", () => {
    startKeeping({ env: {}, waitMs: NOTHING_MS });
    expect(existsSync(kept())).toBe(false);
  });

  it("is not made where the bundle has a cache of its own", () => {
    saveCache();
    startKeeping({ waitMs: NOTHING_MS });
    expect(existsSync(kept())).toBe(false);
  });

  it.each([
    ["others can write it", () => chmodSync(kept(), 0o602)],
    ["its group can write it", () => chmodSync(kept(), 0o620)],
    ["others can write its directory", () => chmodSync(service.join("cache"), 0o777)],
    ["it has a second name", () => linkSync(kept(), service.join("second"))],
    [
      "it is a link",
      () => {
        renameSync(kept(), service.join("elsewhere"));
        symlinkSync(service.join("elsewhere"), kept());
      },
    ],
    ["it is larger than any", () => truncateSync(kept(), CACHE_BYTES_MAX + 1)],
  ])("is not used when %s", (_why, spoil) => {
    startKeeping();
    spoil();
    expect(isCodeTaken(environment())).toBe(false);
  });

  it.skipIf(noRoot !== undefined)(`is not used when it belongs to somebody else${notHere(noRoot)}`, () => {
    startKeeping();
    chownSync(kept(), SOMEBODY, SOMEBODY);
    expect(isCodeTaken(environment())).toBe(false);
  });

  it("is not kept in a directory that others can write, and a warning says so", () => {
    chmodSync(service.join("cache"), 0o777);
    expect(startKeeping()).toMatch(/^the code of this start was not kept.*others must not write there$/);
    expect(existsSync(kept())).toBe(false);
  });
});

describe("what a bundle would break is refused", () => {
  const started = { "base/index.js": BUILT_SCRIPT, "a/child.js": "export {};" };
  it.each([
    [
      "a thread of a file that is not named by builtScript",
      { "a/x.js": 'import { Worker } from "node:worker_threads"; export const x = (u) => new Worker(u);' },
      "dist/a/x.js: it starts a thread or a child",
    ],
    [
      "a fork of a file that is not named by builtScript",
      { "a/x.js": 'import { fork } from "node:child_process"; export const x = (u) => fork(u);' },
      "dist/a/x.js: it starts a thread or a child",
    ],
    [
      "a script that is not named by builtScript",
      { "a/x.js": "export const x = (u) => startScript(u); let startScript;" },
      "dist/a/x.js: it starts a thread or a child",
    ],
    [
      "a module named by its file",
      { ...started, "a/x.js": 'export const x = new URL("./child.js", import.meta.url);' },
      "dist/a/x.js: it names a/child.js",
    ],
    [
      "a script that is not there",
      {
        ...started,
        "a/x.js": 'export const x = (b) => builtScript(import.meta.url, "gone"); let builtScript;',
      },
      "dist/a/x.js: builtScript() names a/gone.js, which is not there",
    ],
    [
      "a script whose name is not written down",
      { ...started, "a/x.js": "export const x = (b) => builtScript(import.meta.url, b); let builtScript;" },
      "dist/a/x.js: which script builtScript() names cannot be read",
    ],
    [
      "more of import.meta than the url",
      { "a/x.js": "export const x = import.meta.dirname;" },
      "dist/a/x.js: it uses import.meta for more than its url",
    ],
    [
      "a module that does something when it is loaded",
      { "a/x.js": "export const x = new Map(); x.set(1, 2);" },
      "dist/a/x.js: does something when it is loaded",
    ],
    [
      "an import for what a module does",
      { "a/x.js": 'import "./y.js"; export const x = 1;', "a/y.js": "export const y = 1;" },
      "dist/a/x.js: does something when it is loaded",
    ],
  ])("%s", (_what, modules, message) => {
    write({ "cli.js": "console.log(1);", ...modules });
    expect(() => startedScripts(readModules(service.join("dist")))).toThrow(message);
  });

  it.each([
    "export const x = (s) => s instanceof TLSSocket;",
    "export class X extends TLSSocket {}",
    "export const x = promisify(TLSSocket); function promisify() {}",
    "export const x = () => TLSSocket.name;",
  ])("a module that is loaded late, used as more than a function: %s", (text) => {
    write({ "cli.js": "console.log(1);", "a/x.js": `import { TLSSocket } from "node:tls"; ${text}` });
    expect(() => startedScripts(readModules(service.join("dist")))).toThrow(
      "dist/a/x.js: uses TLSSocket as more than a function",
    );
  });
});

describe("the bundle of nvrd", () => {
  /** Made once: no test changes it. */
  let bundles: TemporaryDirectory;
  let bundled = "";
  beforeAll(async () => {
    bundles = new TemporaryDirectory("bundles");
    bundled = copyService("one");
    await bundleService(bundled);
  });
  afterAll(() => bundles.remove());

  const copyService = (folder: string): string => {
    const target = bundles.join(folder);
    mkdirSync(target);
    cpSync(join(REPOSITORY_ROOT, "dist"), join(target, "dist"), { recursive: true });
    for (const name of ["package.json", "bin"])
      cpSync(join(REPOSITORY_ROOT, name), join(target, name), { recursive: true });
    for (const name of ["node_modules", "build", "src"])
      symlinkSync(join(REPOSITORY_ROOT, name), join(target, name));
    return target;
  };
  const contents = (folder: string): Map<string, string> =>
    new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((file) => [file.slice(folder.length), readFileSync(file, "utf8")]),
    );

  it("is the same, byte for byte, wherever it is made", async () => {
    const other = copyService("the-other");
    await bundleService(other);
    expect(contents(join(bundled, "bundle"))).toEqual(contents(join(other, "bundle")));
  });

  it("answers on the command line", () => {
    const commandIn = (folder: string): string =>
      execFileSync(process.execPath, [join(folder, "bin/nvrd"), "help"], { encoding: "utf8" });
    expect(commandIn(bundled)).toBe(commandIn(REPOSITORY_ROOT));
  });

  it("leaves libraries that few recorders need to those who ask for them", () => {
    for (const [file, text] of contents(join(bundled, "bundle")))
      if (!file.includes("child") && !file.includes("probe"))
        expect(text).not.toMatch(
          /require\("(?:ldapts|mqtt|rtsp-stream|sharp|nodemailer|tar-stream|prom-client|@peculiar\/x509|web-push|node:http)"\)/,
        );
  });

  it("loads neither the log nor the schemas into a volume's threads", () => {
    for (const script of ["archive/disk/volume-worker", "archive/index/index-walk", "event/event-walk"])
      expect(readFileSync(join(bundled, "bundle", `${script}.js`), "utf8")).not.toMatch(
        /pino|valibot|ipaddr/,
      );
  });
});
