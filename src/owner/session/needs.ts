import type { Access, PasswordJudge, Sessions } from "../../access/index.js";
import type { Clock, Language } from "../../base/index.js";
import type { SessionCookie } from "../../route/index.js";
import type { SiteStore, User } from "../../site/index.js";

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
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
  readonly language: Language;
}
