import { type Clock, type Guid, US_PER_MS } from "../base/index.js";
import { addressKey } from "./attempt-limiter.js";
import { RecentMap } from "./recent-map.js";
import type { Principal } from "./types.js";

/** A user without requests for this long logs in again. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** Failures reported per address, and in total, per minute; the others are counted. */
export const FAILURES_TOLD_PER_ADDRESS_MAX = 10;
export const FAILURES_TOLD_MAX = 60;

const SESSIONS_MAX = 4096;
const ADDRESSES_MAX = 1024;
const WINDOW_MS = 60_000;

/** Which set of users the login was checked against. */
export type LoginWay = "internal" | "directory" | "hub";

interface LoginFacts {
  /** As sent, at most 129 characters, without control characters. */
  readonly userName: string;
  readonly address: string;
  readonly way: LoginWay;
}

/** The result of a login. Never contains a password. */
export type AuditEntry =
  | (LoginFacts & { readonly kind: "login"; readonly userId: Guid })
  | (LoginFacts & {
      readonly kind: "loginFailed";
      /** Failures of this address since the last reported one. */
      readonly untold: number;
    })
  | (LoginFacts & {
      readonly kind: "lockedOut";
      /** How long the next attempt must wait. */
      readonly waitMs: number;
      readonly untold: number;
    });

export type AuditListener = (entry: AuditEntry) => void;

interface Window {
  startUs: number;
  told: number;
  untold: number;
}

/**
 * Reports logins and failed logins: only the first request of a user at an address, and failures at a bounded rate.
 */
export class LoginAudit {
  readonly #clock: Clock;
  readonly #listeners: AuditListener[] = [];
  readonly #sessions = new RecentMap<string, number>(SESSIONS_MAX);
  readonly #windows = new RecentMap<string, Window>(ADDRESSES_MAX);
  readonly #all: Window = { startUs: 0, told: 0, untold: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `listener` must not throw and must not wait. */
  onEntry(listener: AuditListener): void {
    this.#listeners.push(listener);
  }

  /** Reports a request of a logged-in user. */
  seen(principal: Principal, address: string, way: LoginWay): void {
    const { id, name } = principal.user;
    const key = `${id} ${address}`;
    const lastUs = this.#sessions.get(key);
    const nowUs = this.#clock.monotonicUs();
    this.#sessions.set(key, nowUs);
    if (lastUs !== undefined && nowUs - lastUs < SESSION_IDLE_MS * US_PER_MS) return;
    this.#tell({ kind: "login", userName: name, userId: id, address, way });
  }

  /** Reports a refused login; `waitMs` is the wait before the next attempt. */
  failed(facts: {
    readonly login: string;
    readonly address: string;
    readonly way: LoginWay;
    readonly waitMs: number;
  }): void {
    const { login, address, way, waitMs } = facts;
    const window = this.#windowOf(addressKey(address));
    const told = countIn(window, this.#clock, FAILURES_TOLD_PER_ADDRESS_MAX);
    if (!told || !countIn(this.#all, this.#clock, FAILURES_TOLD_MAX)) {
      window.untold += 1;
      return;
    }
    const { untold } = window;
    window.untold = 0;
    const userName = login.replace(/\p{Cc}/gu, "?");
    if (waitMs > 0) this.#tell({ kind: "lockedOut", userName, address, way, waitMs, untold });
    else this.#tell({ kind: "loginFailed", userName, address, way, untold });
  }

  #windowOf(key: string): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const window: Window = { startUs: this.#clock.monotonicUs(), told: 0, untold: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #tell(entry: AuditEntry): void {
    for (const listener of this.#listeners) listener(entry);
  }
}

/** Whether one more may be reported in this window; counts it if so. */
function countIn(window: Window, clock: Clock, toldMax: number): boolean {
  const nowUs = clock.monotonicUs();
  if (nowUs - window.startUs >= WINDOW_MS * US_PER_MS) {
    window.startUs = nowUs;
    window.told = 0;
  }
  if (window.told >= toldMax) return false;
  window.told += 1;
  return true;
}
