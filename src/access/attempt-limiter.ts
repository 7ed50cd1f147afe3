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
/** Failures of one user, whatever the address: slows down a guesser with many addresses. */
const USER_LIMITS: FailureTableLimits = { ...ADDRESS_LIMITS, freeFailures: 20, longestWaitMs: 60_000 };
/** Failures of one user from one address; only checked for existence. */
const PAIR_LIMITS: FailureTableLimits = { ...ADDRESS_LIMITS, entriesMax: 16_384 };

/** A site gets an IPv6 /64 (RFC 6177), so a /64 counts as one address. */
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

  /** Milliseconds this attempt must wait before its password is checked; 0 if none. */
  waitMs(attempt: Attempt): number {
    const addressMs = this.#addresses.waitMs(addressKey(attempt.address));
    const userMs = this.#pairs.has(pairKey(attempt)) ? this.#users.waitMs(attempt.login) : 0;
    return Math.max(addressMs, userMs);
  }

  /**
   * Whether a cached login must be treated like a wrong one now. True only if this user has failed from this address: others
   * behind the same address are not affected, and a guesser learns nothing while it must wait.
   */
  isUnderSuspicion(attempt: Attempt): boolean {
    // Fast path: called for each request, and usually there are no recent failures.
    if (this.#pairs.isEmpty) return false;
    return this.#pairs.has(pairKey(attempt)) && this.waitMs(attempt) > 0;
  }

  /** A wrong password, or an unknown user. */
  failed(attempt: Attempt): void {
    this.#addresses.add(addressKey(attempt.address));
    this.#users.add(attempt.login);
    this.#pairs.add(pairKey(attempt));
  }

  /** The attempt was rejected without a check. Does not lengthen the wait, but marks the pair as suspicious. */
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

/**
 * The key under which an address is limited: an IPv4 address unchanged, an IPv6 one as its /64. Anything else (a unix socket
 * has no address) counts as one address.
 */
export function addressKey(address: string): string {
  // Fast path: an IPv4 address is its own key.
  if (IPV4.test(address)) return address;
  if (!ipaddr.isValid(address)) return "";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return parsed.toByteArray().slice(0, IPV6_SITE_PREFIX_BYTES).join(".");
}
