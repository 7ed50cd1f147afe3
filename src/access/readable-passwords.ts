import { rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";

import { type Clock, errorText, type Log } from "../base/index.js";
import { PASSWORD_LENGTH_MAX } from "../contract/index.js";
import { KeptFile, keptKind } from "../kept/index.js";

import type { SiteStore, User } from "../site/index.js";
import { onNewPassword } from "./password-secret.js";
import { RecentMap } from "./recent-map.js";

/** Nobody but the service reads it. */
const FILE_MODE = 0o600;
/** A new password is in the configuration soon after it was hashed; both are written together. */
const WRITE_DELAY_MS = 200;
/** Passwords that were hashed and are in no configuration yet: changes that were refused leave theirs here. */
const FRESH_MAX = 64;

const KEPT = v.object({
  Passwords: v.array(
    v.object({
      Secret: v.pipe(v.string(), v.maxLength(512)),
      Password: v.pipe(v.string(), v.maxLength(PASSWORD_LENGTH_MAX)),
    }),
  ),
});

export const READABLE_PASSWORDS_KIND = keptKind({
  name: "onvif-passwords.json",
  says: "the passwords of users who may log in by digest",
  policy: "forget",
  damaged: "passwords for ONVIF cannot be read: users log in once with their password",
  unsaved: "passwords for ONVIF cannot be written: a restart forgets them",
  severity: "warn",
  versionMember: "Version",
  schema: KEPT,
  mode: FILE_MODE,
  delayMs: WRITE_DELAY_MS,
});

/** The name that stands for every user of the configuration. */
export const EVERY_USER = "*";

export interface ReadablePasswordsOptions {
  /** Names of the users whose password is kept, now. */
  readonly users: () => readonly string[];
  readonly dataDir: string;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes what was kept while users were named: nobody is any more. */
export async function forgetReadablePasswords(dataDir: string, log: Log): Promise<void> {
  const file = path.join(dataDir, READABLE_PASSWORDS_KIND.options.name);
  try {
    await rm(file, { force: true });
  } catch (error) {
    log.warn({ file, reason: errorText(error) }, "passwords for ONVIF cannot be removed: delete the file");
  }
}

/**
 * The passwords, as they are, of the users whom the owner named for it. A login by digest proves that the client knows the
 * password without sending it, so whoever checks it must know the password, too; the hash in the configuration is of no
 * use there. A password is learned when it is set, and when somebody logs in with it. It belongs to the hash of that
 * moment: with another password the user has another hash, and this one is forgotten.
 */
export class ReadablePasswords {
  readonly #options: ReadablePasswordsOptions;
  /** By the hash in the configuration. */
  readonly #kept = new Map<string, string>();
  readonly #fresh = new RecentMap<string, string>(FRESH_MAX);
  readonly #file: KeptFile<typeof KEPT>;
  readonly #stopListening: () => void;

  constructor(options: ReadablePasswordsOptions) {
    this.#options = options;
    const { dataDir: directory, site, clock, log } = options;
    const content = () => ({
      Passwords: [...this.#kept].map(([Secret, Password]) => ({ Secret, Password })),
    });
    this.#file = new KeptFile(READABLE_PASSWORDS_KIND, { directory, clock, log, content });
    this.#stopListening = onNewPassword((secret, password) => this.#fresh.set(secret, password));
    site.onChange("onvif-passwords", () => this.#follow());
  }

  /** Reads what was kept before; the configuration must be open. */
  start(): void {
    for (const { Secret, Password } of this.#file.read()?.Passwords ?? []) this.#kept.set(Secret, Password);
    this.#follow();
  }

  /** Resolves when all is in the file. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#file.flush();
  }

  /** Whether this user may log in by digest. */
  isFor(userName: string): boolean {
    const users = this.#options.users();
    return users.includes(EVERY_USER) || users.includes(userName);
  }

  /** Undefined: it is not known. */
  of(user: User): string | undefined {
    return user.secret === null || !this.isFor(user.name) ? undefined : this.#kept.get(user.secret);
  }

  /** Somebody logged in with it. */
  learn(user: User, password: string): void {
    if (user.secret === null || !this.isFor(user.name) || this.#kept.has(user.secret)) return;
    if (password.length > PASSWORD_LENGTH_MAX) return;
    this.#kept.set(user.secret, password);
    this.#file.changed();
  }

  /** Keeps the new passwords of these users, and forgets those that no user has any more. */
  #follow(): void {
    const secrets = new Set<string>();
    let changed = false;
    for (const { name, secret } of this.#options.site.current.users) {
      if (secret === null || !this.isFor(name)) continue;
      secrets.add(secret);
      const fresh = this.#fresh.get(secret);
      if (fresh === undefined) continue;
      this.#fresh.delete(secret);
      this.#kept.set(secret, fresh);
      changed = true;
    }
    for (const secret of this.#kept.keys()) {
      if (secrets.has(secret)) continue;
      this.#kept.delete(secret);
      changed = true;
    }
    if (changed) this.#file.changed();
  }
}
