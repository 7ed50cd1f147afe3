import type { Disk } from "../../../../src/archive/disk/disk.js";
import type { SeededRandom } from "../../base/seeded-random.js";
import type { ArchiveSimulation } from "../archive-simulation.js";
import type { DiskCall, Fault } from "../power-supply.js";

const SECOND_US = 1_000_000;
/** What was not synced when it began may be lost. */
const UNSYNCED_US = 2 * SECOND_US;
const STEP_US = SECOND_US / 10;
/** A stream that leaves a volume goes on with its next key frame: a GOP of 10 s, and two ticks. */
const MOVED_US = 11 * SECOND_US;
/** Without another volume: ten seconds until it is tried again or trusted again, a second until a new segment is tried, a GOP. */
const BACK_US = 22 * SECOND_US;
const WRITES: readonly (keyof Disk)[] = ["openSync", "writevSync", "writeSync", "fallocate", "mkdirSync"];
const SYNCS: readonly (keyof Disk)[] = ["fdatasyncSync", "fsyncSync", "ftruncateSync", "renameSync"];
const STALLED_US_MAX = 15 * SECOND_US;
const SPELL_US_MAX = 4 * SECOND_US;
const UNMOUNTED_US_MAX = 15 * SECOND_US;

interface Spell {
  readonly root: string;
  readonly fromUs: number;
  readonly toUs: number;
  readonly fault: (call: DiskCall) => Fault | undefined;
}

/** What goes wrong with disks besides crashes: for a while they are full, answer EIO, write too little, hang, are unmounted; threads die. */
export class FaultWeather {
  readonly #random: SeededRandom;
  #spell: Spell | undefined;
  #nowUs: () => number = () => 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** For `FaultDiskOptions`. */
  readonly onCall = (call: DiskCall): Fault | undefined => {
    const spell = this.#spell;
    if (spell === undefined || !call.path.startsWith(spell.root)) return undefined;
    const nowUs = this.#nowUs();
    return nowUs >= spell.fromUs && nowUs < spell.toUs ? spell.fault(call) : undefined;
  };

  /** Clear skies: while a start is checked. */
  clear(): void {
    this.#spell = undefined;
  }

  /** Something goes wrong on one volume within the next seconds; the witness is told what that may cost. */
  brew(simulation: ArchiveSimulation): void {
    const random = this.#random;
    const root = random.pick(simulation.roots);
    const fromUs = simulation.nowUs + random.below(6 * SECOND_US);
    let toUs = fromUs + random.below(SPELL_US_MAX);
    this.#nowUs = () => simulation.nowUs;
    const role = random.pick(["writer", "syncer", "reader"] as const);
    const { clock, threads } = simulation.boot;
    const delayMs = (fromUs - simulation.nowUs) / 1000;
    const stalledUs = random.below(STALLED_US_MAX);
    switch (random.below(7)) {
      case 2:
        toUs = fromUs + random.below(UNMOUNTED_US_MAX);
        clock.setTimeout(() => simulation.diskAt(root).unmount(), delayMs);
        clock.setTimeout(() => simulation.diskAt(root).mount(), (toUs - simulation.nowUs) / 1000);
        break;
      case 0:
        toUs = fromUs + stalledUs;
        clock.setTimeout(() => threads.stall(root, role, stalledUs), delayMs);
        break;
      case 1:
        toUs = fromUs;
        clock.setTimeout(() => threads.die(root, role), delayMs);
        break;
      default:
        this.#spell = { root, fromUs, toUs, fault: this.#faultOf(random.pick(KINDS)) };
    }
    this.#excuse(simulation, { root, fromUs, toUs });
  }

  /**
   * What it may cost: of the streams that are on the volume meanwhile, what was not synced and what comes until their next key
   * frame on another volume. Without another one, what comes until it is back.
   */
  #excuse(simulation: ArchiveSimulation, { root, fromUs, toUs }: Omit<Spell, "fault">): void {
    const { witness } = simulation;
    if (simulation.roots.length === 1) witness.excuse(fromUs - UNSYNCED_US, toUs + BACK_US);
    simulation.onStep = () => {
      const { nowUs } = simulation;
      if (nowUs < fromUs - 2 * STEP_US || nowUs > toUs + STEP_US) return;
      for (const stream of simulation.streamsOn(root))
        witness.excuse(fromUs - UNSYNCED_US, nowUs + MOVED_US, stream);
    };
  }

  #faultOf(kind: Kind): (call: DiskCall) => Fault | undefined {
    const random = this.#random;
    switch (kind) {
      case "full":
        return ({ name }) => (WRITES.includes(name) ? { code: "ENOSPC" } : undefined);
      case "short writes":
        return ({ name }) => (WRITES.includes(name) ? { shortBytes: 1 + random.below(5000) } : undefined);
      case "failing syncs":
        return ({ name }) => (SYNCS.includes(name) && random.chance(0.5) ? { code: "EIO" } : undefined);
      case "failing":
        return ({ name }) => (name !== "closeSync" && random.chance(0.2) ? { code: "EIO" } : undefined);
    }
  }
}

const KINDS = ["full", "short writes", "failing syncs", "failing"] as const;
type Kind = (typeof KINDS)[number];
