import { createHmac, randomBytes } from "node:crypto";
import { type Clock, type Guid, type Log, NvrdError } from "../base/index.js";
import { SITE_LIMITS, type SiteStore } from "../site/index.js";
import { AttemptLimiter, addressKey } from "./attempt-limiter.js";
import { type DeriveKey, deriveWithScrypt, EMPTY_PASSWORD_MD5, matchesSecret } from "./password-secret.js";
import { RecentMap } from "./recent-map.js";
import { SitePrincipals } from "./site-principals.js";
import { Turns } from "./turns.js";
import type { Access, Credentials, Principal } from "./types.js";

/** Verified logins remembered, each a user at an address; the one unused for longest gives way. */
const REMEMBERED_LOGINS_MAX = 4096;
/** No user's name is longer. A longer login is cut to one sign more, so that it is nobody's and costs no memory. */
const LOGIN_LENGTH_MAX = SITE_LIMITS.nameLengthMax;
/** Longer passwords are no MD5: they are cut before any work is done on them. */
const PASSWORD_LENGTH_MAX = 256;
const MEMORY_KEY_BYTES = 32;
const MILLISECONDS_PER_SECOND = 1000;

export interface SiteAccessOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
  readonly log: Log;
  /** scrypt when absent; tests count the calls of another. */
  readonly derive?: DeriveKey;
}

/** A login that was verified, as long as the user's secret stays what it was. */
interface RememberedLogin {
  readonly userId: Guid;
  readonly secret: string | null;
}

/**
 * Checks credentials against the users of the configuration. A login costs one scrypt; after that it is remembered,
 * by a keyed hash that means nothing outside this process, for the address it came from.
 */
export class SiteAccess implements Access {
  readonly #options: SiteAccessOptions;
  readonly #derive: DeriveKey;
  readonly #limiter: AttemptLimiter;
  readonly #turns = new Turns();
  readonly #memoryKey = randomBytes(MEMORY_KEY_BYTES);
  readonly #remembered = new RecentMap<string, RememberedLogin>(REMEMBERED_LOGINS_MAX);
  readonly #underWay = new Map<string, Promise<Principal>>();
  #principals: SitePrincipals | undefined;

  constructor(options: SiteAccessOptions) {
    this.#options = options;
    this.#derive = options.derive ?? deriveWithScrypt;
    this.#limiter = new AttemptLimiter({ clock: options.clock });
  }

  recall(credentials: Credentials): Principal | undefined {
    if (credentials.userType === "ActiveDirectory" || credentials.login.length > LOGIN_LENGTH_MAX)
      return undefined;
    const key = this.#keyOf(credentials);
    const remembered = this.#remembered.get(key);
    if (remembered === undefined || this.#limiter.isUnderSuspicion(credentials)) return undefined;
    const principals = this.#currentPrincipals();
    const user = principals.user(credentials.login);
    if (user?.id === remembered.userId && user.secret === remembered.secret)
      return principals.principal(user);
    this.#remembered.delete(key);
    return undefined;
  }

  /**
   * See Access. Equal credentials from one address are checked once, however many ask. Rejects with UNAUTHORIZED or
   * TOO_MANY_REQUESTS.
   */
  async verify(credentials: Credentials): Promise<Principal> {
    if (credentials.userType === "ActiveDirectory") {
      throw new NvrdError("UNAUTHORIZED", "login of directory users is not configured on this server");
    }
    const bounded = { ...credentials, login: credentials.login.slice(0, LOGIN_LENGTH_MAX + 1) };
    const key = this.#keyOf(bounded);
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return await shared;
    const check = this.#turns.take(addressKey(bounded.address), () => this.#check(bounded, key));
    this.#underWay.set(key, check);
    try {
      return await check;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #check(credentials: Credentials, key: string): Promise<Principal> {
    const waitMs = this.#limiter.waitMs(credentials);
    if (waitMs > 0) {
      this.#limiter.refused(credentials);
      const seconds = Math.ceil(waitMs / MILLISECONDS_PER_SECOND);
      throw new NvrdError("TOO_MANY_REQUESTS", `too many failed logins: try again in ${seconds} s`, {
        retryAfterMs: waitMs,
      });
    }
    const user = this.#currentPrincipals().user(credentials.login);
    const password = normalPassword(credentials.password);
    const matches = await matchesSecret(password, user?.secret, this.#derive);
    const entitled = user?.secret === null ? password === EMPTY_PASSWORD_MD5 : matches;
    // The configuration may have changed meanwhile: what counts is whether the password is right now.
    const principals = this.#currentPrincipals();
    const userNow = principals.user(credentials.login);
    const principal = userNow === undefined ? undefined : principals.principal(userNow);
    if (
      !entitled ||
      principal === undefined ||
      userNow?.id !== user?.id ||
      userNow?.secret !== user?.secret
    ) {
      this.#limiter.failed(credentials);
      this.#options.log.warn({ address: credentials.address, login: credentials.login }, "login failed");
      throw new NvrdError("UNAUTHORIZED", "wrong login or password");
    }
    this.#limiter.succeeded(credentials);
    this.#remembered.set(key, { userId: principal.user.id, secret: principal.user.secret });
    return principal;
  }

  #currentPrincipals(): SitePrincipals {
    const { current } = this.#options.site;
    if (this.#principals?.site !== current) this.#principals = new SitePrincipals(current);
    return this.#principals;
  }

  /** Lengths first, so that no two credentials spell the same text. */
  #keyOf(credentials: Credentials): string {
    const { login, address } = credentials;
    const password = normalPassword(credentials.password);
    return createHmac("sha256", this.#memoryKey)
      .update(`${login.length} ${password.length} ${login}${password}${address}`)
      .digest("base64");
  }
}

/** No password is the empty one; an MD5 compares in lower case. */
function normalPassword(password: string | undefined): string {
  if (password === undefined || password === "") return EMPTY_PASSWORD_MD5;
  return password.slice(0, PASSWORD_LENGTH_MAX).toLowerCase();
}
