import { type Clock, US_PER_MS } from "../base/index.js";
import { RecentMap } from "./recent-map.js";

/** An address is known so long after its last login with a password that was checked. */
export const KNOWN_MS = 30 * 24 * 3600 * 1000;
/** Addresses, and users at an address; the one whose login is longest ago gives way. Only right logins are entered. */
const KNOWN_MAX = 4096;

/** From where users have logged in. A guesser who has no account is in no such place. */
export class KnownLogins {
  readonly #clock: Clock;
  readonly #addresses = new RecentMap<string, number>(KNOWN_MAX);
  readonly #pairs = new RecentMap<string, number>(KNOWN_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(login: { readonly pair: string; readonly address: string }): void {
    const nowUs = this.#clock.monotonicUs();
    this.#addresses.set(login.address, nowUs);
    this.#pairs.set(login.pair, nowUs);
  }

  hasAddress(address: string): boolean {
    return this.#isKnown(this.#addresses, address);
  }

  /** Whether this user has logged in from this address. */
  hasPair(pair: string): boolean {
    return this.#isKnown(this.#pairs, pair);
  }

  #isKnown(table: RecentMap<string, number>, key: string): boolean {
    const atUs = table.get(key);
    return atUs !== undefined && this.#clock.monotonicUs() - atUs < KNOWN_MS * US_PER_MS;
  }
}
