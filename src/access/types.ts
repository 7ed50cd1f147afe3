import type { Guid } from "../base/index.js";
import type { HubCeiling, hubUser, ValueOf } from "../contract/index.js";
import type { User, UserGroup } from "../site/index.js";
import type { DirectoryUser } from "./ldap/directory.js";

/** How a request says who sends it. */
export type Credentials = LoginCredentials | SessionCredentials | HubCredentials;

/** Credentials as received, from the query, from HTTP Basic or from the form. */
export interface LoginCredentials {
  readonly login: string;
  /**
   * Internal users: the MD5 of the password in hexadecimal, either case. Directory users: the password itself.
   * Undefined: none was sent.
   */
  readonly password: string | undefined;
  /** Internal users: `password` may also be the password itself, as HTTP Basic carries it. */
  readonly isPlainOrMd5?: boolean;
  /**
   * Without a user type: the password in case this is a directory user (plain in HTTP Basic, Base64 in the query). Undefined if
   * it cannot be one.
   */
  readonly directoryPassword?: string | undefined;
  readonly userType: "internal" | "ActiveDirectory" | undefined;
  /** The client's address, with IPv4-mapped IPv6 converted to IPv4; attempts are limited by it. */
  readonly address: string;
}

/** A session's cookie in place of login and password. */
export interface SessionCredentials {
  /** What the session is stored under; see `sessionKey`. Never the cookie's value. */
  readonly session: string;
  /** As in `LoginCredentials`. */
  readonly address: string;
}

/** A user of a hub, whom the hub has vouched for. */
export type HubUser = ValueOf<typeof hubUser>;

/** The hub that this recorder belongs to, and how far its owner lets it go. */
export interface HubAdmission {
  readonly hub: string;
  readonly ceiling: HubCeiling;
  /** Whether the hub's administrators may update the system, whatever the ceiling is. */
  readonly mayUpdate: boolean;
}

/** A user of the hub that this recorder belongs to. The hub's signature was checked before. */
export interface HubCredentials {
  readonly hub: HubUser;
  /** Where the user is, as the hub says; nothing is limited by it. */
  readonly address: string;
}

/** A login whose client shows that it knows the password, and does not send it: a digest. */
export interface PasswordProof {
  readonly login: string;
  /** As in `LoginCredentials`. */
  readonly address: string;
  /** Whether it was made with this password. */
  proves(password: string): boolean;
}

/** The authenticated user. Valid for one revision of the configuration. */
export interface Principal {
  readonly user: User;
  readonly group: UserGroup;
  /** Whom the directory has accepted; absent for the users of the configuration. */
  readonly directoryUser?: DirectoryUser;
  /** A user of the hub that this recorder belongs to; absent for all others. */
  readonly isOfHub?: true;
  /** Of a hub that may look and no more; false when absent. */
  readonly mayOnlyLook?: boolean;
  /** May update the system, though no administrator here; false when absent. */
  readonly mayUpdate?: boolean;
  mayWatchRealtime(channelId: Guid): boolean;
  mayWatchArchive(channelId: Guid): boolean;
  /** May see that the channel exists: realtime or archive. */
  maySee(channelId: Guid): boolean;
}

/** Checks credentials. */
export interface Access {
  /**
   * The principal of credentials that were verified before and are still valid: takes microseconds, without scrypt. Undefined:
   * call `verify`.
   */
  recall(credentials: Credentials): Principal | undefined;
  /**
   * Rejects with NvrdError UNAUTHORIZED (the same for unknown user and wrong password), TOO_MANY_REQUESTS, or, only for
   * directory users, NOT_AVAILABLE.
   */
  verify(credentials: Credentials): Promise<Principal>;
  /** Whether somebody has logged in from this address, over HTTP, RTSP or ONVIF. */
  knowsAddress(address: string): boolean;
}
