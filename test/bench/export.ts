import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { apiTime, md5, ROOT_PASSWORD, Service } from "../support/service/service.js";
import { readerFigures } from "./export-readers.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "./figure.js";
import { usageOf } from "./process-usage.js";

const run = promisify(execFile);
const FIRST_BYTE_MS_MAX = 100;
const FIRST_BYTES = 50;
const QUICK_SECONDS = 600;
/** How long the index may take to open. */
const INDEX_WAIT_MS = 60_000;
/** The recording lies this long back. */
const AGE_US = 2 * 3_600_000_000;

/** An hour of 4 Mbit/s as MP4 by the whole service, beside `ffmpeg -c copy` of the same file. */
export const exportBench: Bench = {
  name: "export",
  about:
    "GET /exportarchive: first byte, throughput, CPU, memory; ffmpeg -c copy; 16 readers; recording beside",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-export");
    const seconds = options.quick ? QUICK_SECONDS : 3600;
    const dataDir = directory.join("data");
    try {
      const first = await Service.start({ dataDir });
      const url = "rtsp://127.0.0.1:9/none";
      const [channelId = ""] = await first.addCameras([{ name: "Gate", url, archivingDisabled: true }]);
      await first.stop();
      const fromUs = Date.now() * 1000 - AGE_US;
      const script = join(REPOSITORY_ROOT, "test/bench/scripts/export-archive.mjs");
      await run(process.execPath, [script, dataDir, channelId, `${seconds}`, `${fromUs}`]);
      yield* measure({ dataDir, channelId, fromUs, seconds, file: directory.join("out.mp4") }, options);
    } finally {
      directory.remove();
    }
  },
};

interface Recording {
  readonly dataDir: string;
  readonly channelId: string;
  readonly fromUs: number;
  readonly seconds: number;
  readonly file: string;
}

async function* measure(recording: Recording, options: BenchOptions): AsyncGenerator<Figure> {
  const { dataDir, channelId, fromUs, seconds, file } = recording;
  const service = await Service.start({ dataDir });
  try {
    const urlOf = (length: number): string => {
      const times = `fromtime=${apiTime(fromUs)}&totime=${apiTime(fromUs + length * 1_000_000)}`;
      return `http://127.0.0.1:${service.httpPort}/exportarchive?channelid=${channelId}&${times}`;
    };
    const url = urlOf(seconds);
    await service.recorded([channelId], seconds * 1_000_000 - 1, INDEX_WAIT_MS);
    const cold = await firstByteMs(url);
    const delaysMs: number[] = [];
    for (let at = 0; at < FIRST_BYTES; at++) delaysMs.push(await firstByteMs(url));
    const name = "request to first byte";
    const wanted = { atMost: FIRST_BYTE_MS_MAX };
    yield { name: `${name}, the first time`, value: cold, unit: "ms", wanted };
    yield { name: `${name}, p50`, value: percentile(delaysMs, 0.5), unit: "ms", wanted };
    yield { name: `${name}, p99`, value: percentile(delaysMs, 0.99), unit: "ms", wanted };
    // The name and password go in a file: a command line is for everybody to read.
    const credentials = `${file}.curl`;
    writeFileSync(credentials, `header = "Authorization: ${LOGIN}"\n`, { mode: 0o600 });
    yield* await besideFfmpeg(service, { url, file, credentials }, options);
    yield* readerFigures({ service, urlOf, credentials });
  } finally {
    await service.stop();
  }
}

const LOGIN = `Basic ${Buffer.from(`root:${md5(ROOT_PASSWORD)}`).toString("base64")}`;

function firstByteMs(url: string): Promise<number> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { authorization: LOGIN } }, (answer) => {
      answer.once("data", () => {
        resolve(performance.now() - startedMs);
        request.destroy();
      });
      if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
    });
    request.on("error", reject);
  });
}

async function besideFfmpeg(
  service: Service,
  { url, file, credentials }: { readonly url: string; readonly file: string; readonly credentials: string },
  options: BenchOptions,
): Promise<Figure[]> {
  await run("curl", ["-sf", "-K", credentials, "-r", "0-50000000", "-o", "/dev/null", url]);
  const before = usageOf([service.process.pid]);
  const restingBytes = residentBytes(service.process.pid);
  const startedMs = performance.now();
  await run("curl", ["-sf", "-K", credentials, "-o", file, url]);
  const seconds = (performance.now() - startedMs) / 1000;
  const after = usageOf([service.process.pid]);
  const copyStartedMs = performance.now();
  const copy = ["-v", "info", "-benchmark", "-nostats", "-y", "-i", file, "-c", "copy", "-f", "mp4"];
  const { stderr } = await run("ffmpeg", [...copy, `${file}.copy`]);
  const copySeconds = (performance.now() - copyStartedMs) / 1000;
  const [, user = "0", system = "0"] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
  const [, copyKb = "0"] = /maxrss=(\d+)/.exec(stderr) ?? [];
  const gigabytes = statSync(file).size / 1e9;
  const name = `${options.quick ? "ten minutes" : "an hour"} of 4 Mbit/s, ${gigabytes.toFixed(2)} GB`;
  const growth = Math.max(after.peakBytes, restingBytes) - restingBytes;
  const peer = (figure: string): string => `ffmpeg -c copy of the file: ${figure}`;
  return [
    { name: `${name}: wall`, value: seconds, unit: "s", peer: peer(`${copySeconds.toFixed(2)} s`) },
    {
      name: `${name}: CPU of the service`,
      value: after.cpuSeconds - before.cpuSeconds,
      unit: "s",
      peer: peer(`${(Number(user) + Number(system)).toFixed(2)} s`),
    },
    {
      name: `${name}: memory beyond that at rest`,
      value: growth / 1e6,
      unit: "MB",
      peer: peer(`${(Number(copyKb) / 1000).toFixed(0)} MB in all`),
    },
  ];
}

function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) * 1024;
}
