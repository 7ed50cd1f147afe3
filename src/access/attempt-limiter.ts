import ipaddr from "ipaddr.js";
import type { Clock } from "../base/index.js";
import { FailureTable, type FailureTableLimits } from "./failure-table.js";
import type { KnownLogins } from "./known-logins.js";
import type { Lane } from "./turns.js";

/** Failures of one user from one address: the first line of defence. */
const PAIR_LIMITS: FailureTableLimits = {
  freeFailures: 10,
  firstWaitMs: 1000,
  longestWaitMs: 300_000,
  forgetAfterMs: 900_000,
  entriesMax: 16_384,
};
/** Failures of one user, whatever the address: slows a guesser with many addresses. */
const USER_LIMITS: FailureTableLimits = {
  ...PAIR_LIMITS,
  freeFailures: 20,
  longestWaitMs: 60_000,
  entriesMax: 4096,
};
/** Failures of one address, whatever the user: slows a guesser with many user names. */
const ADDRESS_LIMITS: FailureTableLimits = { ...USER_LIMITS, freeFailures: 50 };

/** Refusals of a user at an address after which remembered logins wait there as well. */
const REFUSALS_MAX = 100;

/** A site gets an IPv6 /64 (RFC 6177), so a /64 counts as one address. */
const IPV6_SITE_PREFIX_BYTES = 8;

/** The user and the address of an attempt. */
export interface Attempt {
  readonly login: string;
  readonly address: string;
}

/**
 * Slows down guessing, without letting a guesser lock out the user. What counts is the user at the address: from
 * elsewhere a right password always passes. A user who has logged in from an address does not wait for the failures of
 * others there. All failures of a user slow only addresses that have failed as well, each from its own last failure on.
 */
export class AttemptLimiter {
  readonly #pairs: FailureTable;
  readonly #users: FailureTable;
  readonly #addresses: FailureTable;
  readonly #known: KnownLogins;

  constructor(options: { readonly clock: Clock; readonly known: KnownLogins }) {
    this.#pairs = new FailureTable({ clock: options.clock, limits: PAIR_LIMITS });
    this.#users = new FailureTable({ clock: options.clock, limits: USER_LIMITS });
    this.#addresses = new FailureTable({ clock: options.clock, limits: ADDRESS_LIMITS });
    this.#known = options.known;
  }

  /** Milliseconds this attempt must wait before its password is checked; 0 if none. */
  waitMs(attempt: Attempt): number {
    const pair = pairKey(attempt);
    const ownMs = this.#pairs.waitMs(pair);
    if (this.#known.hasPair(pair)) return ownMs;
    const addressMs = this.#addresses.waitMs(addressKey(attempt.address));
    return Math.max(ownMs, addressMs, this.#userWaitMs(attempt.login, pair));
  }

  /** From the address' own last failure: otherwise those of others would keep the user waiting for ever. */
  #userWaitMs(login: string, pair: string): number {
    const sinceMs = this.#pairs.sinceFailureMs(pair);
    return sinceMs === undefined ? 0 : Math.max(0, this.#users.penaltyMs(login) - sinceMs);
  }

  /**
   * Whether a remembered login must not be told apart from a wrong one now: a guesser could otherwise try passwords
   * against it without waiting. Until a hundred were refused the owner goes on.
   */
  isUnderSuspicion(attempt: Attempt): boolean {
    // Fast path: called for each request, and usually there are no recent failures.
    if (this.#pairs.isEmpty) return false;
    return this.#pairs.refusals(pairKey(attempt)) >= REFUSALS_MAX && this.waitMs(attempt) > 0;
  }

  /** Which checks of passwords this one waits for. */
  lane(attempt: Attempt): Lane {
    const address = addressKey(attempt.address);
    if (this.#known.hasAddress(address)) return "known";
    return this.#addresses.has(address) ? "failed" : "new";
  }

  /** Attempts with the same name are checked one after the other, so that each failure counts before the next. */
  queueName(attempt: Attempt): string {
    const pair = pairKey(attempt);
    return this.#known.hasPair(pair) ? pair : addressKey(attempt.address);
  }

  /** A wrong password, or an unknown user. */
  failed(attempt: Attempt): void {
    this.#addresses.add(addressKey(attempt.address));
    this.#users.add(attempt.login);
    this.#pairs.add(pairKey(attempt));
  }

  /** Turned away unseen. Lengthens no wait. */
  refused(attempt: Attempt): void {
    this.#pairs.addRefusal(pairKey(attempt));
  }

  /**
   * A right password. The failures of the address and of the user stay: otherwise the holder of one account could guess
   * at others without limit by logging in between.
   */
  succeeded(attempt: Attempt): void {
    const pair = pairKey(attempt);
    this.#pairs.forget(pair);
    this.#known.add({ pair, address: addressKey(attempt.address) });
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
