import { readFileSync } from "node:fs";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "./figure.js";
import { usageOf } from "./process-usage.js";

const CAMERAS = 64;
const LINK_KILOBITS = 100_000;
const SEGMENT_SECONDS = 10;
const WAIT_MS = 120_000;
/** What the main thread may cost more beside a backlog: the queue of what is sent is among it. */
const MAIN_THREAD_MAX = 1.2;
/** Of the link's limit, at least so much is used: else nothing was measured. */
const LINK_SHARE_MIN = 0.8;

interface Stretch {
  /** Of a core, per cent. */
  readonly process: number;
  /** Of the main thread, which has the frames' path. */
  readonly main: number;
  readonly droppedFrames: number;
  readonly sentMegabits: number;
}

/** 64 cameras recorded without and then beside a backlog that goes to a bucket at 100 Mbit/s, in one run. */
export const backlogBench: Bench = {
  name: "backlog",
  about: "recording 64 cameras without, and beside, a backlog that goes to object storage at 100 Mbit/s",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-backlog");
    const store = await new ScriptedStore().start();
    const source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
    try {
      const settings = { segmentSeconds: SEGMENT_SECONDS };
      const service = await Service.start({ dataDir: directory.join("data"), settings });
      try {
        yield* await measure(service, { store, source, options });
      } finally {
        await service.stop();
      }
    } finally {
      // A service that does not start leaves nothing behind that would keep the bench from its end.
      await source.stop();
      store.stop();
      directory.remove();
    }
  },
};

interface Setup {
  readonly store: ScriptedStore;
  readonly source: PacedSource;
  readonly options: BenchOptions;
}

async function measure(service: Service, { store, source, options: { quick } }: Setup): Promise<Figure[]> {
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const ids = await service.addCameras(cameras);
  await service.recorded(ids, 1_000_000, WAIT_MS);
  await pause(quick ? 10_000 : 30_000);
  const seconds = quick ? 10 : 30;
  const alone = await stretch(service, { store, source, seconds });
  const target = {
    ...{ Name: "Far", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "bench", Content: "Everything", From: "Oldest" },
    KilobitsPerSecondMax: LINK_KILOBITS,
  };
  await service.json("/configure/away", { method: "POST", body: [target] });
  const end = performance.now() + WAIT_MS;
  while (![...store.objects.keys()].some((key) => key.startsWith("box/streams/"))) {
    if (performance.now() > end) throw new Error("nothing goes to the bucket");
    await pause(100);
  }
  const beside = await stretch(service, { store, source, seconds });
  const [state] = await service.json<{ WaitingSegments: number }[]>("/api/away");
  return figuresOf(alone, beside, state?.WaitingSegments ?? 0);
}

function figuresOf(alone: Stretch, beside: Stretch, waiting: number): Figure[] {
  const percent = "% of a core";
  const name = `${CAMERAS} cameras`;
  return [
    { name: `${name} without a backlog: process`, value: alone.process, unit: percent },
    { name: `${name} beside it: process, with what sends`, value: beside.process, unit: percent },
    { name: `${name} without a backlog: main thread`, value: alone.main, unit: percent },
    {
      ...{ name: `${name} beside it: main thread`, value: beside.main, unit: percent },
      ...{ wanted: { atMost: alone.main * MAIN_THREAD_MAX }, peer: `${MAIN_THREAD_MAX} x without it` },
    },
    {
      ...{ name: `${name} beside it: frames the source dropped`, value: beside.droppedFrames, unit: "" },
      ...{ wanted: { atMost: alone.droppedFrames }, peer: "without it" },
    },
    {
      ...{ name: "the backlog goes at", value: beside.sentMegabits, unit: "Mbit/s" },
      wanted: { atLeast: (LINK_KILOBITS / 1000) * LINK_SHARE_MIN },
    },
    {
      ...{ name: "segments that wait in the end", value: waiting, unit: "" },
      ...{ wanted: { atLeast: 1 }, peer: "there was a backlog all the time" },
    },
  ];
}

async function stretch(
  service: Service,
  { store, source, seconds }: { store: ScriptedStore; source: PacedSource; seconds: number },
): Promise<Stretch> {
  const { pid } = service.process;
  const look = async () => ({
    process: usageOf([pid]).cpuSeconds,
    main: mainThreadSeconds(pid),
    dropped: (await source.report()).droppedFrames,
    bytes: [...store.objects.values()].reduce((sum, { length }) => sum + length, 0),
    ms: performance.now(),
  });
  const before = await look();
  await pause(seconds * 1000);
  const after = await look();
  const took = (after.ms - before.ms) / 1000;
  return {
    process: ((after.process - before.process) / took) * 100,
    main: ((after.main - before.main) / took) * 100,
    droppedFrames: after.dropped - before.dropped,
    sentMegabits: ((after.bytes - before.bytes) * 8) / took / 1e6,
  };
}

/** User and system time of the thread that a process began with. */
function mainThreadSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
