import { SLAB_BYTES_DEFAULT, SlabPool } from "../../../../src/live/index.js";
import { ReadTicker } from "../../../../src/rtsp/index.js";
import { startArchive, type TestArchive } from "../../archive/archive-fixture.js";
import { SimulatedThreads } from "../../archive/simulated/simulated-threads.js";
import { REAL_DISK } from "../../archive/volume-threads.js";
import { SeededRandom } from "../../base/seeded-random.js";
import { SimulatedClock } from "../../base/simulated-clock.js";
import { MemoryNetwork } from "./memory-network.js";
import { type Outcome, type Visit, Visitor } from "./visitor.js";
import { ZooCamera } from "./zoo-camera.js";

const STEP_US = 20_000;
/** When the cameras begin. */
const START_US = 100_000_000;
/** From the last picture to the end of the session. */
const LAST_US = 1_500_000;
const POOL_BYTES = 512 * 1024 * 1024;
/** How often the volume's threads do what they were ordered. */
const THREADS_US = 100_000;
/** What is waited for is looked for so often, with a millisecond between. */
const TURNS_MAX = 60_000;

interface SimulatedTime {
  readonly clock: SimulatedClock;
  readonly threads: SimulatedThreads;
}

interface Stall {
  readonly visitor: Visitor;
  readonly network: MemoryNetwork;
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
  readonly #stalls: readonly Stall[];

  static async open(directory: string, visits: readonly Visit[]): Promise<ZooWorld> {
    const clock = new SimulatedClock();
    const threads = new SimulatedThreads({
      random: new SeededRandom(1),
      clock,
      diskOf: () => REAL_DISK,
      isOff: () => false,
    });
    const times = { clock, tickMs: 400, syncIntervalMs: 5000 };
    const opening = startArchive(directory, { ...times, startThread: threads.start });
    const archive = await waitFor({ clock, threads }, opening);
    const pool = new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: POOL_BYTES });
    const parts = { archive: archive.archive, clock, pool, ticker: new ReadTicker({ clock }) };
    const stalls: Stall[] = [];
    for (const visit of visits) {
      const camera = await ZooCamera.make({ habits: visit.habits, clock, seed: visit.seed });
      const network = new MemoryNetwork(camera);
      const url = `rtsp://192.0.2.1${camera.address}`;
      const visitor = new Visitor({ parts, visit, camera, url, dialer: network });
      stalls.push({ visitor, network, isOver: false });
    }
    return new ZooWorld({ clock, threads }, archive, stalls);
  }

  private constructor(time: SimulatedTime, archive: TestArchive, stalls: readonly Stall[]) {
    this.#time = time;
    this.#archive = archive;
    this.#stalls = stalls;
  }

  async run(): Promise<Outcome[]> {
    const { clock, threads } = this.#time;
    // Opening took as long as it took: what is recorded has the same times whenever it is.
    clock.advance(START_US - clock.monotonicUs());
    const startUs = clock.monotonicUs();
    for (const { visitor } of this.#stalls) visitor.start();
    const stops: Promise<void>[] = [];
    while (this.#stalls.some(({ isOver }) => !isOver)) {
      clock.advance(STEP_US);
      for (const stall of this.#stalls) {
        if (stall.isOver) continue;
        this.#step(stall, startUs + stall.visitor.visit.seconds * 1_000_000);
        if (stall.isOver) stops.push(stall.visitor.stop());
      }
      if (clock.monotonicUs() % THREADS_US < STEP_US) await threads.settle();
      else await new Promise((resolve) => setImmediate(resolve));
    }
    await this.#wait(Promise.all(stops));
    const outcomes: Outcome[] = [];
    for (const { visitor } of this.#stalls) outcomes.push(await this.#wait(visitor.outcome()));
    return outcomes;
  }

  async close(): Promise<void> {
    await this.#wait(this.#archive.archive.stop());
  }

  /** The camera sends until `untilUs`; what was sent is read and published before it is over. */
  #step(stall: Stall, untilUs: number): void {
    const { camera } = stall.visitor;
    const nowUs = this.#time.clock.monotonicUs();
    camera.isDone = nowUs >= untilUs;
    const { held: [fromS, toS] = [0, 0] } = stall.visitor.visit;
    const atMs = camera.nowMs();
    if (atMs < fromS * 1000 || atMs >= toS * 1000) camera.advance();
    stall.network.pump();
    stall.isOver = nowUs >= untilUs + LAST_US;
  }

  #wait<T>(work: Promise<T>): Promise<T> {
    return waitFor(this.#time, work, () => {
      for (const { network } of this.#stalls) network.pump();
    });
  }
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
