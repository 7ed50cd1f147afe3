import {
  type Clock,
  type ClockTimer,
  type Log,
  type LongWork,
  MS_PER_SECOND,
  onTimerLate,
  takeLongWork,
  US_PER_MS,
} from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";

/** The main thread counts as held when one timer comes so late. Cameras and kernels keep what comes meanwhile for about that long. */
export const HELD_REPORTED_MS = 1000;
/** Further holds within this time belong to the same one. */
const TOGETHER_US = 5_000_000;
/** One that goes on is reported so often. */
const REPORT_INTERVAL_US = 60_000_000;
const LOOK_MS = 1000;
/** Kinds of work that are named. */
const NAMED_MAX = 3;

export interface HeldEventsOptions {
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
  /** Calls back with how late timers come, in ms; by default the one that the intervals of this thread share. */
  readonly lateness?: (listener: (lateMs: number) => void) => ClockTimer;
  /** What the main thread did for long, and how long; by default what was noted. */
  readonly work?: () => LongWork;
}

interface Hold {
  readonly fromUs: number;
  lastUs: number;
  ms: number;
  readonly work: Map<string, number>;
  /** What ended meanwhile, after waits. */
  readonly waits: Map<string, number>;
}

/** Reports when something held the main thread, for how long, and what: a disk or camera was not to blame meanwhile. */
export class HeldEvents {
  readonly #options: HeldEventsOptions;
  readonly #work: () => LongWork;
  #hold: Hold | undefined;
  #timers: ClockTimer[] = [];

  constructor(options: HeldEventsOptions) {
    this.#options = options;
    this.#work = options.work ?? takeLongWork;
  }

  start(): void {
    const { clock, lateness = onTimerLate } = this.#options;
    this.#timers = [lateness((lateMs) => this.#take(lateMs)), clock.setInterval(() => this.#look(), LOOK_MS)];
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) timer.clear();
    if (this.#hold !== undefined) this.#report(this.#hold);
  }

  #take(lateMs: number): void {
    if (lateMs < HELD_REPORTED_MS) return;
    const nowUs = this.#options.clock.monotonicUs();
    const hold = this.#hold ?? {
      ...{ fromUs: nowUs - lateMs * US_PER_MS, lastUs: nowUs, ms: 0 },
      ...{ work: new Map(), waits: new Map() },
    };
    this.#hold = hold;
    hold.lastUs = nowUs;
    hold.ms += lateMs;
    this.#addWork(hold);
  }

  #look(): void {
    const hold = this.#hold;
    // What was noted without a hold is of no interest.
    if (hold === undefined) this.#work();
    else {
      this.#addWork(hold);
      const nowUs = this.#options.clock.monotonicUs();
      if (nowUs - hold.lastUs >= TOGETHER_US || nowUs - hold.fromUs >= REPORT_INTERVAL_US) this.#report(hold);
    }
  }

  #addWork({ work, waits }: Hold): void {
    const noted = this.#work();
    for (const [what, ms] of noted.work) work.set(what, (work.get(what) ?? 0) + ms);
    for (const [what, ms] of noted.waits) waits.set(what, (waits.get(what) ?? 0) + ms);
  }

  #report(hold: Hold): void {
    this.#hold = undefined;
    const { events, clock, log } = this.#options;
    const behindUs = clock.monotonicUs() - hold.lastUs;
    const heldMs = Math.round(hold.ms);
    const by = workText(hold);
    const comment = `${seconds(hold.ms)} of ${seconds((hold.lastUs - hold.fromUs) / US_PER_MS)} s, by ${by}`;
    log.warn({ heldMs, by }, `the main thread was held: what cameras sent meanwhile may be lost: ${comment}`);
    events.raise({ typeId: EVENT_TYPES.recorderHeld.id, comment, timeUs: clock.nowUs() - behindUs });
  }
}

/** What was done after a wait is not known apart from what others did: it is named where it would explain most of the hold. */
function workText({ work, waits, ms: heldMs }: Hold): string {
  const known = longest(work);
  const knownMs = known.reduce((sum, [, ms]) => sum + ms, 0);
  const texts = known.map(([what, ms]) => `${what} (${seconds(ms)} s)`);
  if (knownMs * 2 >= heldMs) return texts.join(", ");
  const ended = longest(waits).map(([what]) => what);
  const rest = ended.length === 0 ? "" : `, perhaps ${ended.join(", ")}`;
  return [...texts, `work that is not known${rest}`].join(", ");
}

function longest(kinds: ReadonlyMap<string, number>): readonly (readonly [what: string, ms: number])[] {
  return [...kinds].sort(([, one], [, other]) => other - one).slice(0, NAMED_MAX);
}

function seconds(ms: number): string {
  return (ms / MS_PER_SECOND).toFixed(1);
}
