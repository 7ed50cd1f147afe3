/** Wakes readers that wait for more data of a stream. */
export class LiveEdge {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves with the next news of one of the streams, or when `cancel` of the answer is called. */
  wait(streamTexts: readonly string[]): { readonly woken: Promise<void>; readonly cancel: () => void } {
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const text of streamTexts) {
      const waiting = this.#waiting.get(text) ?? new Set();
      this.#waiting.set(text, waiting);
      waiting.add(wake);
    }
    const cancel = () => {
      this.#forget(wake, streamTexts);
      wake();
    };
    return { woken: woken.then(() => this.#forget(wake, streamTexts)), cancel };
  }

  /** More of the stream is recorded, or its segment ended. */
  wake(streamText: string): void {
    const waiting = this.#waiting.get(streamText);
    if (waiting === undefined) return;
    this.#waiting.delete(streamText);
    for (const wake of waiting) wake();
  }

  #forget(wake: () => void, streamTexts: readonly string[]): void {
    for (const text of streamTexts) {
      const waiting = this.#waiting.get(text);
      if (waiting?.delete(wake) === true && waiting.size === 0) this.#waiting.delete(text);
    }
  }
}
