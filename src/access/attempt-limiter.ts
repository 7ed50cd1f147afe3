import ipaddr from "ipaddr.js";
import type { Clock } from "../base/index.js";
import { FailureTable, type FailureTableLimits } from "./failure-table.js";

/** Failures of one client address, whatever the user. */
const ADDRESS_LIMITS: FailureTableLimits = {
  freeFailures: 10,
  firstWaitMs: 1000,
  longestWaitMs: 300_000,
  forgetAfterMs: 900_000,
  entriesMax: 4096,
};
/** Failures of one user, whatever the address: holds up a guesser with many addresses. */
const USER_LIMITS: FailureTableLimits = { ...ADDRESS_LIMITS, freeFailures: 20, longestWaitMs: 60_000 };
/** Failures of one user from one address; asked only whether there are any. */
const PAIR_LIMITS: FailureTableLimits = { ...ADDRESS_LIMITS, entriesMax: 16_384 };

/** A site gets a /64 of IPv6 (RFC 6177), so that much counts as one address. */
const IPV6_SITE_PREFIX_BYTES = 8;

/** The user and the address of an attempt. */
export interface Attempt {
  readonly login: string;
  readonly address: string;
}

/**
 * Slows down guessing, by address and by user, without letting a guesser lock out the user: the wait of a user holds
 * only for addresses from which that user has failed before, so a right password from elsewhere always passes.
 */
export class AttemptLimiter {
  readonly #addresses: FailureTable;
  readonly #users: FailureTable;
  readonly #pairs: FailureTable;

  constructor(options: { readonly clock: Clock }) {
    this.#addresses = new FailureTable({ clock: options.clock, limits: ADDRESS_LIMITS });
    this.#users = new FailureTable({ clock: options.clock, limits: USER_LIMITS });
    this.#pairs = new FailureTable({ clock: options.clock, limits: PAIR_LIMITS });
  }

  /** Milliseconds this attempt must wait before its password is looked at; 0 when it need not. */
  waitMs(attempt: Attempt): number {
    const addressMs = this.#addresses.waitMs(addressKey(attempt.address));
    const userMs = this.#pairs.has(pairKey(attempt)) ? this.#users.waitMs(attempt.login) : 0;
    return Math.max(addressMs, userMs);
  }

  /**
   * Whether a remembered login must not be told apart from a wrong one now. Only where this user has failed from
   * this address: others behind the same address go on, and a guesser learns nothing while it is made to wait.
   */
  isUnderSuspicion(attempt: Attempt): boolean {
    // Mostly nobody has failed lately; each request asks.
    if (this.#pairs.isEmpty) return false;
    return this.#pairs.has(pairKey(attempt)) && this.waitMs(attempt) > 0;
  }

  /** A wrong password, or an unknown user. */
  failed(attempt: Attempt): void {
    this.#addresses.add(addressKey(attempt.address));
    this.#users.add(attempt.login);
    this.#pairs.add(pairKey(attempt));
  }

  /** Turned away unseen. Lengthens no wait, but puts the pair under suspicion. */
  refused(attempt: Attempt): void {
    this.#pairs.add(pairKey(attempt));
  }

  /**
   * A right password. The address's failures stay: otherwise the holder of one account could guess at others without limit by
   * logging in between.
   */
  succeeded(attempt: Attempt): void {
    this.#pairs.forget(pairKey(attempt));
  }
}

function pairKey(attempt: Attempt): string {
  return `${addressKey(attempt.address)} ${attempt.login}`;
}

const IPV4 = /^(?:(?:[1-9]?\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/** The key under which an address is limited: an IPv4 address as it is, an IPv6 one as its /64. Anything else (a unix socket has none) as one address. */
export function addressKey(address: string): string {
  // A plain IPv4 address is its own key; each request asks.
  if (IPV4.test(address)) return address;
  if (!ipaddr.isValid(address)) return "";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return parsed.toByteArray().slice(0, IPV6_SITE_PREFIX_BYTES).join(".");
}
