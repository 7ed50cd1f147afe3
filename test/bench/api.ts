import { loadApi } from "../support/api/api-load.js";
import type { PacedSource } from "../support/service/paced-source.js";
import { pause, type Service } from "../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "./figure.js";
import { usageOf } from "./process-usage.js";
import { withRecordedCameras } from "./recorded-cameras.js";

const CAMERAS = 16;
const REQUESTS_PER_SECOND = 200;
const LATENCY_P99_MS_MAX = 100;

/** Mixed requests while cameras are recorded: latency, the CPU they cost, and that no frame is missed for them. */
export const apiBench: Bench = {
  name: "api",
  about: "200 mixed requests a second while 16 cameras record",
  async *run(options) {
    yield* withRecordedCameras(
      { name: "api", cameras: CAMERAS, recordedUs: 5_000_000 },
      async function* ({ service, source, ids }) {
        yield* await measure(service, source, ids, options);
      },
    );
  },
};

async function measure(
  service: Service,
  source: PacedSource,
  channelIds: string[],
  options: BenchOptions,
): Promise<Figure[]> {
  const seconds = options.quick ? 10 : 30;
  const { pid } = service.process;
  const idle = await cpuShare(pid, () => pause(seconds * 500));
  const before = await source.report();
  let report: Awaited<ReturnType<typeof loadApi>> | undefined;
  const loaded = await cpuShare(pid, async () => {
    const requests = seconds * REQUESTS_PER_SECOND;
    report = await loadApi({ port: service.httpPort, channelIds, requests, perSecond: REQUESTS_PER_SECOND });
  });
  const after = await source.report();
  if (report === undefined) throw new Error("no load was made");
  for (const text of report.wrong.slice(0, 5)) console.error(`  wrong answer: ${text}`);
  const name = `api, ${REQUESTS_PER_SECOND} requests/s beside ${CAMERAS} recorded cameras`;
  const nothing = { atMost: 0 };
  const ms = { unit: "ms", peer: "from when it was due to its last byte" };
  return [
    { name: `${name}: p50`, value: percentile(report.readsMs, 0.5), ...ms },
    {
      name: `${name}: p99`,
      value: percentile(report.readsMs, 0.99),
      wanted: { atMost: LATENCY_P99_MS_MAX },
      ...ms,
    },
    { name: `${name}: p99 of changes`, value: percentile(report.changesMs, 0.99), ...ms },
    { name: `${name}: CPU for the requests`, value: (loaded - idle) * 100, unit: "% of a core" },
    { name: `${name}: CPU in all`, value: loaded * 100, unit: "% of a core" },
    { name: `${name}: wrong answers`, value: report.wrong.length, unit: "", wanted: nothing },
    {
      name: `${name}: frames the source dropped`,
      value: after.droppedFrames - before.droppedFrames,
      unit: "",
      wanted: nothing,
    },
  ];
}

/** CPU seconds a second that the service used while `run` ran. */
async function cpuShare(pid: number, run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  const before = usageOf([pid]).cpuSeconds;
  await run();
  return ((usageOf([pid]).cpuSeconds - before) * 1000) / (performance.now() - startedMs);
}
