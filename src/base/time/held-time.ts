/** Timers that are less late are so by ordinary work, in milliseconds. */
const HELD_MS_MIN = 100;

/** How long something held the main thread, by how late the timer came that the intervals share. */
export class HeldTime {
  #heldMs = 0;

  /** Takes how late a timer came. */
  add(lateMs: number): void {
    if (lateMs >= HELD_MS_MIN) this.#heldMs += lateMs;
  }

  /** All since the start, in milliseconds. `overdueMs`: how late the timer is that has not come yet. */
  ms(overdueMs: number): number {
    return this.#heldMs + (overdueMs >= HELD_MS_MIN ? overdueMs : 0);
  }
}
