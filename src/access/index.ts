/**
 * access: authentication and authorisation: credentials, sessions, directory users, rights, lock-out, audit of logins.
 *
 * Belongs here: checking a login, asking a directory, caching verified logins, sessions, limiting attempts, checking rights,
 * reporting logins.
 * Does not belong here: where credentials are in a request (`route`), how users are stored (`site`).
 *
 * Parts: `ldap/`: a directory of users and the questions to it; `oidc/`: a provider that vouches for users.
 */
export { addressKey } from "./attempt-limiter.js";
export { ChosenDirectory, type DirectorySource, ldapOf } from "./chosen-directory.js";
export { tryDirectory } from "./directory-trial.js";
export { FailureTable } from "./failure-table.js";
export { hasRight, isAllForbidden, isOfConfiguration, maySeeFleet } from "./group-rights.js";
export type { Directory, DirectoryUser } from "./ldap/directory.js";
export { isLdapFilter } from "./ldap/ldap-connection.js";
export { LdapDirectory, type LdapSettings } from "./ldap/ldap-directory.js";
export type { AuditEntry } from "./login-audit.js";
export { isObviousPassword } from "./obvious-password.js";
export { OIDC_TICKET_SECONDS, OidcLogins } from "./oidc/oidc-logins.js";
export type { OidcSettings } from "./oidc/oidc-provider.js";
export { PasswordJudge } from "./password-judge.js";
export {
  hashNewPassword,
  hashPassword,
  isMd5,
  matchesSecret,
  md5OfPassword,
} from "./password-secret.js";
export { passwordStrength } from "./password-strength.js";
export { EVERY_USER, forgetReadablePasswords, ReadablePasswords } from "./readable-passwords.js";
export {
  ensureRootPassword,
  type NewRootPassword,
  ROOT_PASSWORD_FILE,
  type RootPassword,
  resetRootPassword,
  rootPasswordNotice,
  StalePasswordFile,
} from "./root-password.js";
export { type Session, Sessions, sessionKey, sessionLifeMs } from "./sessions.js";
export { type SessionDocuments, SharedSessions } from "./shared-sessions.js";
export { SiteAccess, sessionEnded } from "./site-access.js";
export { SitePrincipals } from "./site-principals.js";
export type {
  Access,
  Credentials,
  HubAdmission,
  HubCredentials,
  HubUser,
  LoginCredentials,
  PasswordProof,
  Principal,
  SessionCredentials,
} from "./types.js";
