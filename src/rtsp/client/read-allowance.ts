import { type Clock, type Log, US_PER_MS } from "../../base/index.js";

/** What one camera's packets may take of the main thread before others have their turn: units, and time. */
export const TURN_UNITS = 1000;
const TURN_US = 4000;
/** Most time of a turn that is charged: what is longer, the machine spent on something else. */
const CHARGED_US_MAX = 2 * TURN_US;
/**
 * What they may take in a second. A packet is a unit; 100 Mbit/s in packets of usual length are 9000. A unit is also
 * 5 µs of time, so that no camera has more than a quarter of the main thread, whatever is in its packets.
 */
export const UNITS_PER_SECOND = 50_000;
const UNIT_US = 5;
/** What a frame and a message of the camera cost besides their packets: others have work with them. */
export const FRAME_UNITS = 20;
export const MESSAGE_UNITS = 5;
/** How long reading rests when all is used up. */
const REST_MS = 100;
/** After how many units within a turn the clock is looked at. */
const CLOCK_UNITS = 64;
const US_PER_SECOND = 1000 * US_PER_MS;
/** A flood that goes on is logged again after this long. */
const LOG_INTERVAL_US = 60 * US_PER_SECOND;

/** What all cameras together may take of the main thread's time before those that flood have to wait longer. */
const TOTAL_SHARE = 0.6;
/** A camera floods that has taken more than this of what it may have at once. */
const FLOOD_UNITS = UNITS_PER_SECOND / 2;

/**
 * The main thread's time that all cameras' packets take together: several that flood would leave nothing of it. While it is used
 * up, no camera's allowance grows, so that those that flood are slowed down further, and the others live on what they have.
 */
export class ReadBudget {
  readonly #clock: Clock;
  #leftUs = TOTAL_SHARE * US_PER_SECOND;
  #filledUs: number;
  #openUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledUs = clock.monotonicUs();
  }

  charge(tookUs: number): void {
    this.#fill();
    this.#leftUs -= tookUs;
  }

  get isUsedUp(): boolean {
    this.#fill();
    return this.#leftUs <= 0;
  }

  /** Time in which it was not used up. */
  get openUs(): number {
    this.#fill();
    return this.#openUs;
  }

  #fill(): void {
    const nowUs = this.#clock.monotonicUs();
    const passedUs = nowUs - this.#filledUs;
    if (this.#leftUs > 0) this.#openUs += passedUs;
    this.#leftUs = Math.min(TOTAL_SHARE * US_PER_SECOND, this.#leftUs + passedUs * TOTAL_SHARE);
    this.#filledUs = nowUs;
  }
}

/**
 * How much of what a camera sends is dealt with in one turn of the event loop, and in a second. Beyond it the camera has
 * to wait: over TCP it is slowed down and loses nothing, and other cameras and callers have their turn.
 */
export class ReadAllowance {
  readonly #clock: Clock;
  readonly #budget: ReadBudget;
  #left = UNITS_PER_SECOND;
  #filledUs: number;
  #turnUs = 0;
  #turnLeft = 0;
  #lookAgainAt = 0;
  /** How often reading had to rest, in all and when that was logged. */
  #rests = 0;
  #loggedRests = 0;
  #loggedUs = Number.NEGATIVE_INFINITY;

  /** `budget`: of all cameras together. */
  constructor(clock: Clock, budget = new ReadBudget(clock)) {
    this.#clock = clock;
    this.#budget = budget;
    this.#filledUs = budget.openUs;
  }

  beginTurn(): void {
    const { openUs } = this.#budget;
    const filled = this.#left + ((openUs - this.#filledUs) / US_PER_SECOND) * UNITS_PER_SECOND;
    this.#left = Math.min(UNITS_PER_SECOND, filled);
    this.#filledUs = openUs;
    this.#turnUs = this.#clock.monotonicUs();
    this.#turnLeft = TURN_UNITS;
    this.#lookAgainAt = TURN_UNITS - CLOCK_UNITS;
  }

  spend(units: number): void {
    this.#left -= units;
    this.#turnLeft -= units;
  }

  /** Whether others are to have their turn. */
  get isOver(): boolean {
    if (this.#turnLeft <= 0 || this.#left <= 0) return true;
    if (this.#turnLeft > this.#lookAgainAt) return false;
    this.#lookAgainAt = this.#turnLeft - CLOCK_UNITS;
    return this.#clock.monotonicUs() - this.#turnUs > TURN_US;
  }

  /** Units that may be spent at once: after them `isOver` is to be asked. */
  get unitsAtOnce(): number {
    return Math.max(0, Math.min(this.#turnLeft, this.#turnLeft - this.#lookAgainAt, Math.ceil(this.#left)));
  }

  /** Charges the time of a turn where that is more than its units. Answers how long to rest, in milliseconds; 0: not at all. */
  endTurn(): number {
    const spent = TURN_UNITS - this.#turnLeft;
    const tookUs = Math.min(CHARGED_US_MAX, this.#clock.monotonicUs() - this.#turnUs);
    const byTime = tookUs / UNIT_US;
    if (byTime > spent) this.#left -= byTime - spent;
    this.#budget.charge(tookUs);
    if (this.#left > 0 && !this.#isOneFloodOfMany()) return 0;
    this.#rests += 1;
    return REST_MS;
  }

  #isOneFloodOfMany(): boolean {
    return this.#left < UNITS_PER_SECOND - FLOOD_UNITS && this.#budget.isUsedUp;
  }

  /** Logs a flood; `nowUs`: monotonic time. Called once a tick. */
  logFlood(nowUs: number, log: Log): void {
    if (this.#rests === this.#loggedRests || nowUs - this.#loggedUs < LOG_INTERVAL_US) return;
    const rests = this.#rests - this.#loggedRests;
    this.#loggedRests = this.#rests;
    this.#loggedUs = nowUs;
    log.warn({ rests }, "the camera sends far more packets than a camera needs, and is slowed down");
  }
}
