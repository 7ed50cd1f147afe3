/**
 * Changes the core by one small step at a time, and runs the tests that are about the place:
 *
 *   node scripts/mutants.mjs [ROOM] [--count N] [--seed S]
 *   node scripts/mutants.mjs --at FILE[:LINE]
 *
 * N places of each room (or of ROOM) are picked by the seed; with --at all of a file, or of a line. A mutant is killed when a test fails, or when the tests do not
 * end in time. Who survives shows an effect that no test looks at. Ends with a score a room and the interval that it is
 * known to (Wilson, 95 %); the exit status is 1 where a score is below the goal.
 *
 * The checkout has to be built. All mutants of a room are put into one copy of its modules, build/mutants, and a test's process
 * is told which one it has. Each test file is run once without one: that tells which places it reaches, and how long it takes.
 * A file that fails then is left out, and said.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import equivalent from "./mutants/equivalent.json" with { type: "json" };
import { MutantTests } from "./mutants/mutant-tests.mjs";
import { mutationsOf } from "./mutants/mutations.mjs";
import { importsOfTests, sourcesOf } from "./mutants/tests-of.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, "build/mutants");
const ROOMS = ["archive", "rtsp", "live", "recording", "access", "away", "route"];
const GOAL = 0.9;
const COUNT = 20;

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

/** All places of a room but those that no test can notice; `count` of them by the seed, each with its number. */
function picked(room, { count, seed, at }) {
  if (at !== undefined) return placesAt(at).map((place, number) => ({ ...place, number }));
  const places = sourcesOf(ROOT, room).flatMap((file) => placesOf(file));
  const random = randomOf(seed);
  const taken = [];
  while (taken.length < count && places.length > 0)
    taken.push(...places.splice(Math.floor(random() * places.length), 1));
  return taken.map((place, number) => ({ ...place, number }));
}

/** Of `src/room/file.ts`, or `src/room/file.ts:12`. */
function placesAt(at) {
  const [file, line] = at.split(":");
  return placesOf(file).filter((place) => line === undefined || place.line === Number(line));
}

function placesOf(file) {
  const code = readFileSync(join(ROOT, file), "utf8");
  const lines = code.split("\n");
  return mutationsOf(code)
    .filter(({ line, kind }) => {
      const text = lines[line - 1].trim();
      return !equivalent.some((one) => one.file === file && one.line === text && one.kind === kind);
    })
    .map((mutation) => ({ file, ...mutation }));
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

async function mutateRoom(room, sample, imports) {
  const places = picked(room, sample);
  // Beside a sample of the room, which may be under way.
  const folder = join(FOLDER, sample.at?.replace(/\W/g, "-") ?? room);
  const tests = new MutantTests({ root: ROOT, folder, imports });
  tests.write(places);
  let killed = 0;
  for (const place of places) {
    const { how, test, asked } = await tests.verdict(place);
    if (how !== undefined) killed += 1;
    const end =
      how === undefined
        ? `SURVIVED, test files asked: ${asked}`
        : `${how === "late" ? "killed (late)" : "killed"}, ${test}`;
    console.log(`mutants: ${place.file}:${place.line} ${place.kind}: ${end}`);
  }
  return { room, killed, of: places.length };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: `${COUNT}` },
    seed: { type: "string", default: "1" },
    at: { type: "string" },
  },
});
const [chosen = values.at?.split("/")[1], ...others] = positionals;
const sample = { count: Number(values.count), seed: Number(values.seed), at: values.at };
if (
  others.length > 0 ||
  !(sample.count > 0) ||
  !Number.isInteger(sample.seed) ||
  !ROOMS.includes(chosen ?? ROOMS[0])
) {
  console.error(
    `mutants: [ROOM] [--count N] [--seed S] | --at FILE[:LINE], of the rooms ${ROOMS.join(", ")}`,
  );
  process.exit(2);
}
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
