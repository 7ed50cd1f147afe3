/** A user whose password the directory has accepted, or whom a provider of OpenID Connect vouches for. */
export interface DirectoryUser {
  /** Distinguished name (RFC 4514) of the user's entry; of a provider's user another name that is nobody else's. */
  readonly dn: string;
  /** Distinguished names of the entry's groups, as spelled by the directory; of a provider's user their names. */
  readonly groups: readonly string[];
  /** Absent: a directory. */
  readonly provider?: "oidc" | undefined;
}

/** A directory of users: LDAP, or a substitute in tests. */
export interface Directory {
  /**
   * Asks the directory. Undefined: no such user or wrong password; the caller cannot distinguish them. Rejects with NvrdError
   * NOT_AVAILABLE if the directory does not answer in time or cannot be used as configured. Both arguments must not be empty.
   */
  authenticate(login: string, password: string): Promise<DirectoryUser | undefined>;
  /**
   * Whether the entry exists below which users are searched, as far as the recorder can tell without a user. Rejects as
   * `authenticate`. Where it is absent, nothing is known.
   */
  hasBase?(): Promise<boolean>;
}
