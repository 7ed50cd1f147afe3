/**
 * `node scripts/test/frame-path.mjs [--keep]`: how many instructions a recorded picture takes, of test/bench/scripts/frame-path.mjs, beside
 * what frame-path.json says it took. Where time is noise, this is not: valgrind counts, and V8 does the same at each run. A run
 * of many pictures less one of few leaves the pictures between, and nothing of Node's start. It prints one line, and its status is 0
 * whatever the figure is: a figure is to be seen, not to fail. `--keep` writes the new figure.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const KEPT = fileURLToPath(new URL("frame-path.json", import.meta.url));
const PROGRAM = join(ROOT, "test/bench/scripts/frame-path.mjs");
/** By then V8 has compiled the path for good: what only key frames need is called once a GOP. After 250, eight functions were still to come. */
const GOPS_BEFORE = 800;
/** So many that a collection of the whole heap, which comes or does not, is no great part. With 40 the same program had 45 to 53 thousand. */
const GOPS = 400;
const PICTURES_A_GOP = 50;
/** What is told as a change. */
const SHARE_REPORTED_MIN = 0.03;
const RUN_MS_MAX = 300_000;
/** V8 on one thread, and nothing of chance. */
const NODE_FLAGS = ["--predictable", "--random-seed=1", "--hash-seed=1"];

/** The line to print. `kept`: what frame-path.json holds; undefined: nothing. */
export function framePathLine(instructions, kept, node) {
  const now = `frame path: ${Math.round(instructions / 1000)} thousand instructions a picture`;
  if (kept === undefined) return now;
  if (kept.node !== node) return `${now}; the figure kept is of Node ${kept.node}, this is ${node}`;
  const change = instructions / kept.instructions - 1;
  const percent = `${change < 0 ? "-" : "+"}${Math.abs(change * 100).toFixed(1)} %`;
  if (Math.abs(change) <= SHARE_REPORTED_MIN) return `${now}, as before (${percent})`;
  return `${now}: CHANGED by ${percent}; where that is meant, node scripts/test/frame-path.mjs --keep`;
}

/** What valgrind's cachegrind counted. Throws where it says nothing. */
export function countedIn(text) {
  const [, count] = /I +refs: +([\d,]+)/.exec(text) ?? [];
  if (count === undefined) throw new Error(`valgrind counted nothing: ${text.slice(-500)}`);
  return Number(count.replaceAll(",", ""));
}

function count(gops) {
  const valgrind = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
  const args = [...valgrind, process.execPath, ...NODE_FLAGS, PROGRAM, `${gops}`];
  const child = spawn("valgrind", args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS_MAX,
    cwd: ROOT,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      said += text;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0 && said.includes(`${gops * PICTURES_A_GOP} pictures`)) resolve(said);
      else reject(new Error(`${gops} GOPs did not come through: ${said.slice(-500)}`));
    });
  }).then(countedIn);
}

async function run() {
  const counts = await Promise.all([count(GOPS_BEFORE), count(GOPS_BEFORE + GOPS)]);
  const instructions = Math.round((counts[1] - counts[0]) / (GOPS * PICTURES_A_GOP));
  const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : undefined;
  console.log(framePathLine(instructions, kept, process.version));
  if (process.argv.includes("--keep"))
    writeFileSync(
      KEPT,
      `{ "instructions": ${instructions}, "node": "${process.version}", "processor": "${process.arch}" }\n`,
    );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await run().catch((error) => console.log(`frame path: not counted: ${error.message}`));
