import type { Judgement } from "./disk-judgement.js";
import type { DiskVerdict } from "./disk-state.js";

/** A verdict improves only after the better one has lasted: torn sectors come and go. */
export const CALM_US = 24 * 3600 * 1_000_000;

const RANKS = { good: 0, worn: 1, failing: 2 } as const;

type KnownVerdict = Judgement["verdict"];

/** A disk's verdict: worse at once, better after a day. */
export class SteadyVerdict {
  #held: KnownVerdict | undefined;
  #isKnown = false;
  #findings: readonly string[] = [];
  #betterSinceUs: number | undefined;

  /** `held`: the last announced verdict; undefined for a new disk. */
  constructor(held?: KnownVerdict) {
    this.#held = held;
  }

  /** A failing disk that stops answering is still failing. */
  get verdict(): DiskVerdict {
    if (this.#held === "failing") return "failing";
    return this.#isKnown && this.#held !== undefined ? this.#held : "unknown";
  }

  /** What is wrong with the disk, or was within the last day. */
  get findings(): readonly string[] {
    return this.#findings;
  }

  /** The disk is better than its verdict, and watched. */
  get isRecovering(): boolean {
    return this.#isKnown && this.#betterSinceUs !== undefined;
  }

  /** Applies the newest judgement; undefined: there is no valid reading. */
  note(judgement: Judgement | undefined, nowUs: number): void {
    this.#isKnown = judgement !== undefined;
    if (judgement === undefined) return;
    if (this.#held === undefined || RANKS[judgement.verdict] >= RANKS[this.#held]) {
      this.#take(judgement);
      return;
    }
    this.#betterSinceUs ??= nowUs;
    if (nowUs - this.#betterSinceUs >= CALM_US) this.#take(judgement);
  }

  #take({ verdict, findings }: Judgement): void {
    this.#held = verdict;
    this.#findings = findings;
    this.#betterSinceUs = undefined;
  }
}
