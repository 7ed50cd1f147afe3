import * as v from "valibot";
import { type Clock, type Log, US_PER_MS } from "../base/index.js";
import { KeptFile, keptKind } from "../kept/index.js";
import type { DirectoryUser } from "./ldap/directory.js";

/** Of sessions and users: nobody but the service reads it. */
const FILE_MODE = 0o600;
/** So many changes are written at once; further ones one a period, however many there are. */
const WRITES_AT_ONCE_MAX = 8;
const WRITE_PERIOD_MS = 1000;

/** A session as it is kept over a restart. Never the cookie's value, and never a password. */
export interface KeptSession {
  readonly id: string;
  /** The hash of the cookie's value. */
  readonly key: string;
  readonly userId: string;
  readonly userName: string;
  /** Changes with the user's password, or with the directory; null for directory users of former versions. */
  readonly secretMark: string | null;
  readonly directoryUser: DirectoryUser | null;
  readonly address: string;
  readonly userAgent: string;
  /** Unix microseconds, by the clock of that time. */
  readonly sinceUs: number;
  readonly lastUsedUs: number;
  /** At the time of writing; counts where the clock went back meanwhile. */
  readonly ageUs: number;
  readonly idleUs: number;
}

const text = v.string();
const time = v.pipe(v.number(), v.finite());
const age = v.pipe(time, v.minValue(0));
/** Of `KeptSession`. */
export const KEPT_SESSION = v.object({
  id: text,
  key: text,
  userId: text,
  userName: text,
  secretMark: v.nullable(text),
  directoryUser: v.nullable(
    v.object({ dn: text, groups: v.array(text), provider: v.optional(v.literal("oidc")) }),
  ),
  address: text,
  userAgent: text,
  sinceUs: time,
  lastUsedUs: time,
  ageUs: age,
  idleUs: age,
});
const KEPT = v.object({ Sessions: v.array(KEPT_SESSION) });

export const SESSIONS_KIND = keptKind({
  name: "sessions.json",
  says: "who is logged in at the page",
  policy: "forget",
  damaged: "the sessions cannot be read: everybody logs in again",
  unsaved: "the sessions cannot be written: a restart ends them",
  severity: "warn",
  versionMember: "Version",
  schema: KEPT,
  mode: FILE_MODE,
});

export interface SessionFileOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The sessions to write, at the time of writing. */
  readonly sessions: () => readonly KeptSession[];
}

/** The file of sessions in the data directory: a restart logs nobody out. Its loss does. */
export class SessionFile {
  readonly #clock: Clock;
  readonly #file: KeptFile<typeof KEPT>;
  /** Waiting for the next write to be under way. */
  #writeListeners: (() => void)[] = [];
  /** How many may be written at once, as of that time. */
  #credit = WRITES_AT_ONCE_MAX;
  #creditAtUs = 0;

  constructor({ dataDir, clock, log, sessions }: SessionFileOptions) {
    this.#clock = clock;
    this.#file = new KeptFile(SESSIONS_KIND, {
      ...{ directory: dataDir, clock, log },
      content: () => {
        for (const listener of this.#writeListeners.splice(0)) listener();
        return { Sessions: [...sessions()] };
      },
    });
  }

  /** What was kept; nothing where the file is absent or damaged. */
  read(): readonly KeptSession[] {
    return this.#file.read()?.Sessions ?? [];
  }

  /** Writes at once, or after a moment where too much was written lately. */
  writeSoon(): void {
    if (this.#file.isWaiting) return;
    const nowUs = this.#clock.monotonicUs();
    const periods = (nowUs - this.#creditAtUs) / (WRITE_PERIOD_MS * US_PER_MS);
    this.#credit = Math.min(WRITES_AT_ONCE_MAX, this.#credit + periods);
    this.#creditAtUs = nowUs;
    const waitMs = Math.max(0, 1 - this.#credit) * WRITE_PERIOD_MS;
    this.#credit -= 1;
    this.#file.changed(waitMs);
  }

  /** Resolves when what there is now is on the disk, or could not be written. */
  async written(): Promise<void> {
    if (this.#file.isWaiting) await new Promise<void>((resolve) => this.#writeListeners.push(resolve));
    await this.#file.flush();
  }

  /** Writes a last time; resolves when it is on the disk. */
  async stop(): Promise<void> {
    this.#file.changed(0);
    await this.#file.flush();
  }
}
