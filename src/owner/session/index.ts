/**
 * owner/session: the login by a form, and by a provider.
 *
 * Belongs here: logging in and out, who is logged in, the sessions, a password of one's own.
 * Does not belong here: the sessions themselves (`access`), the cookie in a request (`route`).
 */
import type { Route } from "../../route/index.js";
import { LOGOUT_ROUTE } from "./delete-session.js";
import { WHO_ROUTE } from "./get-session.js";
import { LOGIN_ROUTE } from "./post-session.js";
import { SESSION_PASSWORD_ROUTE } from "./post-session-password.js";
import type { SessionNeeds } from "./session-state.js";
import { SESSIONS_ROUTES } from "./sessions.js";
import { SINGLE_SIGN_ON_ROUTES } from "./single-sign-on.js";

export { giveOwnPassword, knownWords, newPassword, requireStrong } from "./own-password.js";
export type { OidcControl, SessionNeeds } from "./session-state.js";

export const SESSION_ROUTES: readonly Route<SessionNeeds>[] = [
  LOGIN_ROUTE,
  WHO_ROUTE,
  LOGOUT_ROUTE,
  SESSION_PASSWORD_ROUTE,
  ...SESSIONS_ROUTES,
  ...SINGLE_SIGN_ON_ROUTES,
];
