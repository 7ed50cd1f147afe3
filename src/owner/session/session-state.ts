import {
  type Access,
  type Credentials,
  hasRight,
  isAllForbidden,
  isOfConfiguration,
  maySeeFleet,
  type PasswordJudge,
  type Principal,
  type Sessions,
} from "../../access/index.js";
import { type Clock, formatIsoTime, type Language, localZoneName } from "../../base/index.js";
import type { SessionState } from "../../contract/answer/index.js";
import type { SessionCookie } from "../../route/index.js";
import { GROUP_RIGHTS, ROOT_USER_NAME, type SiteStore, type User } from "../../site/index.js";

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

export const SESSION_STATE_EXAMPLE: SessionState = {
  Login: "root",
  UserId: "22222222-0000-4000-8000-00000000000a",
  IsRoot: true,
  IsAdministrator: true,
  IsDirectoryUser: false,
  MustChangePassword: false,
  CanChangePassword: true,
  Group: "Senior administrators",
  Rights: { CanPTZ: true, CanUseArchiveExport: true },
  SessionId: "22222222-0000-4000-8000-00000000000b",
  Time: "2026-11-21T09:00:00.0000000Z",
  TimeZone: "Europe/Berlin",
  ServerName: "nvrd",
  ServerId: "22222222-0000-4000-8000-00000000000c",
  IsBucket: false,
  IsHub: false,
  Version: "0.1.0",
  Language: "en",
};

/** Who is logged in, and what the page needs to know of the box. */
export function sessionState(
  needs: SessionNeeds,
  principal: Principal,
  sessionId: string | undefined,
): SessionState {
  const { user, group, directoryUser } = principal;
  const { server } = needs.site.current;
  const isDirectoryUser = directoryUser !== undefined;
  return {
    Login: user.name,
    UserId: user.id,
    IsRoot: isOfConfiguration(principal) && user.name === ROOT_USER_NAME,
    IsAdministrator: group.seniorAdministrators,
    IsDirectoryUser: isDirectoryUser,
    MustChangePassword: needs.mustChangePassword(user),
    CanChangePassword: isOfConfiguration(principal) && hasRight(principal, "CanChangePassword"),
    Group: group.name,
    Rights: Object.fromEntries(
      GROUP_RIGHTS.map((right) => [
        right,
        right === "IsAllForbidden" ? isAllForbidden(principal) : hasRight(principal, right),
      ]),
    ),
    SessionId: sessionId ?? null,
    Time: formatIsoTime(needs.clock.nowUs()),
    TimeZone: localZoneName(),
    ServerName: server.name,
    ServerId: server.id,
    IsBucket: needs.site.isOfBucket === true,
    IsHub: needs.boxes() !== undefined && maySeeFleet(principal),
    Version: needs.version,
    Language: needs.language,
  };
}

/** The id of the session that authorized a request; undefined if none did. */
export function sessionIdOf(needs: SessionNeeds, credentials: Credentials): string | undefined {
  return "session" in credentials ? needs.sessions.find(credentials.session)?.id : undefined;
}
