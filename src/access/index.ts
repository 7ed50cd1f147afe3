/**
 * access: who may do what: credentials, rights, lock-out.
 *
 * Belongs here: checking a login, remembering verified ones, limiting attempts, answering "may this user".
 * Does not belong here: where credentials stand in a request (`api`), how users are kept (`site`).
 */
export * from "./types.js";
