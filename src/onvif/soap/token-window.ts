import { createHash } from "node:crypto";
import { type Clock, US_PER_MS } from "../../base/index.js";

/** How far a token's time may be from the recorder's, either way. */
export const TOKEN_WINDOW_MS = 5 * 60_000;
/** Tokens that are remembered; beyond them those that are not younger than the oldest are refused. */
const TOKENS_MAX = 16_384;
const KEY_LENGTH = 22;

/**
 * Each token of WS-Security is good for one request (UsernameToken Profile 1.0, 3.1): its time must be near the recorder's, and
 * it is remembered as long as that.
 */
export class TokenWindow {
  readonly #clock: Clock;
  /** Times of creation by what identifies a token, in the order in which they came. */
  readonly #taken = new Map<string, number>();
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whole seconds by which a token's time is off; 0 if it is near enough. */
  secondsOff(createdMs: number): number {
    const offMs = createdMs - this.#clock.nowUs() / US_PER_MS;
    return Math.abs(offMs) <= TOKEN_WINDOW_MS ? 0 : Math.round(offMs / 1000);
  }

  /** Takes a token whose time is near; false if it was taken before, or that is not known. */
  take(token: {
    readonly user: string;
    readonly nonce: string;
    readonly created: string;
    readonly createdMs: number;
  }): boolean {
    const { user, nonce, created, createdMs } = token;
    const text = `${nonce.length} ${created.length} ${nonce}${created}${user}`;
    const key = createHash("sha256").update(text).digest("base64url").slice(0, KEY_LENGTH);
    if (createdMs <= this.#forgottenMs || this.#taken.has(key)) return false;
    this.#taken.set(key, createdMs);
    if (this.#taken.size > TOKENS_MAX) this.#makeRoom();
    return true;
  }

  #makeRoom(): void {
    const oldestMs = this.#clock.nowUs() / US_PER_MS - TOKEN_WINDOW_MS;
    for (const [key, createdMs] of this.#taken) if (createdMs < oldestMs) this.#taken.delete(key);
    for (const [key, createdMs] of this.#taken) {
      if (this.#taken.size <= TOKENS_MAX) return;
      this.#taken.delete(key);
      this.#forgottenMs = Math.max(this.#forgottenMs, createdMs);
    }
  }
}
