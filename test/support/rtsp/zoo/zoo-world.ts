import { createLog } from "../../../../src/base/index.js";
import {
  isAudioCodec,
  type LiveStream,
  SLAB_BYTES_DEFAULT,
  SlabPool,
  type StreamState,
} from "../../../../src/live/index.js";
import { ReadTicker, RtspSource, type TransportChoice } from "../../../../src/rtsp/index.js";
import { startArchive, type TestArchive } from "../../archive/archive-fixture.js";
import { SimulatedThreads } from "../../archive/simulated-threads.js";
import { REAL_DISK } from "../../archive/volume-threads.js";
import { SeededRandom } from "../../base/seeded-random.js";
import { SimulatedClock } from "../../base/simulated-clock.js";
import { cameraWith, type RecorderHarness, startRecorder } from "../../recording/recorder-harness.js";
import type { Habit } from "./habit.js";
import { MemoryNetwork } from "./memory-network.js";
import { judge, type RecordedFrame, type Verdict } from "./oracle.js";
import { ZooCamera } from "./zoo-camera.js";

const STEP_US = 20_000;
/** From the last picture to the end of the session. */
const LAST_US = 1_500_000;
const POOL_BYTES = 512 * 1024 * 1024;
/** How often the volume's threads do what they were told. */
const THREADS_US = 100_000;
/** What is waited for is looked for so often, with a millisecond between. */
const TURNS_MAX = 60_000;

/** What a camera is to do, and over what. */
export interface Visit {
  readonly habits: readonly Habit[];
  readonly transport: TransportChoice;
  readonly seconds: number;
  readonly seed: number;
}

/** What the recorder said of a stream, and when. */
export interface Told {
  readonly atMs: number;
  readonly text: string;
}

export interface Outcome extends Verdict {
  readonly told: readonly Told[];
  readonly camera: ZooCamera;
  readonly frames: readonly RecordedFrame[];
}

interface SimulatedTime {
  readonly clock: SimulatedClock;
  readonly threads: SimulatedThreads;
}

interface Keeper {
  readonly visit: Visit;
  readonly camera: ZooCamera;
  readonly network: MemoryNetwork;
  readonly source: RtspSource;
  readonly stream: LiveStream;
  readonly told: Told[];
  isOver: boolean;
}

/**
 * The recorder's way from the connection to the disk in simulated time, with as many cameras at once as there are visits.
 * Resolves with what became of what they sent, in the order of the visits.
 */
export async function visitZoo(directory: string, visits: readonly Visit[]): Promise<Outcome[]> {
  const world = await ZooWorld.open(directory, visits);
  try {
    return await world.run();
  } finally {
    await world.close();
  }
}

class ZooWorld {
  readonly #time: SimulatedTime;
  readonly #archive: TestArchive;
  readonly #recorder: RecorderHarness;
  readonly #keepers: readonly Keeper[];

  static async open(directory: string, visits: readonly Visit[]): Promise<ZooWorld> {
    const clock = new SimulatedClock();
    const threads = new SimulatedThreads({
      random: new SeededRandom(1),
      clock,
      diskOf: () => REAL_DISK,
      isOff: () => false,
    });
    const times = { clock, tickMs: 400, syncIntervalMs: 5000 };
    const archive = await waitFor(
      { clock, threads },
      startArchive(directory, { ...times, startThread: threads.start }),
    );
    const cameras = visits.map(() => cameraWith({}));
    const recorder = startRecorder(cameras, { archive: archive.archive, clock });
    const pool = new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: POOL_BYTES });
    const ticker = new ReadTicker({ clock });
    const keepers: Keeper[] = [];
    for (const [at, visit] of visits.entries()) {
      const camera = await ZooCamera.make({ habits: visit.habits, clock, seed: visit.seed });
      const network = new MemoryNetwork(camera);
      const stream = recorder.stream(cameras[at]?.id ?? "");
      const told: Told[] = [];
      stream.onState((state) => void told.push({ atMs: camera.nowMs(), text: stateText(state) }));
      const source = new RtspSource({
        url: "rtsp://192.0.2.1/live",
        transport: visit.transport,
        ...{ stream, pool, clock, ticker, dialer: network },
        random: () => 0.5,
        log: createLog({ level: "silent" }),
        wantAudio: true,
      });
      keepers.push({ visit, camera, network, source, stream, told, isOver: false });
    }
    return new ZooWorld({ time: { clock, threads }, archive, recorder, keepers });
  }

  private constructor(parts: {
    readonly time: SimulatedTime;
    readonly archive: TestArchive;
    readonly recorder: RecorderHarness;
    readonly keepers: readonly Keeper[];
  }) {
    this.#time = parts.time;
    this.#archive = parts.archive;
    this.#recorder = parts.recorder;
    this.#keepers = parts.keepers;
  }

  async run(): Promise<Outcome[]> {
    const { clock, threads } = this.#time;
    for (const { source } of this.#keepers) source.start();
    const stops: Promise<void>[] = [];
    while (this.#keepers.some(({ isOver }) => !isOver)) {
      clock.advance(STEP_US);
      for (const keeper of this.#keepers) {
        if (keeper.isOver) continue;
        keeper.camera.advance();
        keeper.network.pump();
        const leftUs = keeper.visit.seconds * 1_000_000 - clock.monotonicUs();
        keeper.camera.isDone = leftUs <= 0;
        // What was sent is read and published first.
        if (leftUs > -LAST_US) continue;
        keeper.isOver = true;
        stops.push(keeper.source.stop());
      }
      if (clock.monotonicUs() % THREADS_US < STEP_US) await threads.settle();
      else await new Promise((resolve) => setImmediate(resolve));
    }
    await this.#wait(Promise.all(stops));
    const outcomes: Outcome[] = [];
    for (const { camera, stream, told } of this.#keepers) {
      await this.#wait(this.#archive.archive.writer(stream.key).end());
      const frames = await this.#wait(this.#frames(stream));
      outcomes.push({ ...judge(camera, frames), told, camera, frames });
    }
    return outcomes;
  }

  async close(): Promise<void> {
    await this.#wait(this.#recorder.recorder.stop());
    await this.#wait(this.#archive.archive.stop());
  }

  async #frames(stream: LiveStream): Promise<RecordedFrame[]> {
    const reader = this.#archive.archive.read(stream.key, { fromUs: 0, endsAtEdge: true });
    const frames: RecordedFrame[] = [];
    for (;;) {
      const some = await reader.next();
      if (some.length === 0) break;
      for (const { codec, bytes, decodeTimeUs, startsFragment } of some)
        frames.push({
          ...{ bytes: Buffer.from(bytes), isAudio: isAudioCodec(codec) },
          ...{ timeUs: decodeTimeUs, startsFragment },
        });
    }
    reader.close();
    return frames;
  }

  #wait<T>(work: Promise<T>): Promise<T> {
    return waitFor(this.#time, work, () => {
      for (const { network } of this.#keepers) network.pump();
    });
  }
}

function stateText(state: StreamState): string {
  return state.state === "lost" ? `lost (${state.cause ?? ""}): ${state.reason}` : state.state;
}

/** Lets a little time pass until the work is done. */
async function waitFor<T>(
  { clock, threads }: SimulatedTime,
  work: Promise<T>,
  step?: () => void,
): Promise<T> {
  let isDone = false;
  const settled = () => {
    isDone = true;
  };
  work.then(settled, settled);
  for (let turns = 0; !isDone; turns += 1) {
    if (turns > TURNS_MAX) throw new Error("what was waited for did not come");
    await threads.settle();
    if (isDone) break;
    clock.advance(1000);
    step?.();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return work;
}
