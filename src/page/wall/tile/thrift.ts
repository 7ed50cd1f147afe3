import { signal } from "@preact/signals";

/** Reports of left-out pictures within this time that show a slow link: one alone is a hiccup. */
const SLOW_REPORTS = 3;
const SLOW_WITHIN_MS = 5000;
/** So long without a report, and larger pictures are tried again; each time later when that was too much. */
const AGAIN_MS_MIN = 15_000;
const AGAIN_MS_MAX = 240_000;
/** A report so soon after larger pictures came is because of them. */
const TRY_MS = 20_000;

export interface ThriftEnvironment {
  nowMs(): number;
  after(ms: number, call: () => void): () => void;
}

/**
 * Whether the wall makes do with the cameras' smaller streams, because the link does not carry those that fit the tiles. Begins
 * with reports that pictures were left out, and ends some time after the last.
 */
export class Thrift {
  readonly isOn = signal(false);
  readonly #environment: ThriftEnvironment;
  #reportsMs: number[] = [];
  #endedMs = Number.NEGATIVE_INFINITY;
  #againMs = AGAIN_MS_MIN;
  #cancel: (() => void) | undefined;

  constructor(environment: ThriftEnvironment) {
    this.#environment = environment;
  }

  /** Pictures of a tile were left out. */
  report(): void {
    const nowMs = this.#environment.nowMs();
    this.#reportsMs = [...this.#reportsMs.filter((ms) => nowMs - ms < SLOW_WITHIN_MS), nowMs].slice(
      -SLOW_REPORTS,
    );
    if (this.#reportsMs.length < SLOW_REPORTS) return;
    if (!this.isOn.peek()) this.#begin(nowMs);
    this.#cancel?.();
    this.#cancel = this.#environment.after(this.#againMs, () => this.#end());
  }

  #begin(nowMs: number): void {
    const isOfTry = nowMs - this.#endedMs < TRY_MS;
    this.#againMs = isOfTry ? Math.min(AGAIN_MS_MAX, this.#againMs * 2) : AGAIN_MS_MIN;
    this.isOn.value = true;
  }

  #end(): void {
    this.#endedMs = this.#environment.nowMs();
    this.#reportsMs = [];
    this.isOn.value = false;
  }
}

/** Of all tiles, which share the link. */
export const thrift = new Thrift({
  nowMs: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
});
