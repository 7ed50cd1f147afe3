/**
 * Changes the core by one small step at a time, and runs the tests that are about the place:
 *
 *   node scripts/mutants.mjs [ROOM] [--count N] [--seed S]
 *
 * N places of each room (or of ROOM) are picked by the seed. A mutant is killed when a test fails, or when the tests do not
 * end in time. Who survives shows an effect that no test looks at. Ends with a score a room and the interval that it is
 * known to (Wilson, 95 %); the exit status is 1 where a score is below the goal.
 *
 * It works on a copy of the checkout in build/mutants. The checkout has to be built: threads run what was built, so a mutant is
 * put into both. A test file that fails without a mutant is left out, and said.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transformSync } from "rolldown/experimental";
import { mutated, mutationsOf } from "./mutants/mutations.mjs";
import { importsOfTests, sourcesOf, testsOf } from "./mutants/tests-of.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const COPY = join(ROOT, "build/mutants");
const REPORT = join(COPY, "report.json");
const ROOMS = ["archive", "rtsp", "live", "recording", "access", "away", "api/route"];
const GOAL = 0.9;
const COUNT = 20;
/** The tests of one mutant take so many times as long as without it, and the start of a process. */
const TIMES_AS_LONG = 3;
const START_MS = 30_000;
/** Test files that together take longer than this are not asked. */
const STAGE_MS_MAX = 120_000;
const COPIED = [
  "src",
  "dist",
  "test",
  "scripts",
  "native",
  "bin",
  "package.json",
  "vitest.config.ts",
  "tsconfig.json",
];

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function copyCheckout() {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(join(COPY, "build"), { recursive: true });
  for (const name of COPIED) cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  for (const name of ["node_modules", "bundle", "docs"]) symlinkSync(join(ROOT, name), join(COPY, name));
  for (const name of ["Release", "http", "nvrd.node", "codec.node"])
    if (existsSync(join(ROOT, "build", name)))
      cpSync(join(ROOT, "build", name), join(COPY, "build", name), { recursive: true });
}

/** All places of a room; `count` of them by the seed. */
function picked(room, count, seed) {
  const places = sourcesOf(ROOT, room).flatMap((file) =>
    mutationsOf(readFileSync(join(ROOT, file), "utf8")).map((mutation) => ({ file, ...mutation })),
  );
  const random = randomOf(seed);
  const taken = [];
  while (taken.length < count && places.length > 0)
    taken.push(...places.splice(Math.floor(random() * places.length), 1));
  return taken;
}

/** Puts a program into the copy, for tests and for the threads they start. */
function write(file, code) {
  writeFileSync(join(COPY, file), code);
  const built = join(COPY, file.replace(/^src/, "dist").replace(/\.ts$/, ".js"));
  if (existsSync(built)) writeFileSync(built, transformSync(file, code).code);
}

/** Runs test files; resolves with how it ended. */
function run(files, timeoutMs, options = ["--bail=1"]) {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", ...options, ...files];
    // A group of its own: what the tests started goes with them.
    const child = spawn(process.execPath, args, { cwd: COPY, stdio: "ignore", detached: true });
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

/** Of each group of test files, those that can be asked, and how long they take without a mutant. */
const asked = new Map();
async function askable(files) {
  const key = files.join(" ");
  if (!asked.has(key)) {
    rmSync(REPORT, { force: true });
    const { how, ms } = await run(files, STAGE_MS_MAX, ["--reporter=json", `--outputFile=${REPORT}`]);
    const failed = how === "failed" ? failedFiles() : how === "late" ? files : [];
    for (const file of failed) console.log(`mutants: not asked, ${how} without a mutant: ${file}`);
    asked.set(key, { files: files.filter((file) => !failed.includes(file)), ms });
  }
  return asked.get(key);
}

function failedFiles() {
  const { testResults } = JSON.parse(readFileSync(REPORT, "utf8"));
  return testResults.filter(({ status }) => status !== "passed").map(({ name }) => relative(COPY, name));
}

/** Who killed it; undefined: it survived. */
async function killer({ file, ...mutation }, imports) {
  const code = readFileSync(join(ROOT, file), "utf8");
  for (const group of testsOf(file, imports)) {
    const { files, ms } = await askable(group);
    if (files.length === 0) continue;
    write(file, mutated(code, mutation));
    const { how } = await run(files, START_MS + TIMES_AS_LONG * ms);
    write(file, code);
    if (how !== "passed") return how;
  }
  return undefined;
}

/** The interval in which the share lies at 95 %, for what was seen of a sample (Wilson). */
function interval(hits, of) {
  const z = 1.96;
  const share = hits / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return [middle - half, middle + half].map((bound) => bound / (1 + z ** 2 / of));
}

const percent = (share) => `${Math.round(100 * share)} %`;

async function mutateRoom(room, { count, seed }, imports) {
  const places = picked(room, count, seed);
  let killed = 0;
  for (const place of places) {
    const how = await killer(place, imports);
    if (how !== undefined) killed += 1;
    const verdict = how === undefined ? "SURVIVED" : how === "late" ? "killed (late)" : "killed";
    console.log(`mutants: ${verdict} ${place.file}:${place.line} ${place.kind}`);
  }
  return { room, killed, of: places.length };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: `${COUNT}` }, seed: { type: "string", default: "1" } },
});
const sample = { count: Number(values.count), seed: Number(values.seed) };
const [chosen, ...others] = positionals;
if (
  others.length > 0 ||
  !(sample.count > 0) ||
  !Number.isInteger(sample.seed) ||
  !ROOMS.includes(chosen ?? ROOMS[0])
) {
  console.error(`mutants: [ROOM] [--count N] [--seed S], where ROOM is one of ${ROOMS.join(", ")}`);
  process.exit(2);
}
copyCheckout();
const imports = importsOfTests(ROOT);
const results = [];
for (const room of chosen === undefined ? ROOMS : [chosen])
  results.push(await mutateRoom(room, sample, imports));
for (const { room, killed, of } of results) {
  const [from, to] = interval(killed, of).map(percent);
  console.log(
    `mutants: ${room}: ${killed} of ${of} killed, ${percent(killed / of)} (${from} to ${to}), seed ${sample.seed}`,
  );
}
process.exitCode = results.every(({ killed, of }) => killed >= GOAL * of) ? 0 : 1;
