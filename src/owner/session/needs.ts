import type { Access, PasswordJudge, Principal, Sessions } from "../../access/index.js";
import type { Clock, Language } from "../../base/index.js";
import type { SessionCookie } from "../../route/index.js";
import type { SiteStore, User } from "../../site/index.js";

/** The provider of logins. */
export interface OidcControl {
  /** What the button says. */
  readonly label: string;
  /** Where a browser goes, and what it keeps until it is back. Rejects with NvrdError NOT_AVAILABLE. */
  begin(): Promise<{ readonly url: string; readonly ticket: string }>;
  /** Who is back. Rejects with NvrdError UNAUTHORIZED or NOT_AVAILABLE. */
  finish(asked: {
    readonly ticket: string | undefined;
    readonly query: string;
    readonly address: string;
  }): Promise<Principal>;
}

/** What the routes of this topic work with. */
export interface SessionNeeds {
  readonly site: SiteStore;
  readonly access: Access;
  readonly sessions: Sessions;
  readonly sessionCookie: SessionCookie;
  /** Whether the user must choose another password before anything else. */
  readonly mustChangePassword: (user: User) => boolean;
  readonly passwordJudge: PasswordJudge;
  /** The recorders of this hub; undefined: it is none. */
  readonly boxes: () => object | undefined;
  /** Undefined: there is no provider of logins. */
  readonly oidc: () => OidcControl | undefined;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
  readonly language: Language;
}
