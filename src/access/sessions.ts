import { hash, randomBytes } from "node:crypto";
import { type Clock, endsWithin, type Guid, type Log, NvrdError, newGuid, US_PER_MS } from "../base/index.js";
import type { SiteStore, User } from "../site/index.js";
import type { DirectoryUser } from "./ldap/directory.js";
import { type KeptSession, SessionFile } from "./session-file.js";
import type { SharedSession, SharedSessions } from "./shared-sessions.js";
import { SitePrincipals } from "./site-principals.js";
import type { Principal } from "./types.js";

const HOUR_MS = 3_600_000;
/** A session that nobody uses for this long ends. A stream that is watched uses it. */
export const SESSION_UNUSED_MS_MAX = 72 * HOUR_MS;
/** A session ends at this age, however much it is used. */
export const SESSION_AGE_MS_MAX = 30 * 24 * HOUR_MS;
/** The directory cannot be asked again without the password: its user logs in again after this time. */
export const DIRECTORY_SESSION_AGE_MS_MAX = 12 * HOUR_MS;
/** Sessions of one user, and of all; the least recently used one ends. */
export const SESSIONS_PER_USER_MAX = 32;
export const SESSIONS_MAX = 1024;

/** 256 bits. */
const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;
const USER_AGENT_LENGTH_MAX = 256;
/** How old the kept time of a session's last use may get. */
const LAST_USE_PERIOD_MS = 10 * 60_000;
/** The groups of a directory user that are kept over a restart, in characters. */
const KEPT_GROUPS_LENGTH_MAX = 8192;

/** One session as its user and administrators see it. */
export interface Session {
  readonly id: Guid;
  readonly userId: Guid;
  readonly userName: string;
  /** Where it was used last. */
  readonly address: string;
  /** As the browser names itself, without control characters, at most 256 characters. */
  readonly userAgent: string;
  /** Unix microseconds. */
  readonly sinceUs: number;
  readonly lastUsedUs: number;
}

/** Who begins a session, and where. */
export interface SessionStart {
  readonly principal: Principal;
  readonly address: string;
  readonly userAgent: string;
}

export interface SessionsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
  readonly log: Log;
  /** Where their file is, which keeps them over a restart; when absent they end with the process. */
  readonly dataDir?: string;
  /**
   * Identifies the user's directory or provider of now; undefined: there is none. A session of another one's user ends.
   * When absent, all are one.
   */
  readonly directoryMark?: (user: DirectoryUser) => string | undefined;
}

interface Entry extends Omit<KeptSession, "ageUs" | "idleUs" | "address" | "secretMark" | "lastUsedUs"> {
  address: string;
  /** Each is accepted: while a password is being changed there are two. */
  secretMarks: readonly string[];
  /** Monotonic microseconds; negative where they began before the machine. */
  readonly beganUs: number;
  usedUs: number;
}

/** The key of a cookie's value: its hash, so that neither memory nor disk holds what a thief could send. Undefined: no such value is given out. */
export function sessionKey(token: string): string | undefined {
  return TOKEN_PATTERN.test(token) ? hashOf(token) : undefined;
}

/** How long a session of this user may last. */
export function sessionLifeMs({ directoryUser }: Principal): number {
  return directoryUser === undefined ? SESSION_AGE_MS_MAX : DIRECTORY_SESSION_AGE_MS_MAX;
}

/**
 * Who is logged in by a form. A session belongs to one user with one password: it ends with a new password, and with the user.
 * Rights are those that the configuration has now.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By key, the least recently used one first. */
  readonly #entries = new Map<string, Entry>();
  readonly #file: SessionFile | undefined;
  readonly #endListeners: (() => void)[] = [];
  #principals: SitePrincipals | undefined;
  #shared: SharedSessions | undefined;
  readonly #marks = new WeakMap<User, string>();
  #keptAtUs: number;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { dataDir, clock, log } = options;
    this.#keptAtUs = clock.monotonicUs();
    if (dataDir === undefined) return;
    this.#file = new SessionFile({ dataDir, clock, log, sessions: () => this.#kept() });
    const nowUs = clock.nowUs();
    for (const kept of this.#file.read().slice(-SESSIONS_MAX)) this.#restore(kept, nowUs);
    this.#endOld();
  }

  /** Calls `listener` after sessions were ended. It must not throw. */
  onEnd(listener: () => void): void {
    this.#endListeners.push(listener);
  }

  /** From now on sessions are those of all servers that share them; those that began before count no more. */
  share(shared: SharedSessions): void {
    this.#shared = shared;
    void shared.sweep((session) => this.#isOld(this.#entryOf(session)));
  }

  /** Asks whether a session is one elsewhere, or has ended there. Rejects with NvrdError TOO_MANY_REQUESTS, or NOT_AVAILABLE. */
  async refresh(key: string): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined || shared.isFresh(key)) return;
    const read = await shared.read(key);
    const known = this.#entries.get(key);
    if (read === "unknown") {
      if (known === undefined)
        throw new NvrdError("NOT_AVAILABLE", "whether somebody is logged in is not known now", {
          hint: "look at the settings hubStore…, and whether the storage answers",
        });
      shared.trust(key);
    } else if (read === "none") {
      if (known !== undefined) this.#leave([known]);
    } else this.#adopt(read, known);
  }

  /** Another server says that a session has ended, or is another one now. Never rejects. */
  async changedElsewhere(key: string): Promise<void> {
    if (!this.#entries.has(key)) return;
    this.#shared?.forget(key);
    // Where that is not known now, it is asked for when it is used.
    await this.refresh(key).catch(() => undefined);
  }

  /** Begins a session; returns the cookie's value, which is kept nowhere. */
  begin({ principal, address, userAgent }: SessionStart): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const { user, directoryUser } = principal;
    this.#endOld();
    this.#makeRoom(user.id);
    const { clock } = this.#options;
    const key = hashOf(token);
    const entry: Entry = {
      id: newGuid(),
      key,
      userId: user.id,
      userName: user.name,
      secretMarks: [
        directoryUser === undefined ? markOf(user.secret) : this.#directoryMark(directoryUser),
      ].flatMap((mark) => mark ?? []),
      directoryUser: directoryUser ?? null,
      address,
      userAgent: cleaned(userAgent),
      sinceUs: clock.nowUs(),
      beganUs: clock.monotonicUs(),
      usedUs: clock.monotonicUs(),
    };
    this.#entries.set(key, entry);
    void this.#shared?.keep(this.#sharedOf(entry));
    this.#changed();
    return token;
  }

  /** The user of a session, which is used now; undefined if there is no such session, or it has to be refreshed first. */
  use(key: string, address: string): Principal | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#shared?.isFresh(key) === false) return undefined;
    const principal = this.#isOld(entry) ? undefined : this.#principalOf(entry);
    if (principal === undefined) {
      this.#end([entry]);
      return undefined;
    }
    this.#shared?.used(key);
    const nowUs = this.#options.clock.monotonicUs();
    entry.usedUs = nowUs;
    entry.address = address;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (nowUs - this.#keptAtUs > LAST_USE_PERIOD_MS * US_PER_MS) this.#changed();
    return principal;
  }

  /** The session stored under `key`; not a use of it. */
  find(key: string): Session | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : this.#shown(entry);
  }

  /** All sessions, the one used last first. */
  list(): readonly Session[] {
    this.#endOld();
    return [...this.#entries.values()].reverse().map((entry) => this.#shown(entry));
  }

  /** Ends those whose user is nobody any more. */
  endOver(): void {
    this.#endOld();
  }

  /** Ends a session by its id. */
  end(id: Guid): void {
    this.#end([...this.#entries.values()].filter((entry) => entry.id === id));
  }

  /**
   * Runs `change`, which gives a user another secret, and lets the session under `key` live on with it; all others of the user
   * end. Rejects as `change` does, and then nothing ends.
   */
  async keepWhile(
    key: string | undefined,
    user: { readonly id: Guid; readonly secret: string },
    change: () => Promise<void>,
  ): Promise<void> {
    const entry = key === undefined ? undefined : this.#entries.get(key);
    const before = entry?.secretMarks ?? [];
    if (entry !== undefined) entry.secretMarks = [...before, markOf(user.secret)];
    try {
      await change();
    } catch (error) {
      if (entry !== undefined) entry.secretMarks = before;
      throw error;
    }
    if (entry !== undefined) {
      entry.secretMarks = [markOf(user.secret)];
      void this.#shared?.keep(this.#sharedOf(entry));
    }
    this.#end([...this.#entries.values()].filter((one) => one.userId === user.id && one !== entry));
    this.#changed();
  }

  /** Resolves when the sessions are in their file, so that a crash ends none of them; after `ms` at the latest. */
  async kept(ms: number): Promise<void> {
    const written = Promise.all([this.#file?.written(), this.#shared?.written()]);
    await endsWithin(written, { clock: this.#options.clock, ms });
  }

  /** Writes the file a last time. */
  async stop(): Promise<void> {
    await this.#shared?.written();
    await this.#file?.stop();
  }

  #restore(kept: KeptSession, nowUs: number): void {
    const { ageUs, idleUs, secretMark, lastUsedUs, ...rest } = kept;
    const monotonicUs = this.#options.clock.monotonicUs();
    this.#entries.set(kept.key, {
      ...rest,
      secretMarks: secretMark === null ? [] : [secretMark],
      beganUs: monotonicUs - Math.max(ageUs, nowUs - kept.sinceUs),
      usedUs: monotonicUs - Math.max(idleUs, nowUs - lastUsedUs),
    });
  }

  /** What another server has of a session is so here too, if it is one of a user here. */
  #adopt(session: SharedSession, known: Entry | undefined): void {
    const entry = this.#entryOf(session);
    if (known !== undefined) entry.usedUs = Math.max(known.usedUs, entry.usedUs);
    if (this.#principalOf(entry) === undefined) {
      if (known !== undefined) this.#leave([known]);
      return;
    }
    if (known === undefined) this.#makeRoom(entry.userId);
    this.#entries.set(session.key, entry);
    if (known === undefined) this.#changed();
  }

  #entryOf({ secretMark, lastUsedUs, ...rest }: SharedSession): Entry {
    const { clock } = this.#options;
    const [nowUs, monotonicUs] = [clock.nowUs(), clock.monotonicUs()];
    return {
      ...rest,
      secretMarks: secretMark === null ? [] : [secretMark],
      beganUs: monotonicUs - Math.max(0, nowUs - rest.sinceUs),
      usedUs: monotonicUs - Math.max(0, nowUs - lastUsedUs),
    };
  }

  #sharedOf(entry: Entry): SharedSession {
    const { beganUs: _began, usedUs: _used, secretMarks, ...rest } = entry;
    return { ...rest, secretMark: secretMarks.at(-1) ?? null, lastUsedUs: this.#lastUsedUs(entry) };
  }

  #kept(): readonly KeptSession[] {
    const monotonicUs = this.#options.clock.monotonicUs();
    const entries = [...this.#entries.values()].filter(({ directoryUser }) => isKept(directoryUser));
    return entries.map((entry) => {
      const { beganUs, usedUs, secretMarks, ...rest } = entry;
      const times = { ageUs: monotonicUs - beganUs, idleUs: monotonicUs - usedUs };
      return {
        ...rest,
        secretMark: secretMarks.at(-1) ?? null,
        lastUsedUs: this.#lastUsedUs(entry),
        ...times,
      };
    });
  }

  #shown(entry: Entry): Session {
    const { id, userId, address, userAgent, sinceUs } = entry;
    const userName = this.#principalOf(entry)?.user.name ?? entry.userName;
    return { id, userId, userName, address, userAgent, sinceUs, lastUsedUs: this.#lastUsedUs(entry) };
  }

  #lastUsedUs({ usedUs }: Entry): number {
    const { clock } = this.#options;
    return clock.nowUs() - (clock.monotonicUs() - usedUs);
  }

  /** Undefined: the user is gone, has another password, or is in no group any more. */
  #principalOf(entry: Entry): Principal | undefined {
    const principals = this.#currentPrincipals();
    if (entry.directoryUser !== null) {
      const mark = this.#directoryMark(entry.directoryUser);
      if (mark === undefined || !entry.secretMarks.includes(mark)) return undefined;
      return principals.directoryPrincipal(entry.userName, entry.directoryUser);
    }
    const user = principals.userById(entry.userId);
    if (user === undefined || !entry.secretMarks.includes(this.#markOf(user))) return undefined;
    return principals.principal(user);
  }

  #directoryMark(user: DirectoryUser): string | undefined {
    const { directoryMark } = this.#options;
    return directoryMark === undefined ? markOf(null) : directoryMark(user);
  }

  /** Remembered for each user of a revision, because it is asked for with each request. */
  #markOf(user: User): string {
    let mark = this.#marks.get(user);
    if (mark === undefined) {
      mark = markOf(user.secret);
      this.#marks.set(user, mark);
    }
    return mark;
  }

  #currentPrincipals(): SitePrincipals {
    const { current } = this.#options.site;
    if (this.#principals?.site !== current) this.#principals = new SitePrincipals(current);
    return this.#principals;
  }

  #isOld({ beganUs, usedUs, directoryUser }: Entry): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    const ageMsMax = directoryUser === null ? SESSION_AGE_MS_MAX : DIRECTORY_SESSION_AGE_MS_MAX;
    return nowUs - beganUs >= ageMsMax * US_PER_MS || nowUs - usedUs >= SESSION_UNUSED_MS_MAX * US_PER_MS;
  }

  #endOld(): void {
    const over = [...this.#entries.values()].filter(
      (entry) => this.#isOld(entry) || this.#principalOf(entry) === undefined,
    );
    // One that nobody uses here may be used elsewhere.
    const idle = this.#shared === undefined ? [] : over.filter((entry) => this.#isIdleAlone(entry));
    this.#leave(idle);
    this.#end(over.filter((entry) => !idle.includes(entry)));
  }

  #isIdleAlone(entry: Entry): boolean {
    return (
      !this.#isOld({ ...entry, usedUs: this.#options.clock.monotonicUs() }) &&
      this.#principalOf(entry) !== undefined
    );
  }

  /** For one more session of the user. */
  #makeRoom(userId: Guid): void {
    const all = [...this.#entries.values()];
    const own = all.filter((entry) => entry.userId === userId);
    const tooMany = own.slice(0, Math.max(0, own.length - SESSIONS_PER_USER_MAX + 1));
    const isFull = tooMany.length === 0 && all.length >= SESSIONS_MAX;
    // Another server may have room for it.
    if (isFull && this.#shared !== undefined) this.#leave(all.slice(0, 1));
    else this.#end(isFull ? all.slice(0, 1) : tooMany);
  }

  /** Ends sessions, at all servers that share them. */
  #end(entries: readonly Entry[]): void {
    for (const { key } of entries) this.#shared?.end(key);
    this.#leave(entries);
  }

  /** They are known here no more. */
  #leave(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    for (const { key } of entries) {
      this.#entries.delete(key);
      this.#shared?.forget(key);
    }
    this.#changed();
    for (const listener of this.#endListeners) listener();
  }

  #changed(): void {
    this.#keptAtUs = this.#options.clock.monotonicUs();
    this.#file?.writeSoon();
  }
}

function hashOf(token: string): string {
  return hash("sha256", token, "base64url");
}

/** A digest that shows whether a secret is still the same. */
function markOf(secret: string | null): string {
  return hash("sha256", `secret ${secret ?? ""}`, "base64url");
}

function isKept(directoryUser: KeptSession["directoryUser"]): boolean {
  const { dn = "", groups = [] } = directoryUser ?? {};
  return groups.reduce((length, name) => length + name.length, dn.length) <= KEPT_GROUPS_LENGTH_MAX;
}

function cleaned(userAgent: string): string {
  return userAgent.replace(/\p{Cc}/gu, "?").slice(0, USER_AGENT_LENGTH_MAX);
}
