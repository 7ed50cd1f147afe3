import { TakeLevel } from "../../../src/archive/write/held-frames.js";
import { streamKeyText } from "../../../src/base/index.js";
import type { SeededRandom } from "../base/seeded-random.js";
import type { ArchiveSimulation } from "./archive-simulation.js";
import type { SimulatedLosses } from "./simulated/simulated-camera.js";

const SECOND_US = 1_000_000;
/** Shorter than what makes a volume count as hung. */
const STALL_US_MAX = 9 * SECOND_US;
const STALL_FROM_US_MAX = 5 * SECOND_US;
/** What waits goes out in some ticks, and is synced a second later. */
const CAUGHT_UP_US = 3 * SECOND_US;
const UNSYNCED_US = 2 * SECOND_US;

/**
 * A disk that does not keep up now and then. It costs nothing but the frames of which the archive says at once that it leaves them
 * out; only when the power goes before it has caught up is what waits in memory gone.
 */
export class BusyDisk {
  readonly #random: SeededRandom;
  #stall: { readonly fromUs: number; readonly toUs: number } | undefined;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Within the next seconds the writer of the first volume is busy for a while. */
  brew(simulation: ArchiveSimulation): void {
    const { clock, threads } = simulation.boot;
    const inUs = this.#random.below(STALL_FROM_US_MAX);
    const stalledUs = this.#random.below(STALL_US_MAX);
    const [root = ""] = simulation.roots;
    clock.setTimeout(() => threads.stall(root, "writer", stalledUs), inUs / 1000);
    const fromUs = simulation.nowUs + inUs;
    this.#stall = { fromUs, toUs: fromUs + stalledUs };
    for (const camera of simulation.cameras)
      camera.lossesOf = () => lossesOf(simulation, streamKeyText(camera.key));
  }

  /** To be told before a crash. */
  crash(simulation: ArchiveSimulation): void {
    const stall = this.#stall;
    this.#stall = undefined;
    if (stall === undefined || simulation.nowUs > stall.toUs + CAUGHT_UP_US) return;
    simulation.witness.excuse(stall.fromUs - UNSYNCED_US, stall.toUs + CAUGHT_UP_US);
  }
}

function lossesOf(simulation: ArchiveSimulation, stream: string): SimulatedLosses {
  const { streams, volumes } = simulation.boot.archive.overload();
  const full = volumes.some(({ level }) => level === TakeLevel.NONE);
  const own = streams.find(({ key }) => streamKeyText(key) === stream);
  const { framesThinned = 0, framesDropped = 0, thinning = false, dropping = false } = own ?? {};
  return { framesThinned, framesDropped, thinning, dropping, full };
}
