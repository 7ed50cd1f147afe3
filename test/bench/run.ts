import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { apiBench } from "./api.js";
import { attacksBench } from "./attacks.js";
import { awayBench } from "./away.js";
import { backlogBench } from "./backlog.js";
import { camerasBench } from "./cameras.js";
import { errorText } from "./error-text.js";
import { exportBench } from "./export.js";
import { type Bench, type BenchOptions, type Figure, figureTable, isMet, programTable } from "./figure.js";
import { holdBench } from "./hold.js";
import { memoryBench } from "./memory.js";
import { motionBench } from "./motion.js";
import { picturesBench } from "./pictures/pictures.js";
import { recordingBench } from "./recording.js";
import { scaleBench } from "./scale.js";
import {
  answersBench,
  demuxBench,
  eventsBench,
  findingsBench,
  indexBench,
  rebuildBench,
  secureBench,
  timelineBench,
} from "./script-bench.js";
import { sightBench } from "./sight.js";
import { startBench } from "./start.js";
import { hlsBench } from "./viewers/hls.js";
import { liveSocketBench } from "./viewers/live-socket.js";
import { pageDelayBench } from "./viewers/page-delay.js";
import { pageScrubBench } from "./viewers/page-scrub.js";
import { rtspBench } from "./viewers/rtsp.js";
import { videoBench } from "./viewers/video.js";
import { wearBench } from "./wear.js";

const BENCHES: readonly Bench[] = [
  recordingBench,
  demuxBench,
  secureBench,
  indexBench,
  rebuildBench,
  eventsBench,
  findingsBench,
  answersBench,
  startBench,
  videoBench,
  timelineBench,
  exportBench,
  awayBench,
  backlogBench,
  rtspBench,
  hlsBench,
  liveSocketBench,
  pageDelayBench,
  pageScrubBench,
  apiBench,
  attacksBench,
  holdBench,
  motionBench,
  sightBench,
  camerasBench,
  picturesBench,
  memoryBench,
  wearBench,
  scaleBench,
];

/** Those of the table of programs that a run of all does not shorten. */
const WHOLE: readonly Bench[] = [
  recordingBench,
  startBench,
  memoryBench,
  rtspBench,
  liveSocketBench,
  hlsBench,
];
/** What a run of all begins with. Peers are compared in ten minutes of archive, which the short bench of exports has as well. */
const FIRST: readonly Bench[] = [...WHOLE, exportBench, backlogBench];
/** A run of all begins no further bench then, so that it ends within half an hour. */
const BEGUN_MS_MAX = 27 * 60_000;

const USAGE = `npm run bench [-- [NAME...] [--quick] [--json FILE]]\n\nWithout a name all are run within half an hour, those that have no peers last and shortened.\n\n${BENCHES.map((bench) => `  ${bench.name.padEnd(10)} ${bench.about}`).join("\n")}`;

/** Runs the named benches (default: all), prints a table, and writes JSON where asked. */
async function main(): Promise<number> {
  const options = {
    quick: { type: "boolean" },
    json: { type: "string" },
    only: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (values.help === true || unknown.length > 0) {
    console.log(unknown.length > 0 ? `no bench named ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  const isOfAll = positionals.length === 0;
  const chosen = isOfAll ? inOrder() : BENCHES.filter((bench) => positionals.includes(bench.name));
  const results: Results = { figures: [], broken: [], leftOut: [], seconds: {} };
  const startedMs = performance.now();
  for (const bench of chosen) {
    if (isOfAll && performance.now() - startedMs > BEGUN_MS_MAX) {
      results.leftOut.push(bench.name);
      continue;
    }
    const quick = values.quick === true || (isOfAll && !WHOLE.includes(bench));
    await runOne(bench, { quick, only: values.only }, results);
    // What is measured is kept, whatever becomes of the run.
    if (values.json !== undefined) writeFileSync(values.json, `${report(results)}\n`);
  }
  console.log(`\n${figureTable(results.figures)}\n\n${programTable(results.figures)}`);
  for (const text of results.broken) console.error(text);
  if (results.leftOut.length > 0) console.error(`left out for want of time: ${results.leftOut.join(", ")}`);
  console.error(`took ${Math.round((performance.now() - startedMs) / 1000)} s in all`);
  return results.broken.length > 0 ? 1 : 0;
}

function inOrder(): readonly Bench[] {
  return [...FIRST, ...BENCHES.filter((bench) => !FIRST.includes(bench))];
}

async function runOne(bench: Bench, options: BenchOptions, results: Results): Promise<void> {
  console.error(`bench ${bench.name}: ${bench.about}`);
  const startedMs = performance.now();
  try {
    for await (const figure of bench.run(options)) {
      results.figures.push(figure);
      console.error(`  ${figure.name}: ${figure.value.toPrecision(3)} ${figure.unit}`);
    }
  } catch (error) {
    results.broken.push(`bench ${bench.name} broke: ${errorText(error)}`);
  }
  const took = Math.round((performance.now() - startedMs) / 1000);
  results.seconds[bench.name] = took;
  console.error(`  took ${took} s${options.quick ? ", shortened" : ""}`);
}

interface Results {
  readonly figures: Figure[];
  /** Benches that broke, in words. */
  readonly broken: string[];
  /** Names of those that a run of all had no time for. */
  readonly leftOut: string[];
  /** That each bench took, by name. */
  readonly seconds: Record<string, number>;
}

function report({ figures, ...results }: Results): string {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) ?? null }));
  const table = programTable(figures).split("\n");
  return JSON.stringify(
    { takenAt: new Date().toISOString(), machine, figures: judged, table, ...results },
    null,
    2,
  );
}

process.exitCode = await main();
