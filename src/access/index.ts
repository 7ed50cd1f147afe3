/**
 * access: who may do what: credentials, rights, lock-out.
 *
 * Belongs here: checking a login, remembering verified ones, limiting attempts, answering "may this user".
 * Does not belong here: where credentials stand in a request (`api`), how users are kept (`site`).
 */
export { EMPTY_PASSWORD_MD5, hashPassword, isMd5 } from "./password-secret.js";
export * from "./root-password.js";
export * from "./site-access.js";
export * from "./types.js";
