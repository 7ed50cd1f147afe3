/** Wakes readers that wait for more data of a stream. */
export class LiveEdge {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves with the stream's next news, or when `cancel` of the answer is called. */
  wait(streamText: string): { readonly woken: Promise<void>; readonly cancel: () => void } {
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiting = this.#waiting.get(streamText) ?? new Set();
    this.#waiting.set(streamText, waiting);
    waiting.add(wake);
    const cancel = () => {
      waiting.delete(wake);
      wake();
    };
    return { woken, cancel };
  }

  /** More of the stream is recorded, or its segment ended. */
  wake(streamText: string): void {
    const waiting = this.#waiting.get(streamText);
    if (waiting === undefined) return;
    this.#waiting.delete(streamText);
    for (const wake of waiting) wake();
  }
}
