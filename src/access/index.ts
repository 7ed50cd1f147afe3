/**
 * access: authentication and authorisation: credentials, directory users, rights, lock-out, audit of logins.
 *
 * Belongs here: checking a login, asking a directory, caching verified logins, limiting attempts, checking rights,
 * reporting logins.
 * Does not belong here: where credentials are in a request (`api`), how users are stored (`site`).
 */
export type { Directory, DirectoryUser } from "./directory.js";
export { isLdapFilter } from "./ldap-connection.js";
export { LdapDirectory, type LdapSettings } from "./ldap-directory.js";
export type { AuditEntry, AuditListener, LoginWay } from "./login-audit.js";
export { EMPTY_PASSWORD_MD5, hashPassword, isMd5 } from "./password-secret.js";
export {
  ensureRootPassword,
  ROOT_PASSWORD_FILE,
  type RootPassword,
  rootPasswordNotice,
} from "./root-password.js";
export { SiteAccess } from "./site-access.js";
export type { Access, Credentials, Principal } from "./types.js";
