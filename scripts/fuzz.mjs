/**
 * Fuzzes native code that reads hostile bytes, the codec's cores above all, with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer:
 *
 *   node scripts/fuzz.mjs [SECONDS]
 *
 * Builds the targets of native/codec/fuzz and native/fuzz with clang, makes their seeds and runs all at once, SECONDS each (60 by
 * default). What was found before (`found` beside them) is tried first. The corpus grows in build/fuzz from run to
 * run; an input that breaks something is left in build/fuzz/findings, and the exit status is 1. To try one again:
 * build/fuzz/bin/TARGET FILE.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { sourcesOf, unitOf } from "./native/compiler.mjs";
import { writeSeeds } from "./native/fuzz-seeds.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CODEC = join(ROOT, "native/codec");
const ADDON = join(ROOT, "native");
const BUILD = join(ROOT, "build/fuzz");
const BINARIES = join(BUILD, "bin");

/** Each target with the maximum size of an input, bytes, the folder of its `fuzz`, and which of CORES it is linked with. */
const TARGETS = [
  { name: "decode", bytesMax: 64 * 1024, folder: CODEC, cores: "codec" },
  { name: "still", bytesMax: 64 * 1024, folder: CODEC, cores: "codec" },
  { name: "motion", bytesMax: 16 * 1024, folder: CODEC, cores: "codec" },
  { name: "sound", bytesMax: 16 * 1024, folder: CODEC, cores: "codec" },
  { name: "fragments", bytesMax: 8 * 1024, folder: ADDON, cores: "addon" },
];
/** Sources of the codec without N-API. */
const CODEC_CORES = [
  "decode/decoder_core",
  "decode/frame_memory",
  "decode/unit_check",
  "failure",
  "motion/blob_finder",
  "motion/light_fit",
  "motion/motion_analyzer",
  "motion/motion_background",
  "motion/region_motion",
  "motion/scene_structure",
  "motion/zone_map",
  "motion/zone_numbers",
  "picture/jpeg_encoder",
  "picture/picture",
  "picture/picture_maker",
  "picture/scaler",
  "picture/still_core",
  "quiet_log",
  "sound/sound_adts",
  "sound/sound_core",
];
const CORES = {
  codec: {
    sources: CODEC_CORES.map((name) => join(CODEC, `${name}.cc`)),
    libraries: ["-lavcodec", "-lavutil", "-lswscale", "-lswresample"],
  },
  addon: { sources: [join(ADDON, "packet/fragment_run.cc")], libraries: [] },
};
const SANITIZERS = "-fsanitize=address,undefined,fuzzer-no-link";
const FLAGS = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", SANITIZERS, "-fno-sanitize-recover=all"];
/** Maximum time of one input: the cores give up after 5 s, and one picture cannot be interrupted. */
const INPUT_SECONDS_MAX = 25;
const MEMORY_MIB_MAX = 2048;
const DEFAULT_SECONDS = 60;
/** How much of a target's output is shown, from its end, when it found something. */
const SAID_CHARACTERS_MAX = 20_000;
/** Added to the requested time, for the start and the last input. */
const GRACE_SECONDS = 60;

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function fuzzSources(folder) {
  return readdirSync(join(folder, "fuzz")).map((name) => join(folder, "fuzz", name));
}

/** Resolves with the exit status (or the signal's name) and what it wrote on its error stream. */
function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-SAID_CHARACTERS_MAX);
    });
    child.once("error", (error) => reject(new Error(`cannot run ${command}: ${error.message}`)));
    child.once("close", (status, signal) => resolve({ status: status ?? signal, said }));
  });
}

async function compile(args) {
  const { status, said } = await run("clang++", args);
  if (status === 0) return;
  throw new Error(`clang++ failed (it needs clang and libclang-rt-dev): ${said}`);
}

/** Runs `tasks`, as many at once as there are processors. */
async function all(tasks) {
  const waiting = [...tasks];
  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

async function build() {
  const newest = Math.max(
    ...[
      ...["codec", "nvrd"].flatMap(sourcesOf),
      ...[CODEC, ADDON].flatMap((folder) => fuzzSources(folder)),
      fileURLToPath(import.meta.url),
    ].map(modifiedMs),
  );
  if (TARGETS.every(({ name }) => modifiedMs(join(BINARIES, name)) > newest)) return;
  mkdirSync(BINARIES, { recursive: true });
  const object = (name) => join(BUILD, `${name}.o`);
  const units = [
    ...Object.entries(CORES).map(([name, { sources }]) => [
      unitOf(sources, join(BUILD, `${name}.cc`)),
      object(name),
    ]),
    ...TARGETS.map(({ name, folder }) => [join(folder, "fuzz", `${name}.cc`), object(`fuzz-${name}`)]),
  ];
  await all(
    units.map(
      ([from, to]) =>
        () =>
          compile([...FLAGS, "-Wall", "-Wextra", "-Werror", "-c", from, "-o", to]),
    ),
  );
  await all(
    TARGETS.map(({ name, cores }) => () => {
      const objects = [object(cores), ...CORES[cores].libraries, object(`fuzz-${name}`)];
      return compile([...FLAGS, "-fsanitize=fuzzer", ...objects, "-o", join(BINARIES, name)]);
    }),
  );
}

/** Resolves with whether the target found nothing in `seconds`. */
async function fuzz({ name, bytesMax, folder }, seconds) {
  const corpus = join(BUILD, "corpus", name);
  const seeds = join(BUILD, "seeds", name);
  const known = join(folder, "fuzz/found", name);
  const findings = join(BUILD, "findings");
  for (const folder of [corpus, findings]) mkdirSync(folder, { recursive: true });
  if (!existsSync(seeds)) writeSeeds(name, seeds);
  const args = [
    `-max_total_time=${seconds}`,
    `-max_len=${bytesMax}`,
    `-timeout=${INPUT_SECONDS_MAX}`,
    `-rss_limit_mb=${MEMORY_MIB_MAX}`,
    `-artifact_prefix=${join(findings, `${name}-`)}`,
    "-print_final_stats=1",
    "-verbosity=0",
    corpus,
    seeds,
    ...(existsSync(known) ? [known] : []),
  ];
  const env = {
    ASAN_OPTIONS: "allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=64",
    UBSAN_OPTIONS: "print_stacktrace=1",
  };
  // At low priority: everything else on the machine comes first.
  const bounded = [
    "--kill-after=5",
    `${seconds + GRACE_SECONDS}`,
    "nice",
    "-n",
    "10",
    join(BINARIES, name),
    ...args,
  ];
  const { status, said } = await run("timeout", bounded, env);
  const inputs = /^stat::number_of_executed_units: +(\d+)$/m.exec(said)?.[1];
  const held = status === 0 && inputs !== undefined;
  if (!held) console.log(said);
  const found = `FAILED (${status}), see above; inputs are in ${findings}`;
  console.log(`fuzz: ${name}: ${held ? `nothing found in ${inputs} inputs` : found}`);
  return held;
}

/** Resolves with whether no target found anything in `seconds` of each. */
export async function fuzzAll(seconds) {
  await build();
  const held = await Promise.all(TARGETS.map((target) => fuzz(target, seconds)));
  return held.every(Boolean);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const seconds = Number(process.argv[2] ?? DEFAULT_SECONDS);
  if (!(Number.isInteger(seconds) && seconds > 0)) {
    console.error("fuzz: node scripts/fuzz.mjs [SECONDS]");
    process.exit(2);
  }
  process.exitCode = (await fuzzAll(seconds)) ? 0 : 1;
}
