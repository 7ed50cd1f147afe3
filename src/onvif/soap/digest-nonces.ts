import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Clock, US_PER_MS } from "../../base/index.js";

/** An older nonce is stale: the client takes another one without asking its user. */
export const NONCE_LIFETIME_MS = 5 * 60_000;
/** Nonces whose counts are remembered; beyond them the oldest is stale at once. */
const USED_MAX = 4096;
/** Requests of one nonce may arrive in another order, over several connections, by so many. */
const WINDOW = 64;
const KEY_BYTES = 32;
const RANDOM_BYTES = 12;
const MAC_LENGTH = 22;

/** What a nonce was used for. */
interface Used {
  readonly issuedMs: number;
  highest: number;
  /** The counts below it that were taken. */
  readonly taken: Set<number>;
}

/**
 * Nonces of HTTP Digest (RFC 7616) that need no memory before somebody logs in with one: each carries its time and a MAC
 * under a key of this process. Each count of a nonce is taken once, so that an overheard request cannot be repeated.
 */
export class DigestNonces {
  readonly #clock: Clock;
  readonly #key = randomBytes(KEY_BYTES);
  readonly #used = new Map<string, Used>();
  /** Nonces that are not younger are stale: what they were used for is forgotten. */
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(): string {
    const text = `${Math.floor(this.#nowMs())}.${randomBytes(RANDOM_BYTES).toString("base64url")}`;
    return `${text}.${this.#mac(text)}`;
  }

  /** Whether the nonce is one of ours, and not too old. */
  isFresh(nonce: string): boolean {
    const issuedMs = this.#issuedMs(nonce);
    return (
      issuedMs !== undefined && this.#nowMs() - issuedMs < NONCE_LIFETIME_MS && issuedMs > this.#forgottenMs
    );
  }

  /**
   * Takes a count of a fresh nonce; false if it was taken before. `count`: undefined for clients of RFC 2069, which have
   * none: then the nonce is good for one request.
   */
  take(nonce: string, count = 1): boolean {
    const issuedMs = this.#issuedMs(nonce);
    if (issuedMs === undefined) return false;
    const used = this.#used.get(nonce) ?? { issuedMs, highest: 0, taken: new Set<number>() };
    if (count <= used.highest - WINDOW || used.taken.has(count)) return false;
    used.taken.add(count);
    used.highest = Math.max(used.highest, count);
    for (const each of used.taken) if (each <= used.highest - WINDOW) used.taken.delete(each);
    this.#remember(nonce, used);
    return true;
  }

  #remember(nonce: string, used: Used): void {
    this.#used.set(nonce, used);
    if (this.#used.size <= USED_MAX) return;
    const oldestMs = this.#nowMs() - NONCE_LIFETIME_MS;
    for (const [each, { issuedMs }] of this.#used) if (issuedMs < oldestMs) this.#used.delete(each);
    for (const [each, { issuedMs }] of this.#used) {
      if (this.#used.size <= USED_MAX) return;
      this.#used.delete(each);
      this.#forgottenMs = Math.max(this.#forgottenMs, issuedMs);
    }
  }

  #issuedMs(nonce: string): number | undefined {
    const match = /^((\d{1,15})\.[\w-]{16})\.([\w-]{22})$/.exec(nonce);
    const [, text = "", issued = "", mac = ""] = match ?? [];
    if (match === null || !timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(text)))) return undefined;
    return Number(issued);
  }

  #mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url").slice(0, MAC_LENGTH);
  }

  #nowMs(): number {
    return this.#clock.monotonicUs() / US_PER_MS;
  }
}
