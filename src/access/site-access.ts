import { hash, randomBytes } from "node:crypto";
import { type Clock, type Guid, type Log, MS_PER_SECOND, NvrdError, US_PER_MS } from "../base/index.js";
import { EMPTY_PASSWORD_MD5, NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX } from "../contract/index.js";
import type { SiteStore } from "../site/index.js";
import { AttemptLimiter, addressKey } from "./attempt-limiter.js";
import { DirectoryLogins } from "./directory-logins.js";
import { HubPrincipal } from "./hub-principal.js";
import { KnownLogins } from "./known-logins.js";
import type { Directory } from "./ldap/directory.js";
import { loginNames } from "./ldap/ldap-names.js";
import { type AuditListener, LoginAudit, type LoginWay } from "./login-audit.js";
import { type DeriveKey, deriveWithScrypt, isMd5, matchesSecret, md5OfPassword } from "./password-secret.js";
import type { ReadablePasswords } from "./readable-passwords.js";
import { RecentMap } from "./recent-map.js";
import type { Sessions } from "./sessions.js";
import { SitePrincipals } from "./site-principals.js";
import { Turns } from "./turns.js";
import type {
  Access,
  Credentials,
  HubAdmission,
  HubCredentials,
  LoginCredentials,
  PasswordProof,
  Principal,
  SessionCredentials,
} from "./types.js";

/** Number of verified logins cached, per user and address; the least recently used is evicted. */
const REMEMBERED_LOGINS_MAX = 4096;
/**
 * User names are not longer. A longer login is truncated to one more character, so that it matches no user and needs little
 * memory.
 */
const LOGIN_LENGTH_MAX = NAME_LENGTH_MAX;
const MEMORY_KEY_BYTES = 32;

/**
 * Concurrent password checks on the thread pool: it has four threads, which file access needs, too, and each check takes 16
 * MiB.
 */
const CHECKS_AT_ONCE_MAX = 2;
/** Concurrent logins at the directory, with a separate queue, so that a slow directory does not delay internal users. */
export const DIRECTORY_CHECKS_AT_ONCE_MAX = 4;
/**
 * The duration of a refusal that involved the directory is rounded up to a multiple of this, so that it does not reveal whether
 * the directory knows the user.
 */
export const DIRECTORY_REFUSAL_STEP_MS = 250;

export interface SiteAccessOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
  readonly log: Log;
  /** The directory; when absent there are no directory users. */
  readonly directory?: Directory;
  /** The sessions; when absent there are none. */
  readonly sessions?: Sessions;
  /** Where the addresses of logins are kept over a restart; undefined: not at all. */
  readonly dataDir?: string;
  /** Passwords of users who may log in by digest; nobody may when absent. */
  readonly readable?: ReadablePasswords;
  /** scrypt when absent; replaceable so that tests can count its calls. */
  readonly derive?: DeriveKey;
}

/** A refused login repeated within this time is the same failure, so that a client with an old password blocks nobody. */
const SAME_FAILURE_MS = 900_000;

/** A refused login; valid until the user's secret changes. */
interface RefusedLogin {
  readonly userId: Guid | undefined;
  readonly secret: string | null | undefined;
  readonly atUs: number;
}

/** A verified login; valid until the user's secret changes. */
interface RememberedLogin {
  readonly userId: Guid;
  readonly secret: string | null;
}

/** An MD5 to compare with an internal user's secret. */
interface InternalPassword {
  readonly md5: string;
  /** Under which it is remembered. */
  readonly key: string;
  /** The password itself, if that was sent. */
  readonly plain: string | undefined;
}

/** Credentials after the door: bounded, and under a key that means nothing outside this process. */
interface Attempt extends LoginCredentials {
  /** Identifies the attempt. */
  readonly key: string;
  /** What an internal user's password may be; see `internalPasswords`. At least one. */
  readonly internal: readonly InternalPassword[];
  /** Undefined: the directory has nothing to do with it. */
  readonly atDirectory: { readonly password: string; readonly key: string } | undefined;
  /**
   * The login and address under which failures are counted: for a directory, `Alice`, `alice` and `alice@example.org` are one
   * user.
   */
  readonly limited: { readonly login: string; readonly address: string };
}

/**
 * Checks credentials against the users in the configuration and in a directory. An internal login costs one scrypt, a directory
 * login one bind; after that it is cached, by a keyed hash, for its address.
 */
export class SiteAccess implements Access {
  readonly #options: SiteAccessOptions;
  readonly #derive: DeriveKey;
  readonly #known: KnownLogins;
  readonly #limiter: AttemptLimiter;
  readonly #audit: LoginAudit;
  #directoryLogins: DirectoryLogins | undefined;
  readonly #turns = new Turns({ atOnceMax: CHECKS_AT_ONCE_MAX });
  readonly #directoryTurns = new Turns({ atOnceMax: DIRECTORY_CHECKS_AT_ONCE_MAX });
  readonly #memoryKey = randomBytes(MEMORY_KEY_BYTES).toString("base64");
  readonly #remembered = new RecentMap<string, RememberedLogin>(REMEMBERED_LOGINS_MAX);
  readonly #refused = new RecentMap<string, RefusedLogin>(REMEMBERED_LOGINS_MAX);
  #attempts = new WeakMap<LoginCredentials, Attempt>();
  readonly #underWay = new Map<string, Promise<Principal>>();
  /** Where sessions are used: a telephone comes home with one that began elsewhere. */
  readonly #sessionAddresses = new RecentMap<string, true>(REMEMBERED_LOGINS_MAX);
  #principals: SitePrincipals | undefined;
  #admission: () => HubAdmission | undefined = () => undefined;

  constructor(options: SiteAccessOptions) {
    this.#options = options;
    this.#derive = options.derive ?? deriveWithScrypt;
    this.#known = new KnownLogins({ clock: options.clock, log: options.log, dataDir: options.dataDir });
    this.#limiter = new AttemptLimiter({ clock: options.clock, known: this.#known });
    this.#audit = new LoginAudit(options.clock);
    this.useDirectory(options.directory);
  }

  /** Asks this directory from now on, or none. What the former one said of logins is forgotten, also where it is asked just now. */
  useDirectory(directory: Directory | undefined): void {
    const { clock } = this.#options;
    this.#directoryLogins = directory === undefined ? undefined : new DirectoryLogins({ directory, clock });
    // Whether a directory is asked was decided with the former one.
    this.#attempts = new WeakMap();
  }

  /** Resolves when the addresses of logins are kept. */
  async stop(): Promise<void> {
    await this.#known.stop();
  }

  /** Calls `listener` for each login, failed login and lock-out. It must not throw and must not wait. */
  onAudit(listener: AuditListener): void {
    this.#audit.onEntry(listener);
  }

  recall(credentials: Credentials): Principal | undefined {
    if ("hub" in credentials) return this.#recallHub(credentials);
    return "session" in credentials ? this.#recallSession(credentials) : this.#recallLogin(credentials);
  }

  knowsAddress(address: string): boolean {
    const key = addressKey(address);
    return this.#sessionAddresses.get(key) === true || this.#known.hasAddress(key);
  }

  /** Lets in who comes through a hub, as far as `admission` says then; undefined: nobody. */
  useHub(admission: () => HubAdmission | undefined): void {
    this.#admission = admission;
  }

  #recallHub({ hub, address }: HubCredentials): Principal | undefined {
    const admission = this.#admission();
    if (admission === undefined) return undefined;
    const principal = new HubPrincipal(hub, admission);
    this.#audit.seen(principal, address, "hub");
    return principal;
  }

  #recallSession({ session, address }: SessionCredentials): Principal | undefined {
    const principal = this.#options.sessions?.use(session, address);
    if (principal === undefined) return undefined;
    this.#sessionAddresses.set(addressKey(address), true);
    const { directoryUser } = principal;
    this.#audit.seen(
      principal,
      address,
      directoryUser === undefined ? "internal" : (directoryUser.provider ?? "directory"),
    );
    return principal;
  }

  /** Reports a login that a provider, or what it said of the user, has refused; `login`: whom it named. */
  refusedByProvider(login: string, address: string): void {
    this.#audit.failed({ login, address, way: "oidc", waitMs: 0 });
  }

  #recallLogin(credentials: LoginCredentials): Principal | undefined {
    if (credentials.login.length > LOGIN_LENGTH_MAX) return undefined;
    const attempt = this.#attempt(credentials);
    if (this.#limiter.isUnderSuspicion(attempt.limited)) return undefined;
    const internal = this.#recallInternal(attempt);
    const principal = internal ?? this.#recallDirectory(attempt);
    if (principal !== undefined)
      this.#audit.seen(principal, attempt.address, internal === undefined ? "directory" : "internal");
    return principal;
  }

  /**
   * See Access. Equal credentials from one address are checked once, however many ask. Rejects with UNAUTHORIZED,
   * TOO_MANY_REQUESTS or NOT_AVAILABLE.
   */
  async verify(credentials: Credentials): Promise<Principal> {
    if ("session" in credentials) {
      await this.#options.sessions?.refresh(credentials.session);
      const principal = this.#recallSession(credentials);
      if (principal === undefined) throw sessionEnded();
      return principal;
    }
    if (!("hub" in credentials)) return await this.#verifyLogin(credentials);
    const principal = this.#recallHub(credentials);
    if (principal === undefined)
      throw new NvrdError("UNAUTHORIZED", "this recorder belongs to no hub any more", { hint: "" });
    return principal;
  }

  async #verifyLogin(credentials: LoginCredentials): Promise<Principal> {
    if (credentials.userType === "ActiveDirectory" && this.#directoryLogins === undefined)
      throw new NvrdError("UNAUTHORIZED", "login of directory users is not configured on this server");
    const login = credentials.login.slice(0, LOGIN_LENGTH_MAX + 1);
    const attempt = this.#attempt({ ...credentials, login });
    const { atDirectory, key, limited } = attempt;
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return await shared;
    // For internal users, a refused password need not be derived again.
    if (atDirectory === undefined && this.#isSameFailure(attempt)) throw wrongLogin();
    if (!this.#wasRightLately(attempt)) this.#refuseWhileWaiting(attempt);
    const turns = atDirectory === undefined ? this.#turns : this.#directoryTurns;
    const turn = { lane: this.#limiter.lane(limited), queue: this.#limiter.queueName(limited) };
    const check = turns.take(turn, () => this.#check(attempt));
    this.#underWay.set(key, check);
    try {
      return await check;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #check(attempt: Attempt): Promise<Principal> {
    if (!this.#wasRightLately(attempt)) this.#refuseWhileWaiting(attempt);
    const startedUs = this.#options.clock.monotonicUs();
    const internal = attempt.userType === "ActiveDirectory" ? undefined : await this.#checkInternal(attempt);
    const principal = internal ?? (await this.#checkDirectory(attempt));
    const way: LoginWay =
      internal === undefined && attempt.atDirectory !== undefined ? "directory" : "internal";
    if (principal !== undefined) {
      this.#limiter.succeeded(attempt.limited);
      this.#audit.seen(principal, attempt.address, way);
      return principal;
    }
    if (attempt.atDirectory !== undefined) await this.#waitForStep(startedUs);
    if (!this.#isSameFailure(attempt)) this.#countFailure(attempt, way);
    throw wrongLogin();
  }

  /**
   * The user who made a proof. Throws NvrdError UNAUTHORIZED, the same for an unknown user, a wrong proof, and a user whose
   * password is not kept; TOO_MANY_REQUESTS like `verify`. Takes microseconds, so failures are all that bounds guessing.
   */
  prove({ login: sent, address, proves }: PasswordProof): Principal {
    const { readable } = this.#options;
    const login = sent.slice(0, LOGIN_LENGTH_MAX + 1);
    const limited = { login, address };
    this.#refuseWhileWaiting({ limited });
    const principals = this.#currentPrincipals();
    const user = principals.user(login);
    const password = user === undefined ? undefined : readable?.of(user);
    // The work is the same for a user whom nobody knows.
    const isRight = proves(password ?? this.#memoryKey) && password !== undefined;
    const principal = user === undefined || !isRight ? undefined : principals.principal(user);
    if (principal === undefined) {
      this.#reportFailure({ login, address, limited }, "internal");
      throw wrongLogin();
    }
    this.#limiter.succeeded(limited);
    this.#audit.seen(principal, address, "internal");
    return principal;
  }

  #countFailure(attempt: Attempt, way: LoginWay): void {
    const { login, key } = attempt;
    const user = this.#currentPrincipals().user(login);
    const atUs = this.#options.clock.monotonicUs();
    this.#refused.set(key, { userId: user?.id, secret: user?.secret, atUs });
    this.#reportFailure(attempt, way);
  }

  #reportFailure(
    { address, login, limited }: Pick<Attempt, "address" | "login" | "limited">,
    way: LoginWay,
  ): void {
    this.#limiter.failed(limited);
    this.#audit.failed({ address, login, way, waitMs: this.#limiter.waitMs(limited) });
    this.#options.log.warn({ address, login, way }, "login failed");
  }

  /** Whether exactly this login was refused recently, and the user has not changed since. */
  #isSameFailure({ key, login }: Attempt): boolean {
    const refused = this.#refused.get(key);
    if (refused === undefined) return false;
    const user = this.#currentPrincipals().user(login);
    const ageMs = (this.#options.clock.monotonicUs() - refused.atUs) / US_PER_MS;
    return ageMs < SAME_FAILURE_MS && user?.id === refused.userId && user?.secret === refused.secret;
  }

  /**
   * Whether the directory has accepted exactly this login recently. Its revalidation every minute is not a guess, and must not
   * be delayed by a guesser behind the same address.
   */
  #wasRightLately({ atDirectory, limited }: Attempt): boolean {
    if (atDirectory === undefined || this.#limiter.isUnderSuspicion(limited)) return false;
    return this.#directoryLogins?.wasRightLately(atDirectory.key) === true;
  }

  #refuseWhileWaiting(attempt: Pick<Attempt, "limited">): void {
    const waitMs = this.#limiter.waitMs(attempt.limited);
    if (waitMs === 0) return;
    this.#limiter.refused(attempt.limited);
    const seconds = Math.ceil(waitMs / MS_PER_SECOND);
    throw new NvrdError("TOO_MANY_REQUESTS", `too many failed logins: try again in ${seconds} s`, {
      retryAfterMs: waitMs,
    });
  }

  async #checkInternal(attempt: Attempt): Promise<Principal | undefined> {
    const user = this.#currentPrincipals().user(attempt.login);
    const compare = () => this.#rightPassword(attempt, user?.secret);
    // In a turn at the directory, the thread pool's turns are still to be kept.
    const { limited } = attempt;
    const turn = {
      lane: this.#limiter.lane(limited),
      queue: `directory ${this.#limiter.queueName(limited)}`,
    };
    const right = await (attempt.atDirectory === undefined ? compare() : this.#turns.take(turn, compare));
    // The password may have changed meanwhile, and who asked since then shares this check: what counts is the present one.
    const principals = this.#currentPrincipals();
    const userNow = principals.user(attempt.login);
    if (userNow?.id !== user?.id || userNow?.secret !== user?.secret)
      return await this.#checkInternal(attempt);
    if (right === undefined || userNow === undefined) return undefined;
    this.#remembered.set(right.key, { userId: userNow.id, secret: userNow.secret });
    if (right.plain !== undefined) this.#options.readable?.learn(userNow, right.plain);
    return principals.principal(userNow);
  }

  /** The work depends on what was sent alone, not on whether there is such a user. */
  async #rightPassword(
    { internal }: Attempt,
    secret: string | null | undefined,
  ): Promise<InternalPassword | undefined> {
    for (const password of internal) {
      const matches = await matchesSecret(password.md5, secret, this.#derive);
      const entitled = secret === null ? password.md5 === EMPTY_PASSWORD_MD5 : matches;
      if (entitled) return password;
    }
    return undefined;
  }

  async #checkDirectory(attempt: Attempt): Promise<Principal | undefined> {
    const { login, atDirectory } = attempt;
    if (atDirectory === undefined) return undefined;
    const logins = this.#directoryLogins;
    const user = await logins?.check({ login, ...atDirectory });
    // Another directory decides by now.
    if (logins !== this.#directoryLogins) return await this.#checkDirectory(attempt);
    if (user === undefined) return undefined;
    const principal = this.#currentPrincipals().directoryPrincipal(login, user);
    if (principal === undefined)
      this.#options.log.warn({ login, dn: user.dn }, "directory user is in no mapped group: refused");
    return principal;
  }

  #recallInternal(attempt: Attempt): Principal | undefined {
    if (attempt.userType === "ActiveDirectory") return undefined;
    const principals = this.#currentPrincipals();
    for (const { key } of attempt.internal) {
      const remembered = this.#remembered.get(key);
      if (remembered === undefined) continue;
      const user = principals.user(attempt.login);
      if (user?.id === remembered.userId && user.secret === remembered.secret)
        return principals.principal(user);
      this.#remembered.delete(key);
    }
    return undefined;
  }

  #recallDirectory({ login, atDirectory }: Attempt): Principal | undefined {
    const user = atDirectory === undefined ? undefined : this.#directoryLogins?.recall(atDirectory.key);
    return user === undefined ? undefined : this.#currentPrincipals().directoryPrincipal(login, user);
  }

  #waitForStep(startedUs: number): Promise<void> {
    const { clock } = this.#options;
    const elapsedMs = (clock.monotonicUs() - startedUs) / US_PER_MS;
    const steps = Math.floor(elapsedMs / DIRECTORY_REFUSAL_STEP_MS) + 1;
    return new Promise((resolve) => {
      clock.setTimeout(resolve, steps * DIRECTORY_REFUSAL_STEP_MS - elapsedMs);
    });
  }

  #currentPrincipals(): SitePrincipals {
    const { current } = this.#options.site;
    if (this.#principals?.site !== current) this.#principals = new SitePrincipals(current);
    return this.#principals;
  }

  /** Cached for repeated credentials, because hashing is most of the cost of a cached login. */
  #attempt(credentials: LoginCredentials): Attempt {
    const known = this.#attempts.get(credentials);
    if (known !== undefined) return known;
    const attempt = this.#newAttempt(credentials);
    this.#attempts.set(credentials, attempt);
    return attempt;
  }

  #newAttempt(credentials: LoginCredentials): Attempt {
    const password = this.#directoryPassword(credentials);
    const { login, address } = credentials;
    const limitedLogin = password === undefined ? login : `directory ${loginNames(login).user.toLowerCase()}`;
    const internal = internalPasswords(credentials).map((password) => ({
      ...password,
      key: this.#keyOf(credentials, password.md5),
    }));
    const atDirectory =
      password === undefined ? undefined : { password, key: this.#keyOf(credentials, password) };
    const internalKeys = internal.map((one) => one.key).join(" ");
    const key = `${internalKeys} ${atDirectory?.key ?? ""} ${credentials.userType ?? ""}`;
    return { ...credentials, key, internal, atDirectory, limited: { login: limitedLogin, address } };
  }

  /**
   * The password for the directory; undefined if it is not to be asked. Without a user type, the directory is asked if the
   * login has the form of an address, as those of directory users have.
   */
  #directoryPassword(credentials: LoginCredentials): string | undefined {
    if (this.#directoryLogins === undefined) return undefined;
    if (credentials.userType === "ActiveDirectory") return credentials.password ?? "";
    if (credentials.userType !== undefined || !credentials.login.includes("@")) return undefined;
    return credentials.directoryPassword ?? "";
  }

  /** With lengths, so that different credentials never give the same text. */
  #keyOf({ login, address }: LoginCredentials, password: string): string {
    // With the secret key first and the lengths included, a plain hash is as good as an HMAC for map keys, at a third of the
    // cost.
    return hash(
      "sha256",
      `${this.#memoryKey} ${login.length} ${password.length} ${address.length} ${login}${password}${address}`,
      "base64",
    );
  }
}

/** The same for a session that never was and one that has ended. */
export function sessionEnded(): NvrdError {
  return new NvrdError("UNAUTHORIZED", "the session has ended", { hint: "log in again: POST /api/session" });
}

/** The same for an unknown user and a wrong password. */
function wrongLogin(): NvrdError {
  return new NvrdError("UNAUTHORIZED", "wrong login or password");
}

/**
 * The MD5s that an internal user's password may have. What HTTP Basic carries is the password itself or its MD5; 32
 * hexadecimal digits may be either.
 */
function internalPasswords({ password, isPlainOrMd5 }: LoginCredentials): readonly SentPassword[] {
  if (password === undefined || password === "") return [{ md5: EMPTY_PASSWORD_MD5, plain: undefined }];
  // Longer ones are no MD5 values.
  const asMd5 = { md5: password.slice(0, PASSWORD_LENGTH_MAX).toLowerCase(), plain: undefined };
  if (isPlainOrMd5 !== true) return [asMd5];
  const ofPlain = { md5: md5OfPassword(password), plain: password };
  return isMd5(password) ? [asMd5, ofPlain] : [ofPlain];
}

type SentPassword = Pick<InternalPassword, "md5" | "plain">;
