import { type PacedSource, pacedClockOf } from "../../support/service/paced-source.js";
import { apiTime, type Fragment, pause, type Service } from "../../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "../figure.js";
import { usageOf } from "../process-usage.js";
import { withRecordedCameras } from "../recorded-cameras.js";
import { watchSource } from "./rtsp-viewers.js";

const CAMERAS = 16;
const VIEWERS = 100;
const SPEED = 20;
const FIRST_BYTE_MS_MAX = 50;
const DELAY_WINDOW_MS = 10_000;

/** Archive and live `/video`: first byte, throughput at speed 20, fan-out to 100 viewers. */
export const videoBench: Bench = {
  name: "video",
  about: "archive /video first byte and throughput, live fan-out to 100 clients",
  async *run(options) {
    yield* withRecordedCameras(
      { name: "video", cameras: CAMERAS, recordedUs: options.quick ? 15_000_000 : 60_000_000 },
      async function* ({ service, source, ids }) {
        const recordings = await Promise.all(ids.map((id) => onlyFragment(service, id)));
        yield* await firstByte(service, ids, recordings, options);
        yield* await throughput(service, ids, recordings);
        yield* await fanOut(service, source, ids[0] ?? "", options);
      },
    );
  },
};

async function onlyFragment(service: Service, channelId: string): Promise<Fragment> {
  const [fragment, second] = await service.fragments(channelId);
  if (fragment === undefined || second !== undefined)
    throw new Error(`channel ${channelId}: recorded with gaps`);
  return fragment;
}

async function firstByte(
  service: Service,
  ids: string[],
  recordings: Fragment[],
  options: BenchOptions,
): Promise<Figure[]> {
  const delaysMs: number[] = [];
  for (let at = 0; at < (options.quick ? 50 : 300); at++) {
    const { fromUs, toUs } = recordings[at % ids.length] as Fragment;
    const startUs = fromUs + Math.random() * (toUs - fromUs - 2_000_000);
    const startedMs = performance.now();
    const video = await service.video(archiveQuery(ids[at % ids.length] ?? "", startUs, 1));
    await video.parts.next();
    delaysMs.push(performance.now() - startedMs);
    video.close();
  }
  const name = "archive /video: request to first frame";
  const wanted = { atMost: FIRST_BYTE_MS_MAX };
  return [
    { name: `${name}, p50`, value: percentile(delaysMs, 0.5), unit: "ms", wanted },
    {
      name: `${name}, p99`,
      value: percentile(delaysMs, 0.99),
      unit: "ms",
      wanted,
      peer: `while ${CAMERAS} cameras record`,
    },
  ];
}

async function throughput(service: Service, ids: string[], recordings: Fragment[]): Promise<Figure[]> {
  const before = usageOf([service.process.pid]);
  const startedMs = performance.now();
  const readings = await Promise.all(
    ids.map((id, at) => readAtSpeed(service, id, recordings[at] as Fragment)),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const cpuSeconds = usageOf([service.process.pid]).cpuSeconds - before.cpuSeconds;
  const bytes = readings.reduce((sum, reading) => sum + reading.bytes, 0);
  const name = `archive /video, ${CAMERAS} clients at speed ${SPEED}`;
  return [
    { name: `${name}: throughput`, value: bytes / 1e6 / seconds, unit: "MB/s" },
    {
      name: `${name}: slowest client's speed`,
      value: Math.min(...readings.map((reading) => reading.speed)),
      unit: "x",
    },
    {
      name: `${name}: CPU`,
      value: cpuSeconds / (bytes / 1e9),
      unit: "CPU s/GB",
      peer: `recording ${CAMERAS} streams included`,
    },
  ];
}

/** Reads a recording from its start to its end at `SPEED`. */
async function readAtSpeed(
  service: Service,
  id: string,
  recording: Fragment,
): Promise<{ bytes: number; speed: number }> {
  const startedMs = performance.now();
  const video = await service.video(archiveQuery(id, recording.fromUs, SPEED));
  let bytes = 0;
  for await (const part of video.parts) {
    bytes += part.body.length;
    if (part.timestampMs * 1000 >= recording.toUs - 200_000) break;
  }
  video.close();
  return { bytes, speed: (recording.toUs - recording.fromUs) / 1000 / (performance.now() - startedMs) };
}

async function fanOut(
  service: Service,
  source: PacedSource,
  id: string,
  options: BenchOptions,
): Promise<Figure[]> {
  const windowMs = options.quick ? DELAY_WINDOW_MS / 2 : DELAY_WINDOW_MS;
  const direct = await watchSource(source, 0, windowMs);
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => service.video(`channelid=${id}`)));
  const delaysMs: number[] = [];
  let bytes = 0;
  const watching = Promise.allSettled(
    viewers.map(async (viewer) => {
      for await (const part of viewer.parts) {
        bytes += part.body.length;
        const clock = pacedClockOf(part.body.subarray(0, 4096));
        if (clock !== undefined) delaysMs.push(performance.timeOrigin + part.arrivedMs - clock.sentUs / 1000);
      }
    }),
  );
  await pause(3000);
  delaysMs.length = 0;
  bytes = 0;
  const before = usageOf([service.process.pid]);
  await pause(windowMs);
  const cpuSeconds = usageOf([service.process.pid]).cpuSeconds - before.cpuSeconds;
  const counted = { bytes, delaysMs: delaysMs.slice() };
  for (const viewer of viewers) viewer.close();
  await watching;
  const name = `live /video, ${VIEWERS} clients of one stream`;
  const added = (share: number): number => percentile(counted.delaysMs, share) - direct.whole.p50;
  return [
    {
      name: `${name}: CPU`,
      value: (cpuSeconds / windowMs) * 100_000,
      unit: "% of a core",
      peer: `recording ${CAMERAS} streams included`,
    },
    {
      name: `${name}: CPU`,
      value: cpuSeconds / (counted.bytes / 1e9),
      unit: "CPU s/GB",
      peer: `${(counted.bytes / 1e6 / (windowMs / 1000)).toFixed(1)} MB/s sent`,
    },
    {
      name: `${name}: added delay, p50`,
      value: added(0.5),
      unit: "ms",
      peer: "a client that reads the camera directly",
    },
    {
      name: `${name}: added delay, p99`,
      value: added(0.99),
      unit: "ms",
      peer: "a client that reads the camera directly",
    },
  ];
}

function archiveQuery(channelId: string, fromUs: number, speed: number): string {
  return `channelid=${channelId}&mode=archive&starttime=${apiTime(fromUs)}&speed=${speed}`;
}
