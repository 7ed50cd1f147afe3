/** A user whom the directory knows and whose password it found right. */
export interface DirectoryUser {
  /** Distinguished name (RFC 4514) of the user's entry. */
  readonly dn: string;
  /** Distinguished names of the groups the entry is a member of, as the directory spells them. */
  readonly groups: readonly string[];
}

/** A directory of users: LDAP, or what a test puts in its place. */
export interface Directory {
  /**
   * Asks the directory. Undefined: no such user, or not this password; the caller cannot tell which. Rejects with
   * NvrdError NOT_AVAILABLE when the directory does not answer in time or cannot be used as configured. Both are
   * not empty.
   */
  authenticate(login: string, password: string): Promise<DirectoryUser | undefined>;
}
