import { type Clock, MS_PER_SECOND, US_PER_MS, US_PER_SECOND } from "../../base/index.js";

/** Part of one processor that looks may take. */
const PROCESSOR_SHARE = 0.5;
/** Looks a second that are enough for any number of cameras. */
export const LOOKS_A_SECOND_MAX = 15;
const LOOKS_A_SECOND_MIN = 0.2;
/** Looks that may be taken at once after a pause. */
const BURST = 2;
/** Looks that are under way: being decoded, waiting for the detector, in it. */
export const LOOKS_UNDER_WAY_MAX = 2;
/** A look that nothing became of is over after so long. */
const UNDER_WAY_US_MAX = 15 * US_PER_SECOND;
/** A camera that has not asked for so long, nor for twice as long as it does, has no pictures: others do not wait for it. */
const ASKING_US = 2 * US_PER_SECOND;
/** The rate is measured over so long. */
const RATE_WINDOW_US = 10 * US_PER_SECOND;
const NEWEST_WEIGHT = 0.2;

interface Asking {
  readonly sinceUs: number;
  periodUs: number;
  askedUs: number;
  /** How long before it asked for the last time. */
  everyUs: number;
  /** When it looked last. */
  lookedUs: number | undefined;
}

/** The figures of all looks. */
export interface LookRates {
  /** Looks a second, in the last ten seconds. */
  readonly now: number;
  /** Looks a second that cameras would take. */
  readonly wanted: number;
  /** How much later than wanted looks are, milliseconds. */
  readonly lateMs: number;
  /** Looks a second that the machine does. */
  readonly possible: number;
}

/** A look that was granted: to be given back when it is over. */
export interface LookTicket {
  done(): void;
}

export interface LookQueueOptions {
  readonly clock: Pick<Clock, "monotonicUs">;
  /** How long a look takes; undefined: the detector is not ready. */
  readonly lookMs: () => number | undefined;
}

/**
 * The one queue of looks of all cameras: so many a second as the detector does within its share of a processor, and the next one to the
 * camera that has waited longest, measured by how often it wants to look. Cameras ask with each picture; nothing is kept for
 * those that do not ask.
 */
export class LookQueue {
  readonly #options: LookQueueOptions;
  readonly #cameras = new Map<string, Asking>();
  readonly #underWay = new Map<LookTicket, number>();
  #looks: number[] = [];
  #tokens = 1;
  #tokensUs: number;
  #lateMs = 0;

  constructor(options: LookQueueOptions) {
    this.#options = options;
    this.#tokensUs = options.clock.monotonicUs();
  }

  /** Looks a second that the machine does within the share; 0: the detector is not ready. */
  get possible(): number {
    const lookMs = this.#options.lookMs();
    if (lookMs === undefined) return 0;
    const looks = (PROCESSOR_SHARE * MS_PER_SECOND) / Math.max(lookMs, 1);
    return Math.min(LOOKS_A_SECOND_MAX, Math.max(LOOKS_A_SECOND_MIN, looks));
  }

  /** Whether the camera's present picture is looked at; undefined: not now. `periodUs`: how often it wants to look. */
  ask(camera: string, periodUs: number): LookTicket | undefined {
    const nowUs = this.#options.clock.monotonicUs();
    const known = this.#cameras.get(camera) ?? newAsking(nowUs, periodUs);
    Object.assign(known, { periodUs, askedUs: nowUs, everyUs: nowUs - known.askedUs });
    this.#cameras.set(camera, known);
    this.#fill(nowUs);
    if (waitedPeriods(known, nowUs) < 1 || this.#tokens < 1 || !this.#hasRoom(nowUs)) return undefined;
    if (!this.#leavesEnough(known, nowUs)) return undefined;
    return this.#grant(known, nowUs);
  }

  /** The camera wants no looks for now. */
  rest(camera: string): void {
    this.#cameras.delete(camera);
  }

  /** How many times further apart looks are than wanted; 1: as wanted. */
  get stretch(): number {
    const { possible } = this;
    return possible === 0 ? 1 : Math.max(1, this.#wanted / possible);
  }

  get rates(): LookRates {
    const nowUs = this.#options.clock.monotonicUs();
    this.#looks = this.#looks.filter((lookUs) => nowUs - lookUs < RATE_WINDOW_US);
    const now = (this.#looks.length * US_PER_SECOND) / RATE_WINDOW_US;
    return {
      now,
      wanted: this.#wanted,
      lateMs: this.#cameras.size === 0 ? 0 : this.#lateMs,
      possible: this.possible,
    };
  }

  /** Looks a second that cameras would take now. */
  get #wanted(): number {
    let wanted = 0;
    for (const { periodUs } of this.#cameras.values()) wanted += US_PER_SECOND / periodUs;
    return wanted;
  }

  #fill(nowUs: number): void {
    const gained = ((nowUs - this.#tokensUs) / US_PER_SECOND) * this.possible;
    this.#tokens = Math.min(BURST, this.#tokens + gained);
    this.#tokensUs = nowUs;
  }

  #hasRoom(nowUs: number): boolean {
    for (const [ticket, sinceUs] of this.#underWay)
      if (nowUs - sinceUs > UNDER_WAY_US_MAX) this.#underWay.delete(ticket);
    return this.#underWay.size < LOOKS_UNDER_WAY_MAX;
  }

  /** Whether those who have waited for longer get a look as well when they ask next: one whose key frames alone are decoded asks seldom. */
  #leavesEnough(own: Asking, nowUs: number): boolean {
    const waited = Math.max(1, waitedPeriods(own, nowUs));
    const nextUs: number[] = [];
    for (const other of this.#cameras.values()) {
      const { askedUs, everyUs } = other;
      if (other === own || nowUs - askedUs >= Math.max(ASKING_US, 2 * everyUs)) continue;
      if (waitedPeriods(other, nowUs) > waited) nextUs.push(Math.max(0, askedUs + everyUs - nowUs));
    }
    nextUs.sort((one, other) => one - other);
    const { possible } = this;
    return nextUs.every((inUs, index) => this.#tokens - 1 + (inUs / US_PER_SECOND) * possible >= index + 1);
  }

  #grant(asking: Asking, nowUs: number): LookTicket {
    const lateUs = Math.max(0, nowUs - (asking.lookedUs ?? asking.sinceUs) - asking.periodUs);
    this.#lateMs += NEWEST_WEIGHT * (lateUs / US_PER_MS - this.#lateMs);
    asking.lookedUs = nowUs;
    this.#tokens -= 1;
    this.#looks = [...this.#looks.filter((lookUs) => nowUs - lookUs < RATE_WINDOW_US), nowUs];
    const ticket = { done: () => void this.#underWay.delete(ticket) };
    this.#underWay.set(ticket, nowUs);
    return ticket;
  }
}

/** It would have looked a period before: the first look is due at once. */
function newAsking(nowUs: number, periodUs: number): Asking {
  return { sinceUs: nowUs - periodUs, periodUs, askedUs: nowUs, everyUs: 0, lookedUs: undefined };
}

/** How long it has waited, in its periods. */
function waitedPeriods({ sinceUs, lookedUs, periodUs }: Asking, nowUs: number): number {
  return (nowUs - (lookedUs ?? sinceUs)) / periodUs;
}
