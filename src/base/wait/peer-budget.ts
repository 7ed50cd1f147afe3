import type { Clock } from "../time/clock.js";
import { US_PER_MS } from "../value/units.js";

/** Units of cost that may be spent at once, and how many come back in a second. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

export interface PeerBudgetOptions {
  readonly clock: Clock;
  readonly peer: Allowance;
  /** Of all peers together. */
  readonly all: Allowance;
}

/** Peers counted apart. Beyond them, the one that has not spent anything for longest is forgotten: it has all again. */
const PEERS_MAX = 4096;
const US_PER_SECOND = 1000 * US_PER_MS;

/**
 * What reading may cost, by peer and in all. The cost is known when it was spent, so a peer may fall into debt, and has
 * to wait until it is paid back: who asks for much gets it late, and others get theirs.
 */
export class PeerBudget {
  readonly #clock: Clock;
  readonly #peer: Allowance;
  readonly #all: CostBucket;
  /** Least recently charged first. */
  readonly #peers = new Map<string, CostBucket>();

  constructor({ clock, peer, all }: PeerBudgetOptions) {
    this.#clock = clock;
    this.#peer = peer;
    this.#all = new CostBucket(all, clock.monotonicUs());
  }

  /** How long until the peer may have something read, in milliseconds; 0: now. */
  waitMs(peer: string): number {
    const nowUs = this.#clock.monotonicUs();
    return Math.max(this.#all.waitUs(nowUs), this.#peers.get(peer)?.waitUs(nowUs) ?? 0) / US_PER_MS;
  }

  /** The same, if nobody else spent anything. */
  ownWaitMs(peer: string): number {
    return (this.#peers.get(peer)?.waitUs(this.#clock.monotonicUs()) ?? 0) / US_PER_MS;
  }

  charge(peer: string, cost: number): void {
    const nowUs = this.#clock.monotonicUs();
    this.#all.charge(cost, nowUs);
    const bucket = this.#peers.get(peer) ?? new CostBucket(this.#peer, nowUs);
    this.#peers.delete(peer);
    this.#peers.set(peer, bucket);
    bucket.charge(cost, nowUs);
    if (this.#peers.size <= PEERS_MAX) return;
    for (const oldest of this.#peers.keys()) {
      this.#peers.delete(oldest);
      return;
    }
  }
}

/** Units of cost that one may spend. It may fall into debt, which is paid back with time. */
export class CostBucket {
  readonly #allowance: Allowance;
  #left: number;
  #atUs: number;

  constructor(allowance: Allowance, nowUs: number) {
    this.#allowance = allowance;
    this.#left = allowance.burst;
    this.#atUs = nowUs;
  }

  waitUs(nowUs: number): number {
    this.#refill(nowUs);
    return this.#left > 0 ? 0 : ((1 - this.#left) / this.#allowance.perSecond) * US_PER_SECOND;
  }

  charge(cost: number, nowUs: number): void {
    this.#refill(nowUs);
    this.#left -= cost;
  }

  #refill(nowUs: number): void {
    const { burst, perSecond } = this.#allowance;
    this.#left = Math.min(burst, this.#left + ((nowUs - this.#atUs) / US_PER_SECOND) * perSecond);
    this.#atUs = nowUs;
  }
}
