import { type Clock, US_PER_SECOND } from "../../base/index.js";
import { newToken } from "./code.js";

/** How long a token lets a box in. */
export const TOKEN_SECONDS = 900;
const TOKENS_MAX = 64;

/** Tokens that let one box in each. A restart of the hub forgets them. */
export class Tokens {
  readonly #clock: Clock;
  /** Until when each counts, monotonic; the oldest first. */
  readonly #open = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new one, in place of the oldest where there are many. */
  make(): string {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= TOKENS_MAX && oldest !== undefined) this.#open.delete(oldest);
    const token = newToken();
    this.#open.set(token, this.#clock.monotonicUs() + TOKEN_SECONDS * US_PER_SECOND);
    return token;
  }

  /** Takes a token, which nobody else can then. Undefined: it was used, is too old, or never was. The result gives it back. */
  take(token: string): (() => void) | undefined {
    const untilUs = this.#open.get(token);
    this.#open.delete(token);
    if (untilUs === undefined || untilUs <= this.#clock.monotonicUs()) return undefined;
    return () => this.#open.set(token, untilUs);
  }
}
