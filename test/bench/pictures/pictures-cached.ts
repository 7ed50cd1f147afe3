import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess, runToEnd } from "../../support/service/background-process.js";
import { buildProgram, CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { apiTime, md5, pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";
import { type BenchOptions, type Figure, percentile } from "../figure.js";
import { usageOf } from "../process-usage.js";

const CAMERAS = 16;
const CONNECTIONS = 16;
/** Of each turn: nvrd and the bare server take turns, so that what else the machine does meets both. */
const TURN_SECONDS = 2;
const TURNS = 7;
const QUICK_TURNS = 3;
/** Requests a second at which the time of an answer is taken: many walls of thumbnails at once. */
const STEADY_RATE = 500;
const BARE_SHARE_MIN = 0.5;
const P99_MS_MAX = 5;

interface Load {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly p99Ms: number;
}

/** A still that is kept, asked for again and again, beside a bare server that sends the same bytes. */
export async function* cachedStills(options: BenchOptions): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory("bench-stills");
  const source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
  const service = await Service.start({ dataDir: directory.join("data") });
  try {
    const all = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
    const ids = await service.addCameras(all);
    await service.recorded(ids, 5_000_000, 120_000);
    const [id = ""] = ids;
    const [fragment] = await service.fragments(id);
    const moment = apiTime((fragment?.fromUs ?? 0) + 2_500_000);
    const paths = {
      live: `/site?channelid=${id}`,
      archive: `/site?channelid=${id}&mode=archive&starttime=${moment}`,
    };
    for (const [name, path] of Object.entries(paths))
      yield* beside(name, { service, path, directory, source }, options);
  } finally {
    await service.stop();
    await source.stop();
    directory.remove();
  }
}

interface Setting {
  readonly service: Service;
  readonly path: string;
  readonly directory: TemporaryDirectory;
  readonly source: PacedSource;
}

async function* beside(what: string, setting: Setting, options: BenchOptions): AsyncGenerator<Figure> {
  const { service, path, directory, source } = setting;
  const bare = await startBare(service, path, directory);
  try {
    const request = requestFile(directory, path);
    const of = { request, rate: 0, seconds: TURN_SECONDS };
    const loads: { nvrd: Load; bare: Load }[] = [];
    const idleShare = await cpuShare(service.process.pid);
    for (let turn = 0; turn < (options.quick ? QUICK_TURNS : TURNS); turn++) {
      const nvrd = await load({ ...of, port: service.httpPort, pid: service.process.pid, idleShare });
      loads.push({ nvrd, bare: await load({ ...of, port: bare.port, pid: bare.process.pid, idleShare: 0 }) });
    }
    const median = (value: (pair: { nvrd: Load; bare: Load }) => number) => percentile(loads.map(value), 0.5);
    const name = `still of 64x36, kept, ${what}`;
    const peer = `bare uWebSockets.js, the same bytes: ${median(({ bare }) => bare.perSecond).toFixed(0)}/s, ${median(({ bare }) => bare.cpuUs).toFixed(1)} µs of CPU`;
    yield { name: `${name}: requests`, value: median(({ nvrd }) => nvrd.perSecond), unit: "/s", peer };
    const value = median(({ nvrd, bare }) => nvrd.perSecond / bare.perSecond);
    yield { name: `${name}: of the bare server's`, value, unit: "", wanted: { atLeast: BARE_SHARE_MIN } };
    yield { name: `${name}: CPU a request`, value: median(({ nvrd }) => nvrd.cpuUs), unit: "µs", peer };
    const before = await source.report();
    const seconds = options.quick ? 5 : 15;
    const steady = await load({
      request,
      rate: STEADY_RATE,
      seconds,
      port: service.httpPort,
      pid: service.process.pid,
      idleShare,
    });
    const after = await source.report();
    yield {
      name: `${name}: p99 at ${STEADY_RATE}/s`,
      value: steady.p99Ms,
      unit: "ms",
      wanted: { atMost: P99_MS_MAX },
      peer: `${CAMERAS} streams record; the camera dropped ${after.droppedFrames - before.droppedFrames} frames`,
    };
  } finally {
    await bare.process.stop();
  }
}

/** What the service uses when nobody asks it anything, which is no cost of a request: recording. */
async function cpuShare(pid: number): Promise<number> {
  const seconds = TURN_SECONDS;
  const before = usageOf([pid]).cpuSeconds;
  await pause(seconds * 1000);
  return (usageOf([pid]).cpuSeconds - before) / seconds;
}

async function load(of: {
  readonly port: number;
  readonly pid: number;
  readonly request: string;
  readonly rate: number;
  readonly seconds: number;
  readonly idleShare: number;
}): Promise<Load> {
  const program = await buildProgram("http-load");
  const before = usageOf([of.pid]).cpuSeconds;
  const output = await runToEnd(
    program,
    [of.port, CONNECTIONS, of.seconds, of.rate, of.request].map(String),
    60_000,
  );
  const cpuSeconds = usageOf([of.pid]).cpuSeconds - before;
  const match = /^requests (\d+) wrong (\d+) seconds ([\d.]+) p50 \d+ p99 (\d+) max \d+$/m.exec(output);
  if (match === null) throw new Error(`http-load printed ${output}`);
  const [requests = 0, wrong = 0, seconds = 0, p99Us = 0] = match.slice(1).map(Number);
  if (wrong > 0) throw new Error(`${wrong} of ${requests} answers were wrong`);
  const cpuUs = ((cpuSeconds - of.idleShare * seconds) * 1e6) / requests;
  return { perSecond: requests / seconds, cpuUs, p99Ms: p99Us / 1000 };
}

async function startBare(
  service: Service,
  path: string,
  directory: TemporaryDirectory,
): Promise<{ readonly process: BackgroundProcess; readonly port: number }> {
  const { status, headers, body } = await service.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${body.toString()}`);
  // Those that the library does not write by itself.
  const sent = Object.entries(headers).filter(
    ([name]) => !["content-length", "date", "uwebsockets", "connection"].includes(name),
  );
  writeFileSync(directory.join("bare.json"), JSON.stringify(sent));
  writeFileSync(directory.join("bare.jpg"), body);
  const script = join(REPOSITORY_ROOT, "test/bench/scripts/bare-uws.mjs");
  const files = [directory.join("bare.json"), directory.join("bare.jpg")];
  const process_ = new BackgroundProcess(process.execPath, [script, ...files]);
  const [, port] = await process_.waitFor(/^port (\d+)$/m);
  return { process: process_, port: Number(port) };
}

/** As programs ask: HTTP Basic, and a header or two that nobody needs. */
function requestFile(directory: TemporaryDirectory, path: string): string {
  const basic = Buffer.from(`root:${md5(ROOT_PASSWORD)}`).toString("base64");
  const headers = [
    "Host: 127.0.0.1",
    `Authorization: Basic ${basic}`,
    "Accept: */*",
    "User-Agent: http-load/1",
  ];
  const file = directory.join("request.txt");
  writeFileSync(file, `GET ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
  return file;
}
