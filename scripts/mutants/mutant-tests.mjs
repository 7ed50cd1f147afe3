/** The mutants of a room in a copy of the built modules, and the test files that are asked about them. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { transformSync } from "rolldown/experimental";
import { ADDONS } from "../package/native-parts.mjs";
import { switched } from "./switched.mjs";
import { testsOf } from "./tests-of.mjs";

/** The tests of one mutant take so many times as long as without it, and the start of a process. */
const TIMES_AS_LONG = 3;
const START_MS = 30_000;
/** A test file that takes longer than this is not asked. */
const FILE_MS_MAX = 120_000;
/** About one mutant no more test files are asked than take this long without it, beside those that are near (see `testsOf`). */
const MUTANT_MS_MAX = 300_000;
/** Groups of `testsOf`: those of the file's name, those of its room that import it, and those of its folder. */
const NEAR_GROUPS = 3;

export class MutantTests {
  #root;
  #imports;
  /** vitest.config.ts has Node load what is in a folder of this name. */
  #copy;
  #reached;
  /** What each test file that was run without a mutant reaches. */
  #known = new Map();

  /**
   * @param {{ root: string, folder: string, imports: Map<string, Set<string>> }} places A built checkout, a folder for the copy,
   *   and what each test file imports.
   */
  constructor({ root, folder, imports }) {
    this.#root = root;
    this.#imports = imports;
    this.#copy = join(folder, "test-modules");
    this.#reached = join(folder, "reached");
    rmSync(folder, { recursive: true, force: true });
    this.#copyModules();
  }

  #copyModules() {
    const root = this.#root;
    const copy = this.#copy;
    mkdirSync(join(copy, "build/Release"), { recursive: true });
    for (const name of ["dist", "package.json"])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    for (const name of ["node_modules", "src", "bundle"]) symlinkSync(join(root, name), join(copy, name));
    for (const name of [...ADDONS, "http", "page"].map((part) => join("build", part)))
      if (existsSync(join(root, name))) symlinkSync(join(root, name), join(copy, name));
  }

  /** Puts mutants into the copy, for tests and for the threads they start. */
  write(places) {
    for (const file of new Set(places.map((place) => place.file))) {
      const mutations = places.filter((place) => place.file === file);
      const code = readFileSync(join(this.#root, file), "utf8");
      const built = join(this.#copy, file.replace(/^src/, "dist").replace(/\.ts$/, ".js"));
      const { code: made, errors } = transformSync(file, switched(code, mutations));
      if (errors.length > 0) throw new Error(`${file} with its mutants: ${errors[0].message}`);
      writeFileSync(built, made);
    }
  }

  /** Which test file killed a mutant, and how; without `how` it survived. */
  async verdict({ file, number }) {
    let leftMs = MUTANT_MS_MAX;
    let asked = 0;
    for (const [place, group] of testsOf(file, this.#imports).entries()) {
      for await (const { test, ms } of this.#reaching(group, number)) {
        const isNear = place < NEAR_GROUPS;
        if (!isNear && ms > leftMs) continue;
        if (!isNear) leftMs -= ms;
        asked += 1;
        const { how } = await this.#run(test, START_MS + TIMES_AS_LONG * ms, { NVRD_MUTANT: `${number}` });
        if (how !== "passed") return { how, test, asked };
      }
    }
    return { how: undefined, asked };
  }

  /** Those of a group that reach a mutant: of the known ones the quickest first, then the others as they get known. */
  async *#reaching(group, number) {
    const known = group.filter((test) => this.#known.has(test)).map((test) => this.#known.get(test));
    yield* known.filter(({ reached }) => reached.has(number)).sort((a, b) => a.ms - b.ms);
    for (const test of group.filter((one) => !this.#known.has(one))) {
      const { ms, reached } = await this.#withoutMutant(test);
      this.#known.set(test, { test, ms, reached });
      if (reached.has(number)) yield { test, ms };
    }
  }

  async #withoutMutant(test) {
    rmSync(this.#reached, { force: true });
    const { how, ms } = await this.#run(test, FILE_MS_MAX, { NVRD_MUTANTS_REACHED: this.#reached });
    if (how !== "passed") console.log(`mutants: not asked, ${how} without a mutant: ${test}`);
    const isAsked = how === "passed" && existsSync(this.#reached);
    const numbers = isAsked ? readFileSync(this.#reached, "utf8").trim().split("\n").map(Number) : [];
    return { ms, reached: new Set(numbers) };
  }

  /** Runs a test file; resolves with how it ended. */
  #run(test, timeoutMs, environment) {
    const startedMs = performance.now();
    return new Promise((resolve) => {
      // A group of its own: what the tests started goes with them.
      const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--bail=1", test], {
        ...{ cwd: this.#root, stdio: "ignore", detached: true },
        env: { ...process.env, NVRD_TEST_MODULES: join(this.#copy, "dist"), ...environment },
      });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        process.kill(-child.pid, "SIGKILL");
      }, timeoutMs);
      child.once("exit", (code) => {
        clearTimeout(timer);
        const ms = performance.now() - startedMs;
        resolve({ how: isLate ? "late" : code === 0 ? "passed" : "failed", ms });
      });
    });
  }
}
