/** Random numbers that a seed replays (mulberry32): the same seed, the same run. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to `bound` - 1; 0 when `bound` is less than 1. */
  below(bound: number): number {
    return Math.floor(this.next() * Math.max(1, bound));
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new RangeError("nothing to pick from");
    return choice;
  }

  /** Another sequence: what is drawn from it changes nothing here but this one draw. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 4_294_967_296));
  }
}

/**
 * Random numbers for a run that cannot be simulated: from the seed of `NVRD_TEST_SEED`, otherwise from one that is drawn.
 * The seed is printed, so that the run's draws can be made again.
 */
export function printedRandom(test: string): SeededRandom {
  const seed = testSeed(Math.floor(Math.random() * 4_294_967_296));
  console.log(`${test}: replay with NVRD_TEST_SEED=${seed}`);
  return new SeededRandom(seed);
}

/** The seed of `NVRD_TEST_SEED`; `fallback` when it is not set. Throws on one that is no whole number. */
export function testSeed(fallback: number): number {
  const text = process.env.NVRD_TEST_SEED;
  if (text === undefined || text === "") return fallback;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`NVRD_TEST_SEED=${text} is no seed`);
  return seed;
}
