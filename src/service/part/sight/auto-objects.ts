import { US_PER_HOUR, US_PER_MINUTE } from "../../../base/index.js";
import type { ObjectsCause } from "../../../contract/answer/index.js";
import { DETECTOR_MEMORY_BYTES_MIN } from "../memory-shares.js";

/** Where cameras leave it to the machine: it has so many processors. */
const PROCESSORS_MIN = 4;
/** Looks a second that are worth it. */
const LOOKS_MIN = 2;
/** A machine that does less for so long, and in so many looks, does not keep up: less is a busy moment. */
const SLOW_US = US_PER_MINUTE;
const SLOW_LOOKS = 60;
/** It is tried again after so long, and each further time after twice as long. */
const PAUSE_US = US_PER_HOUR;
const PAUSE_US_MAX = 24 * US_PER_HOUR;

export interface ObjectsProblem {
  readonly cause: ObjectsCause;
  readonly words: string;
}

/** What the machine has. */
export interface SightMachine {
  readonly processors: number;
  /** What the recorder may use of it. */
  readonly memoryBytes: number;
}

/** What the detector does now. */
export interface DetectorPace {
  readonly isReady: boolean;
  /** Looks that were answered. */
  readonly looks: number;
  /** Looks a second that the machine does. */
  readonly possible: number;
}

/** Whether objects are looked for at cameras that leave it to the machine. Times are microseconds of the monotonic clock. */
export class AutoObjects {
  readonly #small: ObjectsProblem | undefined;
  #slow: ObjectsProblem | undefined;
  /** Since when the machine does too few looks, and how many there were then. */
  #since: { readonly atUs: number; readonly looks: number } | undefined;
  #pauseUs = PAUSE_US;
  #againUs = 0;

  constructor(machine: SightMachine) {
    this.#small = smallMachine(machine);
  }

  /** Why they are not looked for; undefined: they are. */
  get problem(): ObjectsProblem | undefined {
    return this.#small ?? this.#slow;
  }

  /** To be called some times a minute. Answers whether that changed. */
  check(pace: DetectorPace | undefined, nowUs: number): boolean {
    if (this.#slow !== undefined) {
      if (nowUs < this.#againUs) return false;
      this.#slow = undefined;
      return true;
    }
    if (pace?.isReady !== true || pace.possible >= LOOKS_MIN) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= { atUs: nowUs, looks: pace.looks };
    const { atUs, looks } = this.#since;
    if (nowUs - atUs < SLOW_US || pace.looks - looks < SLOW_LOOKS) return false;
    this.#since = undefined;
    this.#slow = slowMachine(pace.possible);
    this.#againUs = nowUs + this.#pauseUs;
    this.#pauseUs = Math.min(PAUSE_US_MAX, 2 * this.#pauseUs);
    return true;
  }
}

/**
 * What a machine lacks to look for objects unasked; undefined: nothing. The detector has its whole share of the memory that the packaged
 * unit (`MemoryHigh=70%`) gives the recorder of a machine of 2 GB.
 */
function smallMachine({ processors, memoryBytes }: SightMachine): ObjectsProblem | undefined {
  if (processors >= PROCESSORS_MIN && memoryBytes >= DETECTOR_MEMORY_BYTES_MIN) return undefined;
  return {
    cause: "small-machine",
    words:
      "unless that is switched on for a camera, objects are looked for on machines with four processors and 2 GB of memory",
  };
}

function slowMachine(possible: number): ObjectsProblem {
  return {
    cause: "slow-machine",
    words: `this machine does ${possible.toFixed(1)} looks a second, and ${LOOKS_MIN} are worth it: it takes a faster processor, or less work for this one; it is tried again by itself, within a day`,
  };
}
