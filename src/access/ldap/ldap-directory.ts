import { type Clock, errorText, type Log, NvrdError, readPlain } from "../../base/index.js";
import type { Directory, DirectoryUser } from "./directory.js";
import { DirectoryFailure } from "./directory-problem.js";
import { LdapConnection, type LdapEntry } from "./ldap-connection.js";
import { ldapLibrary } from "./ldap-library.js";
import { escapeDnValue, escapeFilterValue, fillTemplate, type LoginNames, loginNames } from "./ldap-names.js";

export interface LdapSettings {
  /** `ldap://host[:port]` or `ldaps://host[:port]`. */
  readonly url: string;
  /** For `ldap://`: StartTLS before anything else. */
  readonly startTls: boolean;
  /** PEM file of the accepted issuer certificates. */
  readonly caFile?: string;
  /** The same as text; it counts before the file. */
  readonly ca?: string;
  /** The entry below which users and groups are searched. */
  readonly baseDn: string;
  /** The name to bind with, with `{login}`, `{user}`, `{domain}`. Not used with a service account. */
  readonly bindDnTemplate: string;
  /** An account that may search for users. */
  readonly service?: LdapService;
  /** Finds a user's entry; `{login}`, `{user}`, `{domain}`. */
  readonly userFilter: string;
  /** The attribute of a user's entry that names its groups. */
  readonly groupAttribute: string;
  /** Finds the groups of a user if no attribute names them; `{dn}`, `{login}`, `{user}`. */
  readonly groupFilter?: string;
  /** Timeout of one login. */
  readonly timeoutMs: number;
}

/** An account, and its password or the file that holds it. */
export type LdapService =
  | { readonly dn: string; readonly passwordFile: string }
  | { readonly dn: string; readonly password: string };

export interface LdapDirectoryOptions {
  readonly settings: LdapSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum number of groups read per user. */
const GROUPS_MAX = 1024;
/** Two are enough to detect that a filter matches more than one user. */
const USERS_LOOKED_FOR_MAX = 2;
const FILE_BYTES_MAX = 1024 * 1024;
/** The filter of a search for a single known entry. */
const ANY_ENTRY = "(objectClass=*)";
/** Used for a bind if the user was not found, so that the number of requests is the same as for an existing user. */
const NOBODY = "cn=nobody-by-this-name";

/**
 * Authenticates directory users by a bind: the directory checks the password. Each login uses a new connection, and files are
 * read again, so that a new certificate or password needs no restart.
 */
export class LdapDirectory implements Directory {
  readonly #options: LdapDirectoryOptions;

  constructor(options: LdapDirectoryOptions) {
    this.#options = options;
    const { url, startTls } = options.settings;
    // Loaded now, so that the first login does not wait for it.
    ldapLibrary();
    if (url.startsWith("ldap:") && !startTls)
      options.log.warn({ url }, "passwords of directory users are sent to the directory unencrypted");
  }

  /** See Directory. */
  async authenticate(login: string, password: string): Promise<DirectoryUser | undefined> {
    const { service } = this.#options.settings;
    const names = loginNames(login);
    return await this.#ask(async (connection) =>
      service === undefined
        ? await this.#asUser(connection, names, password)
        : await this.#asService(connection, names, password, service),
    );
  }

  /** See Directory. Without a service account nobody may look but users. */
  async hasBase(): Promise<boolean> {
    const { service, baseDn } = this.#options.settings;
    if (service === undefined) return true;
    return await this.#ask(async (connection) => {
      await this.#bindService(connection, service);
      return (await this.#entryAt(connection, baseDn)) !== undefined;
    });
  }

  /** Runs `work` over a new connection. Rejects with NvrdError NOT_AVAILABLE. */
  async #ask<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const { settings, clock, log } = this.#options;
    try {
      const ca = await authorityOf(settings);
      const { url, startTls, timeoutMs } = settings;
      const connection = new LdapConnection({ url, startTls, timeoutMs, clock, ...ca });
      try {
        await connection.open();
        return await work(connection);
      } finally {
        connection.close();
      }
    } catch (error) {
      log.warn({ url: settings.url, reason: errorText(error) }, "the request to the directory failed");
      // Details are only logged: the client may be anybody.
      throw new NvrdError("NOT_AVAILABLE", "the directory of users is not available at the moment", {
        cause: error,
      });
    }
  }

  /** Binds with the user's name, then reads the user's own entry. */
  async #asUser(
    connection: LdapConnection,
    names: LoginNames,
    password: string,
  ): Promise<DirectoryUser | undefined> {
    const { bindDnTemplate } = this.#options.settings;
    const isDn = bindDnTemplate.includes("=");
    const name = fillTemplate(bindDnTemplate, { ...names }, isDn ? escapeDnValue : (value) => value);
    if (!(await connection.bind(name, password))) return undefined;
    const entry = isDn ? await this.#entryAt(connection, name) : await this.#findUser(connection, names);
    if (entry === undefined) {
      this.#options.log.warn({ login: names.login }, "directory user cannot read its own entry: refused");
      return undefined;
    }
    return { dn: entry.dn, groups: await this.#groupsOf(connection, entry, names) };
  }

  /** Searches the user with the service account, then binds as the entry found. */
  async #asService(
    connection: LdapConnection,
    names: LoginNames,
    password: string,
    service: LdapService,
  ): Promise<DirectoryUser | undefined> {
    await this.#bindService(connection, service);
    const found = await this.#findUser(connection, names);
    const entry = found ?? nobody(this.#options.settings.baseDn);
    const groups = await this.#groupsOf(connection, entry, names);
    const bound = await connection.bind(entry.dn, password);
    return bound && found !== undefined ? { dn: entry.dn, groups } : undefined;
  }

  async #bindService(connection: LdapConnection, service: LdapService): Promise<void> {
    const { dn } = service;
    const password =
      "password" in service
        ? service.password
        : (await readBounded(service.passwordFile)).replace(/\r?\n$/, "");
    if (await connection.bind(dn, password)) return;
    throw new DirectoryFailure("ServiceRefused", `the directory refuses the service account ${dn}`);
  }

  async #entryAt(connection: LdapConnection, dn: string): Promise<LdapEntry | undefined> {
    const attributes = [this.#options.settings.groupAttribute];
    const [entry] = await connection.search(dn, {
      scope: "base",
      filter: ANY_ENTRY,
      attributes,
      entriesMax: 1,
    });
    return entry;
  }

  async #findUser(connection: LdapConnection, names: LoginNames): Promise<LdapEntry | undefined> {
    const { baseDn, userFilter, groupAttribute } = this.#options.settings;
    const filter = fillTemplate(userFilter, { ...names }, escapeFilterValue);
    const entries = await connection.search(baseDn, {
      scope: "sub",
      filter,
      attributes: [groupAttribute],
      entriesMax: USERS_LOOKED_FOR_MAX,
    });
    if (entries.length > 1) {
      this.#options.log.warn({ login: names.login }, "ldapUserFilter matches more than one user: refused");
      return undefined;
    }
    return entries[0];
  }

  async #groupsOf(connection: LdapConnection, entry: LdapEntry, names: LoginNames): Promise<string[]> {
    const { baseDn, groupAttribute, groupFilter } = this.#options.settings;
    const named = entry.values(groupAttribute);
    if (groupFilter === undefined) return named.slice(0, GROUPS_MAX);
    const filter = fillTemplate(groupFilter, { ...names, dn: entry.dn }, escapeFilterValue);
    const found = await connection.search(baseDn, {
      scope: "sub",
      filter,
      attributes: ["1.1"],
      entriesMax: GROUPS_MAX,
    });
    return [...named, ...found.map(({ dn }) => dn)].slice(0, GROUPS_MAX);
  }
}

function nobody(baseDn: string): LdapEntry {
  return { dn: `${NOBODY},${baseDn}`, values: () => [] };
}

async function authorityOf({ ca, caFile }: LdapSettings): Promise<{ readonly ca?: string }> {
  if (ca !== undefined) return { ca };
  return caFile === undefined ? {} : { ca: await readBounded(caFile) };
}

async function readBounded(file: string): Promise<string> {
  const bytes = await readPlain(file, FILE_BYTES_MAX).catch((error: unknown) => {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error });
  });
  return bytes.toString("utf8");
}
