import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { pause, Service } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "./figure.js";
import { hasPeer, startMoonfire } from "./peers.js";

const CAMERAS = 16;
const SEGMENTS = 1_000_000;
const QUICK_SEGMENTS = 100_000;
/** Files that are written first: a million take five minutes, and are read in at the same rate. */
const LOST_SEGMENTS = 100_000;
const QUICK_LOST = 50_000;
const ANSWER_SECONDS_MAX = 0.5;
const SEGMENT_US = 60_000_000;
/** Small, so that the quota does not set in on segments whose files do not exist. */
const SEGMENT_BYTES = 1000;
const GOPS = 30;
/** Fewer than the index lets wait for a commit (UNCOMMITTED_SEGMENTS_MAX). */
const FLUSH_SEGMENTS = 5000;
const START_SECONDS_MAX = 5;
const WAIT_MS = 60_000;
const LOST_CAMERAS = 64;
const LONG_GOP_SECONDS = 10;
const READ_IN_MS = 3_600_000;

/** What this bench asks of the built index (src/archive, SegmentIndex). */
interface FillableIndex {
  start(): Promise<void>;
  stop(): Promise<void>;
  add(summary: object): void;
  flush(): Promise<void>;
}

/** Time from the start of the process to the first recorded frame, with many segments in the index, and with the index lost. */
export const startBench: Bench = {
  name: "start",
  about:
    "start to first recorded frame with a million segments: indexed, and with the index lost after a power cut",
  async *run(options) {
    for (const part of [measure, measureMoonfire, measureLost]) {
      const directory = new TemporaryDirectory("bench-start");
      try {
        yield* await part(directory, options);
      } finally {
        directory.remove();
      }
    }
  },
};

async function measure(directory: TemporaryDirectory, options: BenchOptions): Promise<Figure[]> {
  const dataDir = directory.join("data");
  // The cameras exist in the configuration before they can be reached: nothing is recorded yet.
  const source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
  await source.stop();
  const urls = Array.from({ length: CAMERAS }, (_, stream) => source.url(stream));
  const first = await Service.start({ dataDir });
  const channelIds = await first.addCameras(urls.map((url, at) => ({ name: `Camera ${at}`, url })));
  await first.stop();

  const segments = options.quick ? QUICK_SEGMENTS : SEGMENTS;
  await fillIndex(dataDir, channelIds, volumeIdOf(dataDir), segments);
  const again = await PacedSource.start(CAMERAS, CAMERA_CLIP, source.port);
  const startedUs = Date.now() * 1000;
  const service = await Service.launch({ dataDir });
  try {
    await service.ready(WAIT_MS);
    const answeredUs = Date.now() * 1000;
    const firstFrames = await Promise.all(
      channelIds.map((id) => firstFrameUs(service, id, { startedUs, readyUs: Date.now() * 1000 })),
    );
    const seconds = (timeUs: number): number => (timeUs - startedUs) / 1e6;
    const name = `start with ${segments} segments`;
    return [
      {
        name: `${name}: API answers`,
        value: seconds(answeredUs),
        unit: "s",
        wanted: { atMost: ANSWER_SECONDS_MAX },
        cell: { work: `start with ${segments} segments, s`, program: "nvrd" },
      },
      {
        name: `${name}: first recorded frame`,
        value: seconds(Math.min(...firstFrames)),
        unit: "s",
        wanted: { atMost: START_SECONDS_MAX },
        peer: "waiting for a key frame (up to 2 s) included",
      },
      {
        name: `${name}: last of ${CAMERAS} cameras recorded`,
        value: seconds(Math.max(...firstFrames)),
        unit: "s",
      },
    ];
  } finally {
    await service.stop();
    await again.stop();
  }
}

/** Moonfire NVR with as many recordings in its database. */
async function measureMoonfire(directory: TemporaryDirectory, options: BenchOptions): Promise<Figure[]> {
  if (!hasPeer("moonfire-nvr")) return [];
  const recordings = options.quick ? QUICK_SEGMENTS : SEGMENTS;
  const cameras = Array.from({ length: CAMERAS }, (_, at) => `rtsp://127.0.0.1:9/${at}`);
  const peer = await startMoonfire({ directory, cameras }, { recordings });
  await peer.stop();
  return [
    {
      name: `start with ${recordings} recordings, Moonfire NVR: it listens`,
      value: peer.startSeconds,
      unit: "s",
      cell: { work: `start with ${recordings} segments, s`, program: "Moonfire NVR" },
    },
  ];
}

/** The index is gone, its segments lie on the disk, and 64 segments with GOPs of 10 s were cut off by a kill. */
async function measureLost(directory: TemporaryDirectory, options: BenchOptions): Promise<Figure[]> {
  const dataDir = directory.join("data");
  const clip = { ...SMALL_CLIP, gopFrames: SMALL_CLIP.fps * LONG_GOP_SECONDS, seconds: LONG_GOP_SECONDS };
  const source = await PacedSource.start(LOST_CAMERAS, clip);
  const urls = Array.from({ length: LOST_CAMERAS }, (_, stream) => source.url(stream));
  const first = await Service.start({ dataDir });
  const channelIds = await first.addCameras(urls.map((url, at) => ({ name: `Camera ${at}`, url })));
  await first.recorded(channelIds, 2 * LONG_GOP_SECONDS * 1_000_000, WAIT_MS);
  await first.kill();
  await source.stop();

  const segments = await fillVolume(dataDir, channelIds, options.quick ? QUICK_LOST : LOST_SEGMENTS);
  rmSync(join(dataDir, "index"), { recursive: true });
  const again = await PacedSource.start(LOST_CAMERAS, clip, source.port);
  const startedUs = Date.now() * 1000;
  const service = await Service.launch({ dataDir });
  try {
    await service.ready(WAIT_MS);
    const firstFrames = await Promise.all(
      channelIds.map((id) => firstFrameUs(service, id, { startedUs, readyUs: Date.now() * 1000 })),
    );
    const wholeUs = await readInUs(service);
    const name = `start with the index lost, ${segments} segments`;
    return [
      {
        name: `${name}: first recorded frame`,
        value: (Math.min(...firstFrames) - startedUs) / 1e6,
        unit: "s",
        wanted: { atMost: START_SECONDS_MAX },
        peer: `${LOST_CAMERAS} cut off segments, GOPs of ${LONG_GOP_SECONDS} s`,
      },
      {
        name: `${name}: last of ${LOST_CAMERAS} cameras recorded`,
        value: (Math.max(...firstFrames) - startedUs) / 1e6,
        unit: "s",
        peer: `waiting for a key frame (up to ${LONG_GOP_SECONDS} s) included`,
      },
      {
        name: `${name}: read in beside recording`,
        value: segments / ((wholeUs - startedUs) / 1e6),
        unit: "segments/s",
        peer: `${LOST_CAMERAS} cameras being recorded`,
      },
    ];
  } finally {
    await service.stop();
    await again.stop();
  }
}

/** When the index had read the volume in. */
async function readInUs(service: Service): Promise<number> {
  for (const deadline = performance.now() + READ_IN_MS; performance.now() < deadline; await pause(200)) {
    if (service.log.includes("the index has read a volume in")) return Date.now() * 1000;
  }
  throw new Error(`the index was not made anew; log:\n${service.log.slice(-4000)}`);
}

/** Segments as the archive writes them, older than what was recorded. Answers how many. */
async function fillVolume(dataDir: string, channelIds: readonly string[], segments: number): Promise<number> {
  const script = pathToFileURL(join(REPOSITORY_ROOT, "test/bench/scripts/segment-files.mjs")).href;
  const { fillVolume: fill } = (await import(script)) as {
    fillVolume: (options: object) => { readonly paths: readonly string[] };
  };
  const endUs = Math.floor(Date.now() / 60_000 - 60) * SEGMENT_US;
  const volumeId = volumeIdOf(dataDir);
  const { paths } = fill({ directory: join(dataDir, "volume"), volumeId, channelIds, segments, endUs });
  return paths.length;
}

interface Started {
  readonly startedUs: number;
  /** What is recorded from then on is reported without the index. */
  readonly readyUs: number;
}

/** When the channel's recording since the start began. */
async function firstFrameUs(
  service: Service,
  channelId: string,
  { startedUs, readyUs }: Started,
): Promise<number> {
  for (const deadline = performance.now() + WAIT_MS; performance.now() < deadline; await pause(50)) {
    const fragments = await service.fragments(channelId, readyUs);
    const fragment = fragments.find((entry) => entry.fromUs >= startedUs);
    if (fragment !== undefined) return fragment.fromUs;
  }
  throw new Error(`channel ${channelId} was not recorded; log:\n${service.log.slice(-4000)}`);
}

async function fillIndex(
  dataDir: string,
  channelIds: readonly string[],
  volumeId: string,
  segments: number,
): Promise<void> {
  const index = await openIndex(join(dataDir, "index"));
  await index.start();
  const rows = Math.floor(segments / channelIds.length);
  const endUs = Math.floor(Date.now() / 60_000) * SEGMENT_US - SEGMENT_US;
  const fragments = channelIds.map(() => crypto.randomUUID());
  const bootId = crypto.randomUUID();
  let added = 0;
  for (let row = 0; row < rows; row++) {
    const fromUs = endUs - (rows - row) * SEGMENT_US;
    for (const [at, channelId] of channelIds.entries()) {
      index.add({
        volumeId,
        segmentId: fromUs + at,
        key: { channelId, streamType: "Main" },
        fragmentId: fragments[at],
        fragmentSequence: row,
        epoch: 0,
        bootId,
        fromUs,
        toUs: fromUs + SEGMENT_US,
        bytes: SEGMENT_BYTES,
        videoFrames: 1500,
        audioFrames: 0,
        gops: Array.from({ length: GOPS }, (_, gop) => ({
          decodeTimeUs: fromUs + gop * 2_000_000,
          offset: 64 + gop * 30,
          frames: 50,
          damaged: false,
        })),
      });
      added += 1;
      if (added % FLUSH_SEGMENTS === 0) await index.flush();
    }
  }
  await index.flush();
  await index.stop();
}

async function openIndex(directory: string): Promise<FillableIndex> {
  const dist = (file: string): string => pathToFileURL(join(REPOSITORY_ROOT, "dist", file)).href;
  const { LmdbSegmentIndex } = await import(dist("archive/index/lmdb-segment-index.js"));
  const { SystemClock, createLog } = await import(dist("base/index.js"));
  const log = createLog({ level: "warn" });
  return new LmdbSegmentIndex({ directory, clock: new SystemClock(), log, commitIntervalMs: 1000 });
}

/** The id in the identity file of the one volume below the data directory. */
function volumeIdOf(dataDir: string): string {
  const file = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith("volume.json"),
  );
  if (file === undefined) throw new Error(`no volume.json below ${dataDir}`);
  const identity = JSON.parse(readFileSync(join(dataDir, file), "utf8")) as {
    volumeId?: string;
    id?: string;
  };
  const id = identity.volumeId ?? identity.id;
  if (id === undefined) throw new Error(`${file} names no volume id`);
  return id;
}
