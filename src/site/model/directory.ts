/** A directory of users (LDAP) in the configuration; the room `access` asks it. */
export interface DirectorySettings {
  /** False: there are no directory users, whatever the settings file says. */
  readonly isEnabled: boolean;
  /** `ldap://host[:port]` or `ldaps://host[:port]`. */
  readonly url: string;
  /** For `ldap://`: StartTLS before anything else; else passwords go unencrypted. */
  readonly startTls: boolean;
  /** Certificates (PEM) of the only authorities that are trusted; empty: the usual ones. */
  readonly authority: string;
  /** The entry below which users and groups are searched. */
  readonly baseDn: string;
  /** The name to bind a user with, with `{login}`, `{user}`, `{domain}`; not used with a service account. */
  readonly bindDnTemplate: string;
  /** An account that may search for users; empty: none. */
  readonly serviceDn: string;
  /** Write-only for the API. */
  readonly servicePassword: string;
  /** Finds a user's entry. */
  readonly userFilter: string;
  /** The attribute of a user's entry that names its groups. */
  readonly groupAttribute: string;
  /** Finds the groups of a user that no attribute names; empty: none. */
  readonly groupFilter: string;
  /** Of one login. */
  readonly timeoutMs: number;
}
