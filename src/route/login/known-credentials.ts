import type { LoginCredentials } from "../../access/index.js";
import type { Clock } from "../../base/index.js";
import type { RequestContent } from "../../http/index.js";
import { findCredentials } from "./credentials.js";

/** Number of recent logins that are always remembered; at most twice as many are held. */
export const KNOWN_CREDENTIALS = 256;
/** A login that is not sent again within this time is dropped at the latest with the first one after twice that time. */
export const KNOWN_CREDENTIALS_MS = 30_000;
/** Longer headers are read anew each time. */
export const HEADER_LENGTH_MAX = 1024;

/**
 * The credentials of recent HTTP Basic headers, as they were read: equal ones from one address are one object, by which their hashes
 * are known, which cost more than the rest of a login. Nothing is authorized here: what is remembered is what was sent.
 */
export class KnownCredentials {
  readonly #clock: Clock;
  #young = new Map<string, LoginCredentials>();
  #old: ReadonlyMap<string, LoginCredentials> = new Map();
  #youngSinceUs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#youngSinceUs = clock.monotonicUs();
  }

  /** As `findCredentials`. */
  find(request: RequestContent): LoginCredentials | undefined {
    const text = loginText(request);
    if (text === undefined) return findCredentials(request);
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#youngSinceUs >= KNOWN_CREDENTIALS_MS * 1000) this.#age(nowUs);
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const found = this.#old.get(text) ?? findCredentials(request);
    if (found === undefined) return undefined;
    if (this.#young.size >= KNOWN_CREDENTIALS) this.#age(nowUs);
    this.#young.set(text, found);
    return found;
  }

  #age(nowUs: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSinceUs = nowUs;
  }
}

/** All that credentials in a header are made of; undefined where the query has some, or they are not remembered. */
function loginText(request: RequestContent): string | undefined {
  const header = request.header("authorization");
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return undefined;
  const { query, address } = request;
  if (query.getFilled("login") !== undefined || query.getFilled("usertype") !== undefined) return undefined;
  // With lengths: no character can serve as a separator.
  const userType = request.header("usertype") ?? "";
  return `${address} ${userType.length} ${userType} ${header}`;
}
