/** What of the browser's history is used. */
export interface HistoryLike {
  readonly state: unknown;
  pushState(state: unknown, unused: string): void;
  replaceState(state: unknown, unused: string): void;
  back(): void;
}

/** Layers that are open in a step of the browser's history, from the bottom up. */
interface Step {
  readonly layers?: readonly string[];
}

/**
 * What lies over a screen, and is closed by the browser's "back" and a phone's gesture: each layer that opens makes a step of the
 * history, and each that is closed in another way takes its step back.
 */
export class BackLayers {
  readonly #history: HistoryLike;
  /** From the bottom up. */
  readonly #open = new Map<string, () => void>();
  /** A step is being taken back: the history changes later. */
  #isGoing = false;

  constructor(history: HistoryLike) {
    this.#history = history;
    // After a reload nothing is open.
    if (this.#noted.length > 0) this.#history.replaceState({ ...this.#step, layers: [] }, "");
  }

  open(name: string, close: () => void): void {
    this.#open.set(name, close);
    if (!this.#isGoing) this.#noteOpen();
  }

  /** It was closed, by whatever. */
  closed(name: string): void {
    if (this.#open.delete(name) && !this.#isGoing) this.#takeBack();
  }

  /** The browser went to another step. */
  follow(): void {
    if (this.#isGoing) {
      this.#isGoing = false;
      this.#takeBack();
      if (!this.#isGoing) this.#noteOpen();
      return;
    }
    const noted = this.#noted;
    for (const [name, close] of [...this.#open].toReversed()) {
      if (noted.includes(name)) continue;
      this.#open.delete(name);
      close();
    }
  }

  /** Each open layer has its step; one is there already when the screen below comes back, as by "back" from another screen. */
  #noteOpen(): void {
    for (const name of this.#open.keys()) {
      if (this.#noted.includes(name)) continue;
      this.#history.pushState({ ...this.#step, layers: [...this.#noted, name] }, "");
    }
  }

  /** Leaves a step whose layer is closed. */
  #takeBack(): void {
    const last = this.#noted.at(-1);
    if (last === undefined || this.#open.has(last)) return;
    this.#isGoing = true;
    this.#history.back();
  }

  get #step(): Step {
    const { state } = this.#history;
    return typeof state === "object" && state !== null ? state : {};
  }

  get #noted(): readonly string[] {
    return this.#step.layers ?? [];
  }
}
