import type { Guid } from "../base/index.js";
import type { User, UserGroup } from "../site/index.js";

/** Credentials as they came, from the query or from HTTP Basic. */
export interface Credentials {
  readonly login: string;
  /**
   * Internal users: the MD5 of the password in hexadecimal, either case. Directory users: the password itself.
   * Undefined: none was sent.
   */
  readonly password: string | undefined;
  /** Internal users: `password` may also be the password itself, as HTTP Basic carries it. */
  readonly isPlainOrMd5?: boolean;
  /**
   * When no user type was sent: what the password is if this is a directory user (HTTP Basic carries it plain, the
   * query in Base64). Undefined when it cannot be one.
   */
  readonly directoryPassword?: string | undefined;
  readonly userType: "internal" | "ActiveDirectory" | undefined;
  /** The client's address, mapped IPv6 already made IPv4: attempts are limited by it. */
  readonly address: string;
}

/** The authenticated user. Valid for one revision of the configuration. */
export interface Principal {
  readonly user: User;
  readonly group: UserGroup;
  mayWatchRealtime(channelId: Guid): boolean;
  mayWatchArchive(channelId: Guid): boolean;
  /** May see that the channel exists: realtime or archive. */
  maySee(channelId: Guid): boolean;
}

/** Checks credentials. */
export interface Access {
  /**
   * The principal of credentials that were verified before and still hold: microseconds, no hashing. Undefined:
   * call `verify`.
   */
  recall(credentials: Credentials): Principal | undefined;
  /**
   * Rejects with NvrdError UNAUTHORIZED (the same for unknown user and wrong password), TOO_MANY_REQUESTS, or, for
   * directory users alone, NOT_AVAILABLE.
   */
  verify(credentials: Credentials): Promise<Principal>;
}
