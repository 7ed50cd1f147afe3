import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import type { BenchOptions, Figure } from "./figure.js";
import { hasPeer, startMediamtx, startMoonfire } from "./peers.js";
import { pssBytesOf, usageOf } from "./process-usage.js";

const MEBIBYTE_KB = 1024;
const STARTS = 5;
const START_SECONDS_MAX = 0.5;
const START_CPU_SECONDS_MAX = 0.5;
const IDLE_MIB_MAX = 85;
const STREAM_MIB_MAX: ReadonlyMap<number, number> = new Map([
  [16, 115],
  [64, 170],
]);
/** What a start leaves to be collected is, and the children of the first seconds have ended. */
const IDLE_MS = 15_000;
const PEER_IDLE_MS = 5000;
const START_TIME_WORK = "start, nothing recorded, s";
const START_CPU_WORK = "start, nothing recorded, CPU s";
const RECORDED_WAIT_MS = 90_000;
const RECORD_MS = 30_000;
const QUICK_RECORD_MS = 20_000;

/** Kinds of memory, by what is mapped; the first that fits counts. */
const PARTS: readonly (readonly [name: string, fits: (mapping: Mapping) => boolean])[] = [
  ["Node's program", ({ file }) => basename(file) === "node"],
  ["native libraries", ({ file }) => /\.(?:node|so)\b/.test(file)],
  ["malloc", ({ file }) => file === "[heap]"],
  ["V8's machine code", ({ file, rights }) => file === "" && rights.includes("x")],
  ["V8's heaps, threads' stacks and slabs", ({ file }) => file === "" || file === "[stack]"],
  ["files", () => true],
];

interface Mapping {
  readonly file: string;
  readonly rights: string;
  readonly pssKb: number;
}

/** What a start costs, and what is resident after it and while 16 and 64 cameras are recorded: all of it, and by part. */
export async function* residentFigures(options: BenchOptions): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-resident");
  try {
    const dataDir = directory.join("data");
    await (await Service.start({ dataDir })).stop();
    yield* starts(dataDir);
    yield* idle(dataDir);
    yield* peersIdle();
    for (const [streams, atMost] of STREAM_MIB_MAX)
      yield* recording({ streams, atMost, dataDir: directory.join(`data-${streams}`), options });
  } finally {
    directory.remove();
  }
}

/** The least of some starts on a directory that was used before: others on the machine only make one longer. */
async function* starts(dataDir: string): AsyncGenerator<Figure> {
  const seconds: number[] = [];
  const cpuSeconds: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const startedMs = performance.now();
    const service = await Service.start({ dataDir });
    seconds.push((performance.now() - startedMs) / 1000);
    cpuSeconds.push(usageOf([service.process.pid]).cpuSeconds);
    await service.stop();
  }
  const peer = `least of ${STARTS}, nothing recorded`;
  const wanted = { atMost: START_SECONDS_MAX };
  const cellOf = (work: string) => ({ cell: { work, program: "nvrd" } as const });
  const time = { value: Math.min(...seconds), unit: "s", wanted, peer, ...cellOf(START_TIME_WORK) };
  yield { name: "start to first answer", ...time };
  const wantedCpu = { atMost: START_CPU_SECONDS_MAX };
  yield {
    name: "start to first answer: CPU",
    value: Math.min(...cpuSeconds),
    unit: "s",
    wanted: wantedCpu,
    peer,
    ...cellOf(START_CPU_WORK),
  };
}

async function* idle(dataDir: string): AsyncGenerator<Figure> {
  const service = await Service.start({ dataDir });
  try {
    await pause(IDLE_MS);
    yield* memoryOf("idle", service.process.pid, IDLE_MIB_MAX);
  } finally {
    await service.stop();
  }
}

const PEERS_IDLE = [
  { name: "MediaMTX", program: "mediamtx", start: startMediamtx },
  { name: "Moonfire NVR", program: "moonfire-nvr", start: startMoonfire },
] as const;

/** Peers without a camera: the start of their programs, and what they take then. */
async function* peersIdle(): AsyncGenerator<Figure> {
  for (const { name, program, start } of PEERS_IDLE) {
    if (!hasPeer(program)) continue;
    const directory = new TemporaryDirectory("bench-idle");
    const peer = await start({ directory, cameras: [] });
    try {
      const cpuSeconds = usageOf([peer.pid]).cpuSeconds;
      const cellOf = (work: string) => ({ cell: { work, program: name } });
      const time = { value: peer.startSeconds, unit: "s", ...cellOf(START_TIME_WORK) };
      yield { name: `start until it listens, ${name}`, ...time };
      yield { name: `start: CPU, ${name}`, value: cpuSeconds, unit: "s", ...cellOf(START_CPU_WORK) };
      await pause(PEER_IDLE_MS);
      const memory = pssBytesOf([peer.pid]) / 1024 / MEBIBYTE_KB;
      yield { name: `memory, idle, ${name}`, value: memory, unit: "MiB", ...cellOf("memory, idle, MiB") };
    } finally {
      await peer.stop();
      directory.remove();
    }
  }
}

interface RecordingOptions {
  readonly streams: number;
  readonly atMost: number;
  readonly dataDir: string;
  readonly options: BenchOptions;
}

async function* recording({ streams, atMost, dataDir, options }: RecordingOptions): AsyncGenerator<Figure> {
  const source = await PacedSource.start(streams, CAMERA_CLIP);
  const service = await Service.start({ dataDir });
  try {
    const cameras = Array.from({ length: streams }, (_, at) => ({
      name: `Camera ${at}`,
      url: source.url(at),
    }));
    const ids = await service.addCameras(cameras);
    await service.recorded(ids, 5_000_000, RECORDED_WAIT_MS);
    await pause(options.quick ? QUICK_RECORD_MS : RECORD_MS);
    yield* memoryOf(`${streams} streams`, service.process.pid, atMost);
  } finally {
    await service.stop();
    await source.stop();
  }
}

/** Pages that other processes have too count by the share of this one: on a machine that runs other Node programs it is less. */
function* memoryOf(name: string, pid: number, atMost: number): Generator<Figure> {
  const mappings = mappingsOf(pid);
  const value = mebibytes(mappings);
  // That of the streams is measured beside the peers' as well.
  const cell = name === "idle" ? { cell: { work: "memory, idle, MiB", program: "nvrd" } as const } : {};
  yield { name: `memory, ${name}`, value, unit: "MiB", wanted: { atMost }, peer: "PSS", ...cell };
  let rest = mappings;
  for (const [part, fits] of PARTS) {
    yield { name: `memory, ${name}: ${part}`, value: mebibytes(rest.filter(fits)), unit: "MiB" };
    rest = rest.filter((mapping) => !fits(mapping));
  }
}

function mebibytes(mappings: readonly Mapping[]): number {
  return mappings.reduce((sum, { pssKb }) => sum + pssKb, 0) / MEBIBYTE_KB;
}

function mappingsOf(pid: number): readonly Mapping[] {
  const text = readFileSync(`/proc/${pid}/smaps`, "latin1");
  // A mapping's first line: range, rights, offset, device, inode, file; then lines "Name:  value kB".
  return text.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((entry) => {
    const head = /^\S+ (\S+) \S+ \S+ \S+ *(.*)$/m.exec(entry);
    const pss = /^Pss: +(\d+) kB$/m.exec(entry);
    if (head === null || pss === null) return [];
    return [{ rights: head[1] ?? "", file: head[2] ?? "", pssKb: Number(pss[1]) }];
  });
}
