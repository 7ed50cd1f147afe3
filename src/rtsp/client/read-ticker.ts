import type { Clock, ClockTimer } from "../../base/index.js";
import { ReadBudget } from "./read-allowance.js";

/** One connection that is served on the shared tick. */
export interface TickMember {
  /** Start reading, and do what is due. True: what was started needs the event loop, and `onTickEnd` after it. */
  onTick(): boolean;
  /** Stop reading that began with the tick and found nothing. */
  onTickEnd(): void;
}

export interface ReadTickerOptions {
  readonly clock: Clock;
  /** 10 to 1000 ms; it delays the archive's newest frames, but never live view. */
  readonly periodMs?: number;
  /** The same for members whose frames may wait, not shorter; default: `periodMs`. */
  readonly patientMs?: number;
  /** Calls `run` once sockets that are readable now have been read; default: `setImmediate`. */
  readonly afterPoll?: (run: () => void) => void;
}

export const READ_TICK_MS_DEFAULT = 200;
const READ_TICK_MS_MIN = 10;
const READ_TICK_MS_MAX = 1000;

/**
 * The timers of all connections without live viewers. All are read at the same instant, so that the process wakes up
 * once per tick and not once per packet. Keep-alives, reports and watchdogs also run on it. Members whose frames may wait
 * have a longer tick, which meets the shorter one.
 */
export class ReadTicker {
  readonly periodMs: number;
  /** Of members whose frames may wait. */
  readonly patientMs: number;
  /** Of all connections, also of those that are not read on the tick. */
  readonly budget: ReadBudget;
  readonly #prompt: TickRound;
  readonly #patient: TickRound;

  constructor(options: ReadTickerOptions) {
    const { clock, periodMs = READ_TICK_MS_DEFAULT, patientMs = periodMs } = options;
    for (const ms of [periodMs, patientMs]) {
      if (!(ms >= READ_TICK_MS_MIN && ms <= READ_TICK_MS_MAX))
        throw new RangeError(`read tick of ${ms} ms: must be ${READ_TICK_MS_MIN} to ${READ_TICK_MS_MAX} ms`);
    }
    this.periodMs = periodMs;
    this.patientMs = patientMs;
    this.budget = new ReadBudget(clock);
    const afterPoll = options.afterPoll ?? ((run) => setImmediate(run));
    this.#prompt = new TickRound({ clock, periodMs, afterPoll });
    this.#patient = new TickRound({ clock, periodMs: patientMs, afterPoll });
  }

  /** The member is served on each tick. */
  add(member: TickMember): void {
    this.#prompt.add(member);
  }

  /** Removing an unknown member is harmless. */
  remove(member: TickMember): void {
    this.#prompt.remove(member);
    this.#patient.remove(member);
  }

  /** Whether a member that was added is served on the longer tick. */
  setPatient(member: TickMember, isPatient: boolean): void {
    const [from, to] = isPatient ? [this.#prompt, this.#patient] : [this.#patient, this.#prompt];
    if (from.remove(member)) to.add(member);
  }
}

/** The members of one period. */
class TickRound {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #afterPoll: (run: () => void) => void;
  readonly #members = new Set<TickMember>();
  #timer: ClockTimer | undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly periodMs: number;
    readonly afterPoll: (run: () => void) => void;
  }) {
    this.#clock = options.clock;
    this.#periodMs = options.periodMs;
    this.#afterPoll = options.afterPoll;
  }

  add(member: TickMember): void {
    this.#members.add(member);
    this.#timer ??= this.#clock.setInterval(() => this.#tick(), this.#periodMs);
  }

  /** False where it is not a member. */
  remove(member: TickMember): boolean {
    const isMember = this.#members.delete(member);
    if (this.#members.size > 0) return isMember;
    this.#timer?.clear();
    this.#timer = undefined;
    return isMember;
  }

  #tick(): void {
    let isReading = false;
    for (const member of this.#members) isReading = member.onTick() || isReading;
    // Usually all was read at once; another turn of the event loop would only cost.
    if (!isReading) return;
    this.#afterPoll(() => {
      for (const member of this.#members) member.onTickEnd();
    });
  }
}
