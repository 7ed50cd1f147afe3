import { type Clock, type Guid, US_PER_MS } from "../base/index.js";
import { addressKey } from "./attempt-limiter.js";
import { RecentMap } from "./recent-map.js";
import type { Principal } from "./types.js";

/** A user without requests for this long logs in again. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** Failures reported per address, and in total, per minute; the others are counted. */
export const FAILURES_REPORTED_PER_ADDRESS_MAX = 10;
export const FAILURES_REPORTED_MAX = 60;

const SESSIONS_MAX = 4096;
const ADDRESSES_MAX = 1024;
const WINDOW_MS = 60_000;

/** Which set of users the login was checked against. */
export type LoginWay = "internal" | "directory" | "oidc" | "hub";

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
      readonly unreported: number;
    })
  | (LoginFacts & {
      readonly kind: "lockedOut";
      /** How long the next attempt must wait. */
      readonly waitMs: number;
      readonly unreported: number;
    });

export type AuditListener = (entry: AuditEntry) => void;

interface Window {
  startUs: number;
  reported: number;
  unreported: number;
}

/**
 * Reports logins and failed logins: only the first request of a user at an address, and failures at a bounded rate.
 */
export class LoginAudit {
  readonly #clock: Clock;
  readonly #listeners: AuditListener[] = [];
  readonly #sessions = new RecentMap<string, number>(SESSIONS_MAX);
  readonly #windows = new RecentMap<string, Window>(ADDRESSES_MAX);
  readonly #all: Window = { startUs: 0, reported: 0, unreported: 0 };

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
    this.#report({ kind: "login", userName: name, userId: id, address, way });
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
    const isReported = countIn(window, this.#clock, FAILURES_REPORTED_PER_ADDRESS_MAX);
    if (!isReported || !countIn(this.#all, this.#clock, FAILURES_REPORTED_MAX)) {
      window.unreported += 1;
      return;
    }
    const { unreported } = window;
    window.unreported = 0;
    const userName = login.replace(/\p{Cc}/gu, "?");
    if (waitMs > 0) this.#report({ kind: "lockedOut", userName, address, way, waitMs, unreported });
    else this.#report({ kind: "loginFailed", userName, address, way, unreported });
  }

  #windowOf(key: string): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const window: Window = { startUs: this.#clock.monotonicUs(), reported: 0, unreported: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #report(entry: AuditEntry): void {
    for (const listener of this.#listeners) listener(entry);
  }
}

/** Whether one more may be reported in this window; counts it if so. */
function countIn(window: Window, clock: Clock, reportedMax: number): boolean {
  const nowUs = clock.monotonicUs();
  if (nowUs - window.startUs >= WINDOW_MS * US_PER_MS) {
    window.startUs = nowUs;
    window.reported = 0;
  }
  if (window.reported >= reportedMax) return false;
  window.reported += 1;
  return true;
}
