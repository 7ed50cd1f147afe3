import { ScriptedStore } from "../support/away/scripted-store.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "./figure.js";
import { type ThreadTimes, threadTimesOf } from "./process-usage.js";

const CAMERAS = 64;
const LINK_KILOBITS = 100_000;
const SEGMENT_SECONDS = 10;
const WAIT_MS = 120_000;
/** V8 compiles the frame path within its first minute or two. */
const SETTLE_MS = 75_000;
const QUICK_SETTLE_MS = 10_000;
/** From the first segment in the bucket until the link is full. */
const GOING_MS = 5000;
/** Before the backlog goes, and beside it. */
const WINDOWS = 3;
/** V8 collects the whole heap once in a minute or two, which is as much as a backlog costs in ten seconds. */
const WINDOW_MS = 20_000;
const QUICK_WINDOW_MS = 10_000;
/** What the main thread may cost more beside a backlog: the queue of what is sent is among it. */
const MAIN_THREAD_MAX = 1.2;
/** Of the link's limit, at least so much is used: else nothing was measured. */
const LINK_SHARE_MIN = 0.8;

/** Of a core, per cent. */
interface Load {
  readonly process: number;
  /** Of the main thread, which has the frames' path. */
  readonly main: number;
}

interface Window {
  readonly sending: Load;
  readonly plain: Load;
}

interface Windows {
  readonly windows: readonly Window[];
  readonly droppedFrames: number;
  readonly sentMegabits: number;
}

/**
 * Two services record the same 64 cameras at once, so that a machine whose speed changes is the same for both. Then the backlog of one of
 * them goes to a bucket at 100 Mbit/s: what its main thread takes of the other's is compared with what it took of it before.
 */
export const backlogBench: Bench = {
  name: "backlog",
  about: "recording 64 cameras without, and beside, a backlog that goes to object storage at 100 Mbit/s",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-backlog");
    const store = await new ScriptedStore().start();
    const source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
    const services: Service[] = [];
    try {
      for (const name of ["sending", "plain"]) services.push(await recorder(directory.join(name), source));
      const [sending, plain] = services;
      if (sending === undefined || plain === undefined) throw new Error("two services are needed");
      yield* await measure({ sending, plain, store, source }, options);
    } finally {
      for (const service of services) await service.stop();
      // A service that does not start leaves nothing behind that would keep the bench from its end.
      await source.stop();
      store.stop();
      directory.remove();
    }
  },
};

interface Setup {
  readonly sending: Service;
  readonly plain: Service;
  readonly store: ScriptedStore;
  readonly source: PacedSource;
}

async function recorder(dataDir: string, source: PacedSource): Promise<Service> {
  const service = await Service.start({ dataDir, settings: { segmentSeconds: SEGMENT_SECONDS } });
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const ids = await service.addCameras(cameras);
  await service.recorded(ids, 1_000_000, WAIT_MS);
  return service;
}

async function measure(setup: Setup, { quick }: BenchOptions): Promise<Figure[]> {
  const { sending, store } = setup;
  const windowMs = quick ? QUICK_WINDOW_MS : WINDOW_MS;
  await pause(quick ? QUICK_SETTLE_MS : SETTLE_MS);
  const before = await inWindows(setup, windowMs);
  const target = {
    ...{ Name: "Far", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "bench", Content: "Everything", From: "Oldest" },
    KilobitsPerSecondMax: LINK_KILOBITS,
  };
  await sending.json("/configure/away", { method: "POST", body: [target] });
  const end = performance.now() + WAIT_MS;
  while (![...store.objects.keys()].some((key) => key.startsWith("box/streams/"))) {
    if (performance.now() > end) throw new Error("nothing goes to the bucket");
    await pause(100);
  }
  await pause(GOING_MS);
  const beside = await inWindows(setup, windowMs);
  const [state] = await sending.json<{ WaitingSegments: number }[]>("/api/away");
  return figuresOf(before, beside, state?.WaitingSegments ?? 0);
}

function figuresOf(before: Windows, beside: Windows, waiting: number): Figure[] {
  const percent = "% of a core";
  const name = `${CAMERAS} cameras`;
  const middle = ({ windows }: Windows, of: (window: Window) => number): number =>
    percentile(windows.map(of), 0.5);
  const share = (windows: Windows): number =>
    middle(windows, ({ sending, plain }) => sending.main / plain.main);
  const without = "the other service, at once";
  return [
    {
      name: `${name} without a backlog: process`,
      value: middle(beside, ({ plain }) => plain.process),
      unit: percent,
      peer: without,
    },
    {
      name: `${name} beside it: process, with what sends`,
      value: middle(beside, ({ sending }) => sending.process),
      unit: percent,
    },
    {
      name: `${name} without a backlog: main thread`,
      value: middle(beside, ({ plain }) => plain.main),
      unit: percent,
      peer: without,
    },
    {
      name: `${name} beside it: main thread`,
      value: middle(beside, ({ sending }) => sending.main),
      unit: percent,
    },
    {
      ...{ name: `${name} beside it: main thread`, value: share(beside) / share(before), unit: "x" },
      wanted: { atMost: MAIN_THREAD_MAX },
      peer: "its share of the other's before, medians of three windows",
    },
    {
      ...{ name: `${name} beside it: frames the source dropped`, value: beside.droppedFrames, unit: "" },
      ...{ wanted: { atMost: before.droppedFrames }, peer: "before; of both services" },
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

async function inWindows({ sending, plain, store, source }: Setup, windowMs: number): Promise<Windows> {
  const look = async () => ({
    sending: threadTimesOf([sending.process.pid]),
    plain: threadTimesOf([plain.process.pid]),
    ms: performance.now(),
    dropped: (await source.report()).droppedFrames,
    bytes: [...store.objects.values()].reduce((sum, { length }) => sum + length, 0),
  });
  const first = await look();
  const windows: Window[] = [];
  let last = first;
  for (let window = 0; window < WINDOWS; window++) {
    await pause(windowMs);
    const now = await look();
    const seconds = (now.ms - last.ms) / 1000;
    windows.push({
      sending: loadOf(sending, { before: last.sending, after: now.sending, seconds }),
      plain: loadOf(plain, { before: last.plain, after: now.plain, seconds }),
    });
    last = now;
  }
  return {
    windows,
    droppedFrames: last.dropped - first.dropped,
    sentMegabits: ((last.bytes - first.bytes) * 8) / (last.ms - first.ms) / 1000,
  };
}

function loadOf(
  service: Service,
  { before, after, seconds }: { before: ThreadTimes; after: ThreadTimes; seconds: number },
): Load {
  const main = `${service.process.pid}`;
  let process = 0;
  for (const [thread, ran] of after) process += ran - (before.get(thread) ?? 0);
  const ofMain = (after.get(main) ?? 0) - (before.get(main) ?? 0);
  return { process: (process / seconds) * 100, main: (ofMain / seconds) * 100 };
}
