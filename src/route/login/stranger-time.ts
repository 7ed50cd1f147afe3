import { type Access, addressKey } from "../../access/index.js";
import {
  type Allowance,
  type Clock,
  CostBucket,
  NvrdError,
  PeerBudget,
  US_PER_MS,
} from "../../base/index.js";

/** Milliseconds of the main thread for all addresses that nobody has logged in from: a tenth of it. */
const ALL: Allowance = { burst: 1000, perSecond: 100 };
/** For one of them. */
const ADDRESS: Allowance = { burst: 500, perSecond: 50 };
/** What an address has that has asked for nothing lately, while the others have used up what is for all: a form to log in. */
const NEWCOMER: Allowance = { burst: 20, perSecond: 1 };
const NEWCOMERS: Allowance = { burst: 200, perSecond: 50 };
/** What an address has had is bounded by `ALL` and `NEWCOMERS`. */
const UNBOUNDED: Allowance = { burst: Number.MAX_SAFE_INTEGER, perSecond: 0 };
/** Further in debt than this, strangers get no answer: to refuse a request takes time as well. */
const DROP_DEBT_MS = 2000;

export interface StrangerTimeOptions {
  readonly clock: Clock;
  readonly access: Pick<Access, "knowsAddress">;
}

/**
 * How long strangers may hold the main thread, all together, whatever door they come to: it receives what is recorded. Users are
 * not counted, and a stranger is one no longer when somebody logs in from there.
 */
export class StrangerTime {
  readonly #clock: Clock;
  readonly #access: Pick<Access, "knowsAddress">;
  readonly #time: PeerBudget;
  /** What each address has had lately, and what newcomers have had together since all was used up. */
  readonly #lately: PeerBudget;
  readonly #newcomers: CostBucket;
  readonly #all: CostBucket;

  constructor({ clock, access }: StrangerTimeOptions) {
    this.#clock = clock;
    this.#access = access;
    this.#time = new PeerBudget({ clock, peer: ADDRESS, all: ALL });
    this.#lately = new PeerBudget({ clock, peer: NEWCOMER, all: UNBOUNDED });
    this.#newcomers = new CostBucket(NEWCOMERS, clock.monotonicUs());
    this.#all = new CostBucket(ALL, clock.monotonicUs());
  }

  /** Whether nobody has logged in from there. */
  has(address: string): boolean {
    return !this.#access.knowsAddress(address);
  }

  /** Throws NvrdError TOO_MANY_REQUESTS while a stranger's address, or all together, had what is theirs. */
  require(address: string): void {
    const key = addressKey(address);
    const waitMs = this.#time.waitMs(key);
    if (waitMs === 0 || !this.has(address)) return;
    if (this.#isNew(key) && this.#newcomers.waitUs(this.#clock.monotonicUs()) === 0) return;
    throw new NvrdError(
      "TOO_MANY_REQUESTS",
      "too much is asked by addresses from which nobody has logged in",
      {
        hint: "log in, or try again later",
        retryAfterMs: waitMs,
      },
    );
  }

  /** Whether it had little lately. */
  #isNew(key: string): boolean {
    return this.#time.ownWaitMs(key) === 0 && this.#lately.ownWaitMs(key) === 0;
  }

  /** Whether strangers have so much debt that one who had a part of it is not even answered. */
  drops(address: string): boolean {
    const debtMs = (this.#all.waitUs(this.#clock.monotonicUs()) / US_PER_MS / 1000) * ALL.perSecond;
    return debtMs > DROP_DEBT_MS && !this.#isNew(addressKey(address)) && this.has(address);
  }

  /** What was done for the address took of the main thread. */
  spent(address: string, ms: number): void {
    if (!this.has(address)) return;
    const key = addressKey(address);
    const nowUs = this.#clock.monotonicUs();
    if (this.#all.waitUs(nowUs) > 0) this.#newcomers.charge(ms, nowUs);
    this.#time.charge(key, ms);
    this.#lately.charge(key, ms);
    this.#all.charge(ms, nowUs);
  }
}
