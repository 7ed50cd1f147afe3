import type { LoginClock, LoginClockSource } from "../description/camera-failure.js";

/** A clock that changed by less did not cause a refusal, milliseconds. */
const CLOCK_MOVED_MS = 2000;
/** Logins of one client, each by another clock: the device may count each as a wrong password, and lock the account. */
const TRIES_MAX = 2;
/** A clock that is off by less is no reason for a refusal. */
const HINT_OFFSET_MS_MIN = 60_000;
const OWN: LoginClock = { source: "own", offsetMs: 0 };

/**
 * The clock by which logins to one device are stamped: the likeliest first, another one where that is refused. A client tries
 * two; the next one, which knows them, another one, so that a wrong password is not shown more often than without clocks
 * that differ.
 */
export class LoginClocks {
  readonly #refused: readonly LoginClockSource[];
  #all: readonly LoginClock[] = [OWN];
  #left: LoginClock[] = [];
  #current: LoginClock = OWN;
  readonly #tried: LoginClockSource[] = [];

  /** `refused`: the clocks by which the login was refused before. */
  constructor(refused: readonly LoginClockSource[] = []) {
    this.#refused = refused;
  }

  get current(): LoginClock {
    return this.#current;
  }

  /** Those by which this client and former ones were refused. */
  get tried(): readonly LoginClockSource[] {
    return [...new Set([...this.#refused, ...this.#tried])];
  }

  /** `clocks`: likeliest first. When all were refused before, they begin anew. */
  set(clocks: readonly LoginClock[]): void {
    this.#all = clocks;
    const fresh = clocks.filter(({ source }) => !this.#refused.includes(source));
    const isSecond = fresh.length > 0 && fresh.length < clocks.length;
    this.#left = (fresh.length > 0 ? [...fresh] : [...clocks]).slice(0, isSecond ? 1 : TRIES_MAX);
    this.#current = this.#left.shift() ?? OWN;
  }

  /** The login was refused by the current clock: goes on to another one; false: there is none. */
  next(): boolean {
    this.#tried.push(this.#current.source);
    const next = this.#left.shift();
    if (next === undefined) return false;
    this.#current = next;
    return true;
  }

  /** The clocks were read again; whether the one that was accepted has moved, which explains a refusal. */
  movedTo(clocks: readonly LoginClock[]): boolean {
    const again = clocks.find(({ source }) => source === this.#current.source) ?? clocks[0];
    if (again === undefined || Math.abs(again.offsetMs - this.#current.offsetMs) < CLOCK_MOVED_MS)
      return false;
    this.#current = again;
    return true;
  }

  /** The hint for an installer after a refusal; empty where the clocks agree. */
  get doubt(): string {
    const [first, ...others] = this.#all;
    const isOff = first !== undefined && Math.abs(first.offsetMs) > HINT_OFFSET_MS_MIN;
    return isOff || others.length > 0
      ? "; its clock is not the recorder's, which may be the reason: set date, time and time zone of the camera"
      : "";
  }
}
