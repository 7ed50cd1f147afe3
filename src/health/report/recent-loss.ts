/** How long a loss is told after it ended: a supervisor that asks every few minutes must not miss it. */
export const RECENT_LOSS_US = 300_000_000;

/** Whether something is being lost, or was of late. */
export class RecentLoss {
  #counted: number | undefined;
  #lastUs: number | undefined;

  /** Takes whether it holds now, and a counter that rises with each loss. */
  note(loss: { readonly holds: boolean; readonly count: number }, nowUs: number): void {
    const rose = this.#counted !== undefined && loss.count > this.#counted;
    this.#counted = loss.count;
    if (loss.holds || rose) this.#lastUs = nowUs;
  }

  isRecent(nowUs: number): boolean {
    return this.#lastUs !== undefined && nowUs - this.#lastUs < RECENT_LOSS_US;
  }
}
