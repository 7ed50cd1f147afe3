import {
  type Clock,
  type ClockTimer,
  collectGarbage,
  type Log,
  type MemoryLimit,
  type ProcessHeap,
  processHeap,
  readMemoryLimit,
} from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import { type MemoryPlan, type MemoryShortage, SHORTAGES } from "../../health/index.js";
import { SLAB_BYTES_DEFAULT, SlabPool } from "../../live/index.js";
import type { Settings } from "../../settings/index.js";
import { HeapTrim } from "./heap-trim.js";
import { DETECTOR_BYTES_MAX, MEMORY_BYTES_MIN, type MemoryShares, shareOut } from "./memory-shares.js";

/** How often idle slabs are freed, and shortages are checked. */
export const MEMORY_LOOK_MS = 5000;
/** A shortage ends when no allocation has failed for this long. */
export const SHORTAGE_OVER_US = 60_000_000;
/**
 * What a start leaves is collected so long after it, when the code cache is not needed any more. A service that records little would keep it
 * for minutes, one that records nothing for good. It is collected again as long after that: V8 may have been amid a collection, which leaves
 * what died since it began.
 */
export const START_GARBAGE_MS = 12_000;
export const START_GARBAGE_TIMES = 2;
/**
 * The code of a function that only a start runs goes with the fifth or sixth collection in which it has not run (V8's
 * `--bytecode-old-age`). A service that gets no frames is made to collect as often altogether; one that does collects by itself, and
 * each time costs it some 45 ms. By then a first start has kept its code for the next ones.
 */
export const IDLE_GARBAGE_TIMES = 8;

const BYTES_PER_MEGABYTE = 1_000_000;

/** Number of failed allocations since the start, by kind. */
export type ShortageCounts = Readonly<Record<MemoryShortage, number>>;

/** Parts that count their failed allocations since the start. */
export interface MemoryUsers {
  readonly recording: { readonly preRollRefusals: number };
  readonly codec: { readonly load: { readonly frameRefusals: number } };
  readonly api: { readonly packagingRefusals: number };
}

/** The detector of objects, as far as memory is concerned. */
export interface MemoryDetector {
  /** Cameras that it looks at: without one it has no process. */
  readonly cameras: number;
}

export interface MemoryServiceOptions {
  readonly settings: Pick<Settings, "memoryMax">;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
  /** The limit of the machine and its control groups; by default read from the system. */
  readonly limit?: MemoryLimit;
  /** Default: the process's own. */
  readonly heap?: ProcessHeap;
  /** Begins to collect the garbage of the main thread. Default: V8's own. */
  readonly collect?: () => void;
}

/**
 * The memory budget of the process: its size, the share of each part, and failed allocations. Idle slabs,
 * what the start left, and what a burst of pictures left are given back to the system from here.
 */
export class MemoryService {
  readonly limit: MemoryLimit;
  readonly shares: MemoryShares;
  /** The memory of frames. */
  readonly pool: SlabPool;
  readonly #options: MemoryServiceOptions;
  readonly #heapTrim: HeapTrim;
  readonly #counted = new Map<MemoryShortage, number>();
  /** Time of the last failed allocation of each kind, monotonic clock. */
  readonly #leftOutUs = new Map<MemoryShortage, number>();
  #others: MemoryUsers | undefined;
  #detector: (() => MemoryDetector) | undefined;
  #isReported = false;
  #timer: ClockTimer | undefined;
  #startTimer: ClockTimer | undefined;
  #collected = 0;

  constructor(options: MemoryServiceOptions) {
    this.#options = options;
    this.#heapTrim = new HeapTrim(options.heap ?? processHeap());
    this.limit = planned(options.limit ?? readMemoryLimit(), options.settings.memoryMax);
    this.shares = shareOut(this.limit.bytes);
    this.pool = new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: this.shares.frames });
  }

  start(): void {
    const { clock, log } = this.#options;
    const { bytes, bound } = this.limit;
    log.info({ bytes, bound, shares: this.shares }, "memory budget");
    if (bytes < MEMORY_BYTES_MIN)
      log.warn(
        { bytes, bound, needed: MEMORY_BYTES_MIN },
        "less memory than the service needs: it may be killed",
      );
    this.#startTimer = clock.setInterval(() => this.#collectOfStart(), START_GARBAGE_MS);
    this.#timer = clock.setInterval(() => this.#look(), MEMORY_LOOK_MS);
  }

  #collectOfStart(): void {
    const { collect = () => void collectGarbage?.() } = this.#options;
    const times = this.pool.allocatedBytes > 0 ? START_GARBAGE_TIMES : IDLE_GARBAGE_TIMES;
    if (this.#collected < times) collect();
    this.#collected += 1;
    if (this.#collected >= times) this.#startTimer?.clear();
  }

  stop(): void {
    this.#startTimer?.clear();
    this.#timer?.clear();
  }

  /** Adds the parts that count failed allocations other than frames. */
  watch(others: MemoryUsers): void {
    this.#others = others;
  }

  /** Adds the detector, whose process needs memory beside the floors of the shares. */
  watchDetector(detector: () => MemoryDetector): void {
    this.#detector = detector;
  }

  /** For the health report. */
  plan(): MemoryPlan {
    const looks = (this.#detector?.().cameras ?? 0) > 0;
    return {
      limitBytes: this.limit.bytes,
      limitedBy: this.limit.bound,
      neededBytes: MEMORY_BYTES_MIN + (looks ? DETECTOR_BYTES_MAX : 0),
      shares: this.shares,
      leftOut: this.#leftOut(),
    };
  }

  #look(): void {
    this.pool.returnIdle();
    this.#heapTrim.look();
    const nowUs = this.#options.clock.monotonicUs();
    const counts: ShortageCounts = {
      frames: this.pool.refusals,
      preRoll: this.#others?.recording.preRollRefusals ?? 0,
      pictures: this.#others?.codec.load.frameRefusals ?? 0,
      hls: this.#others?.api.packagingRefusals ?? 0,
    };
    for (const [what, count] of Object.entries(counts) as [MemoryShortage, number][]) {
      if (count > (this.#counted.get(what) ?? 0)) this.#leftOutUs.set(what, nowUs);
      this.#counted.set(what, count);
    }
    const leftOut = this.#leftOut();
    if (leftOut.length > 0 === this.#isReported) return;
    this.#isReported = leftOut.length > 0;
    this.#reportShortage(leftOut);
  }

  #leftOut(): readonly MemoryShortage[] {
    const nowUs = this.#options.clock.monotonicUs();
    return [...this.#leftOutUs].filter(([, atUs]) => nowUs - atUs < SHORTAGE_OVER_US).map(([what]) => what);
  }

  #reportShortage(leftOut: readonly MemoryShortage[]): void {
    const { events, log } = this.#options;
    if (leftOut.length === 0) {
      log.info("memory is sufficient again");
      events.raise({ typeId: EVENT_TYPES.memoryEnough.id });
      return;
    }
    const megabytes = Math.round(this.limit.bytes / BYTES_PER_MEGABYTE);
    const comment = `${leftOut.map((what) => SHORTAGES[what]).join("; ")} (${megabytes} MB, ${this.limit.bound})`;
    log.warn({ leftOut, counts: Object.fromEntries(this.#counted) }, `memory is short: ${comment}`);
    events.raise({ typeId: EVENT_TYPES.memoryShort.id, comment });
  }
}

/** The setting applies if it is below the actual limit. */
function planned(limit: MemoryLimit, memoryMax: number | undefined): MemoryLimit {
  return memoryMax !== undefined && memoryMax < limit.bytes ? { bytes: memoryMax, bound: "setting" } : limit;
}
