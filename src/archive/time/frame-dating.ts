import type { Clock, ClockKnowledge } from "../../base/index.js";
import { REDATE_US_MIN } from "./boot-times.js";

/** Frames stamped before the clock became known reach their segment within this. */
const STRAGGLE_US_MAX = 30_000_000;

/** Distinguishes times taken while the clock was not known from those taken since. */
export class FrameDating {
  readonly #knowledge: ClockKnowledge;
  readonly #clock: Clock;
  /** When the clock became known, if that was in this process. */
  #setAtUs = Number.NEGATIVE_INFINITY;

  constructor(knowledge: ClockKnowledge, clock: Clock) {
    this.#knowledge = knowledge;
    this.#clock = clock;
    knowledge.onSet(() => {
      this.#setAtUs = clock.monotonicUs();
    });
  }

  /**
   * Provisional minus monotonic time, when `timeUs` is a stream time that was taken provisionally. Shortly after the
   * clock became known there are both kinds: a stream's time is near the clock's, so the nearer one decides.
   */
  provisionalOffsetUs(timeUs: number): number | undefined {
    const { isKnown, provisionalOffsetUs, set } = this.#knowledge;
    if (provisionalOffsetUs === undefined || !isKnown || set === undefined) return provisionalOffsetUs;
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#setAtUs > STRAGGLE_US_MAX || Math.abs(set.shiftUs) <= REDATE_US_MIN) return undefined;
    const fromProvisionalUs = Math.abs(timeUs - (provisionalOffsetUs + nowUs));
    const fromSetUs = Math.abs(timeUs - (set.offsetUs + nowUs));
    return fromProvisionalUs < fromSetUs ? provisionalOffsetUs : undefined;
  }

  /** A stream time as it will be dated. */
  dated(timeUs: number): number {
    const { set } = this.#knowledge;
    return set !== undefined && this.provisionalOffsetUs(timeUs) !== undefined
      ? timeUs + set.shiftUs
      : timeUs;
  }
}
