import { type Clock, NvrdError, US_PER_MS } from "../base/index.js";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX } from "../contract/index.js";
import type { Directory, DirectoryUser } from "./ldap/directory.js";
import { RecentMap } from "./recent-map.js";

/** A login accepted by the directory is cached this long; after that, a changed password or group takes effect. */
export const DIRECTORY_MEMORY_MS = 60_000;
/** While the directory is unavailable, a login that it accepted within this time is still valid. */
export const DIRECTORY_GRACE_MS = 600_000;
/** A login refused by the directory is not sent again for this long, so that a client with an old password locks no account. */
export const DIRECTORY_REFUSAL_MS = 300_000;
/** After a failed request to the directory, no login waits for it for this long. */
export const DIRECTORY_RETRY_MS = 5000;

/** Number of accepted and of refused logins cached; the least recently used is evicted. */
const REMEMBERED_MAX = 4096;
/** Longer logins belong to no user and are not sent. */
const LOGIN_LENGTH_MAX = NAME_LENGTH_MAX;

export interface DirectoryLoginsOptions {
  readonly directory: Directory;
  readonly clock: Clock;
}

/** One login to check. */
export interface DirectoryLogin {
  /** Identifies login, password and address without revealing them. */
  readonly key: string;
  readonly login: string;
  readonly password: string;
}

interface Verified {
  readonly user: DirectoryUser;
  readonly atUs: number;
}

/** Cache of the directory's recent answers, so that requests need not wait for it. */
export class DirectoryLogins {
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #verified = new RecentMap<string, Verified>(REMEMBERED_MAX);
  readonly #refusedAtUs = new RecentMap<string, number>(REMEMBERED_MAX);
  #lostAtUs: number | undefined;

  constructor(options: DirectoryLoginsOptions) {
    this.#directory = options.directory;
    this.#clock = options.clock;
  }

  /** The user of a login accepted within `DIRECTORY_MEMORY_MS`. */
  recall(key: string): DirectoryUser | undefined {
    return this.#verifiedWithin(key, DIRECTORY_MEMORY_MS);
  }

  /** Whether the login was accepted within `DIRECTORY_GRACE_MS`, and not refused since. */
  wasRightLately(key: string): boolean {
    return this.#verifiedWithin(key, DIRECTORY_GRACE_MS) !== undefined;
  }

  /** The user; undefined if the directory refuses the login. Rejects with NvrdError NOT_AVAILABLE if it is unavailable. */
  async check(attempt: DirectoryLogin): Promise<DirectoryUser | undefined> {
    const { key, login, password } = attempt;
    if (!isSendable(login, LOGIN_LENGTH_MAX) || !isSendable(password, PASSWORD_LENGTH_MAX)) return undefined;
    const fresh = this.recall(key);
    if (fresh !== undefined) return fresh;
    const refusedAtUs = this.#refusedAtUs.get(key);
    if (refusedAtUs !== undefined && this.#ageMs(refusedAtUs) < DIRECTORY_REFUSAL_MS) return undefined;
    if (this.#lostAtUs !== undefined && this.#ageMs(this.#lostAtUs) < DIRECTORY_RETRY_MS)
      return this.#withoutDirectory(key, undefined);
    return await this.#ask(attempt);
  }

  async #ask({ key, login, password }: DirectoryLogin): Promise<DirectoryUser | undefined> {
    let user: DirectoryUser | undefined;
    try {
      user = await this.#directory.authenticate(login, password);
    } catch (error) {
      if (!(error instanceof NvrdError) || error.code !== "NOT_AVAILABLE") throw error;
      this.#lostAtUs = this.#clock.monotonicUs();
      return this.#withoutDirectory(key, error);
    }
    this.#lostAtUs = undefined;
    const atUs = this.#clock.monotonicUs();
    if (user === undefined) {
      this.#verified.delete(key);
      this.#refusedAtUs.set(key, atUs);
    } else {
      this.#refusedAtUs.delete(key);
      this.#verified.set(key, { user, atUs });
    }
    return user;
  }

  #withoutDirectory(key: string, cause: NvrdError | undefined): DirectoryUser {
    const user = this.#verifiedWithin(key, DIRECTORY_GRACE_MS);
    if (user !== undefined) return user;
    throw new NvrdError("NOT_AVAILABLE", "the directory of users is not available at the moment", {
      retryAfterMs: DIRECTORY_RETRY_MS,
      ...(cause === undefined ? {} : { cause }),
    });
  }

  #verifiedWithin(key: string, ageMsMax: number): DirectoryUser | undefined {
    const verified = this.#verified.get(key);
    return verified !== undefined && this.#ageMs(verified.atUs) < ageMsMax ? verified.user : undefined;
  }

  #ageMs(atUs: number): number {
    return (this.#clock.monotonicUs() - atUs) / US_PER_MS;
  }
}

/** An empty password would be an anonymous bind, which succeeds; names contain no control characters. */
function isSendable(text: string, lengthMax: number): boolean {
  return text.length > 0 && text.length <= lengthMax && !/\p{Cc}/u.test(text);
}
