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
import { type Bench, type Figure, figureTable, isMet, programTable } from "./figure.js";
import { hlsBench } from "./hls.js";
import { liveSocketBench } from "./live-socket.js";
import { memoryBench } from "./memory.js";
import { motionBench } from "./motion.js";
import { pageDelayBench } from "./page-delay.js";
import { picturesBench } from "./pictures.js";
import { recordingBench } from "./recording.js";
import { rtspBench } from "./rtsp.js";
import {
  answersBench,
  demuxBench,
  eventsBench,
  indexBench,
  rebuildBench,
  timelineBench,
} from "./script-bench.js";
import { startBench } from "./start.js";
import { videoBench } from "./video.js";

const BENCHES: readonly Bench[] = [
  recordingBench,
  demuxBench,
  indexBench,
  rebuildBench,
  eventsBench,
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
  apiBench,
  attacksBench,
  motionBench,
  camerasBench,
  picturesBench,
  memoryBench,
];

/** Benches of the table of programs. The others are shortened in a run of all. */
const COMPARED: ReadonlySet<Bench> = new Set([
  recordingBench,
  startBench,
  memoryBench,
  exportBench,
  rtspBench,
  hlsBench,
  liveSocketBench,
]);

const USAGE = `npm run bench [-- [NAME...] [--quick] [--json FILE]]\n\nWithout a name all are run, those that have no peers shortened.\n\n${BENCHES.map((bench) => `  ${bench.name.padEnd(10)} ${bench.about}`).join("\n")}`;

/** Runs the named benches (default: all), prints a table, and writes JSON where asked. */
async function main(): Promise<number> {
  const options = {
    quick: { type: "boolean" },
    json: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (values.help === true || unknown.length > 0) {
    console.log(unknown.length > 0 ? `no bench named ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
    return unknown.length > 0 ? 2 : 0;
  }
  const chosen =
    positionals.length === 0 ? BENCHES : BENCHES.filter((bench) => positionals.includes(bench.name));
  const figures: Figure[] = [];
  const broken: string[] = [];
  const seconds: Record<string, number> = {};
  for (const bench of chosen) {
    console.error(`bench ${bench.name}: ${bench.about}`);
    const isShort = values.quick === true || (positionals.length === 0 && !COMPARED.has(bench));
    const startedMs = performance.now();
    try {
      for await (const figure of bench.run({ quick: isShort })) {
        figures.push(figure);
        console.error(`  ${figure.name}: ${figure.value.toPrecision(3)} ${figure.unit}`);
      }
    } catch (error) {
      broken.push(`bench ${bench.name} broke: ${errorText(error)}`);
    }
    const took = Math.round((performance.now() - startedMs) / 1000);
    seconds[bench.name] = took;
    console.error(`  took ${took} s${isShort ? ", shortened" : ""}`);
  }
  console.log(`\n${figureTable(figures)}\n\n${programTable(figures)}`);
  for (const text of broken) console.error(text);
  if (values.json !== undefined) writeFileSync(values.json, `${report({ figures, broken, seconds })}\n`);
  return broken.length > 0 ? 1 : 0;
}

interface Told {
  readonly figures: readonly Figure[];
  readonly broken: readonly string[];
  /** That each bench took, by name. */
  readonly seconds: Readonly<Record<string, number>>;
}

function report({ figures, ...told }: Told): string {
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) ?? null }));
  const table = programTable(figures).split("\n");
  return JSON.stringify(
    { takenAt: new Date().toISOString(), machine, figures: judged, table, ...told },
    null,
    2,
  );
}

process.exitCode = await main();
