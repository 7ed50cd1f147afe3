/** The first items, so many of them, in an order, of lists that come one by one: sorted as they come, so that no sorting is long. */
export class FirstItems<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  #items: readonly T[] = [];
  #isCut = false;

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** In order. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** There were more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(items: readonly T[]): void {
    // Both are in order or nearly so: such a sort is about one comparison an item.
    const all = [...this.#items, ...items].sort(this.#compare);
    this.#isCut ||= all.length > this.#limit;
    this.#items = all.slice(0, this.#limit);
  }
}
