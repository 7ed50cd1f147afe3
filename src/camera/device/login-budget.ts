import { createHash, randomBytes } from "node:crypto";
import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";
import type { LoginGate, LoginTurn, LoginWaiting } from "../../rtsp/index.js";

/*
 * Cameras count wrong passwords over all protocols and streams, and lock the account after about five. So all logins to one
 * device as one user share one budget, until the password is changed.
 */

/** Attempts with a password that the device has not accepted, before the long wait. */
export const REFUSALS_BEFORE_WAIT = 3;
/** Wait before the second and the third attempt: a booting camera may refuse logins until it has read its users. */
export const FIRST_WAITS_MS: readonly number[] = [60_000, 120_000];
/**
 * Wait before each further attempt, per login of the last attempt: one over HTTP and one over WS-Security count as two at the
 * device. Locks end after 30 minutes at most; most devices count within a window of 5 to 10 minutes.
 */
export const REFUSED_WAIT_MS = 600_000;
/** Concurrent attempts with a password that the device has accepted. A changed password costs at most this many attempts. */
const PROVEN_AT_ONCE_MAX = REFUSALS_BEFORE_WAIT;
/** Most logins remembered; the least recently used is evicted. */
const LOGINS_MAX = 1024;
/** Longer waits are spread randomly by up to this fraction, so that cameras do not synchronize. */
const JITTER = 0.25;

/** A user at a device. */
export interface DeviceLogin {
  /** The device, by its configured address. */
  readonly device: string;
  readonly login: string;
  readonly password: string;
}

export interface LoginBudgetsOptions {
  readonly clock: Clock;
  /** 0 to 1, for the spread of waits. */
  readonly random: () => number;
}

/** The budgets of all devices. */
export class LoginBudgets {
  readonly #options: LoginBudgetsOptions;
  /** The key holds a digest of the password, salted per process; no password is kept here. */
  readonly #salt = randomBytes(16);
  readonly #budgets = new Map<string, LoginBudget>();

  constructor(options: LoginBudgetsOptions) {
    this.#options = options;
  }

  /** A gate for one stream, or for the calls of one service. It shares the login's budget with all others of the device. */
  gate(login: DeviceLogin): LoginGate {
    const budget = this.#budget(login);
    const waits = new RefusalWaits(this.#options);
    return { turn: (waiting) => budget.turn(waiting, waits) };
  }

  /**
   * The gate for everything except streams (pictures, PTZ, events). They share one, so that a refused login is not repeated by
   * each viewer.
   */
  sideGate(login: DeviceLogin): LoginGate {
    const budget = this.#budget(login);
    return { turn: (waiting) => budget.turn(waiting, budget.side) };
  }

  #budget({ device, login, password }: DeviceLogin): LoginBudget {
    const digest = createHash("sha256").update(this.#salt).update(password).digest("base64url");
    const key = JSON.stringify([device.toLowerCase(), login, digest]);
    const budget = this.#budgets.get(key) ?? new LoginBudget(this.#options);
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    for (const [oldest, idle] of this.#budgets) {
      if (this.#budgets.size <= LOGINS_MAX) break;
      if (!idle.isUsed) this.#budgets.delete(oldest);
    }
    return budget;
  }
}

/** How often a password was refused, and when it may be tried again. */
class RefusalWaits {
  readonly #clock: Clock;
  readonly #random: () => number;
  #refusals = 0;
  #notBeforeUs = Number.NEGATIVE_INFINITY;

  constructor({ clock, random }: LoginBudgetsOptions) {
    this.#clock = clock;
    this.#random = random;
  }

  get isRefused(): boolean {
    return this.#refusals > 0;
  }

  /** Milliseconds until the next attempt; 0 or less: now. */
  get waitMs(): number {
    return (this.#notBeforeUs - this.#clock.monotonicUs()) / US_PER_MS;
  }

  refused(tries: number): void {
    this.#refusals += tries;
    const waitMs = FIRST_WAITS_MS[this.#refusals - 1] ?? tries * REFUSED_WAIT_MS;
    const spreadMs = waitMs * JITTER * this.#random();
    this.#notBeforeUs = this.#clock.monotonicUs() + (waitMs + spreadMs) * US_PER_MS;
  }

  accepted(): void {
    this.#refusals = 0;
    this.#notBeforeUs = Number.NEGATIVE_INFINITY;
  }
}

interface Waiter extends LoginWaiting {
  readonly own: RefusalWaits;
  begin(turn: LoginTurn | undefined): void;
}

/** The attempts of one login at one device. */
class LoginBudget {
  /** For everything except streams; the device may treat those logins differently. */
  readonly side: RefusalWaits;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  readonly #shared: RefusalWaits;
  #running = 0;
  /** Open sessions that were authenticated with this password. */
  #sessions = 0;
  #isProven = false;
  #timer: ClockTimer | undefined;

  constructor(options: LoginBudgetsOptions) {
    this.#clock = options.clock;
    this.#shared = new RefusalWaits(options);
    this.side = new RefusalWaits(options);
  }

  /** Whether an attempt is running or waiting. */
  get isUsed(): boolean {
    const isRefused = this.#shared.isRefused || this.side.isRefused;
    return this.#running + this.#sessions + this.#waiters.size > 0 || isRefused;
  }

  turn(waiting: LoginWaiting, own: RefusalWaits): Promise<LoginTurn | undefined> {
    return new Promise((resolve) => {
      if (waiting.signal.aborted) {
        resolve(undefined);
        return;
      }
      const onAbort = (): void => {
        waiter.begin(undefined);
        this.#admit();
      };
      const waiter: Waiter = {
        own,
        signal: waiting.signal,
        onRefused: () => waiting.onRefused(),
        begin: (turn) => {
          this.#waiters.delete(waiter);
          waiting.signal.removeEventListener("abort", onAbort);
          resolve(turn);
        },
      };
      waiting.signal.addEventListener("abort", onAbort);
      this.#waiters.add(waiter);
      this.#admit();
      if ((this.#shared.isRefused || own.isRefused) && this.#waiters.has(waiter)) waiting.onRefused();
    });
  }

  /** Starts the attempts that may run now, and sets a timer for the next one. */
  #admit(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) {
      if (this.#running >= (this.#isProven ? PROVEN_AT_ONCE_MAX : 1)) return;
      const waitMs = Math.max(this.#shared.waitMs, waiter.own.waitMs);
      if (waitMs > 0) {
        nextMs = Math.min(nextMs, waitMs);
        continue;
      }
      this.#running += 1;
      waiter.begin(this.#newTurn(waiter.own));
    }
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => this.#admit(), Math.ceil(nextMs));
  }

  #newTurn(own: RefusalWaits): LoginTurn {
    let state: "trying" | "open" | "over" = "trying";
    const end = (next: "open" | "over", verdict: () => void): void => {
      if (state === "trying") this.#running -= 1;
      else if (state === "open" && next === "over") this.#sessions -= 1;
      else return;
      const wasTrying = state === "trying";
      state = next;
      if (wasTrying) verdict();
      this.#admit();
    };
    return {
      accepted: () => end("open", () => this.#accepted(own)),
      refused: (tries = 1) => end("over", () => this.#refused(own, tries)),
      ended: () => end("over", () => undefined),
    };
  }

  #accepted(own: RefusalWaits): void {
    this.#sessions += 1;
    this.#isProven = true;
    this.#shared.accepted();
    own.accepted();
  }

  /** While another session with this password is open, the refusal concerns this stream only. */
  #refused(own: RefusalWaits, tries: number): void {
    own.refused(tries);
    if (this.#sessions > 0) return;
    this.#isProven = false;
    this.#shared.refused(tries);
    for (const waiter of this.#waiters) waiter.onRefused();
  }
}
