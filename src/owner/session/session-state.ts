import {
  type Credentials,
  hasRight,
  isAllForbidden,
  isOfConfiguration,
  maySeeFleet,
  type Principal,
} from "../../access/index.js";
import { formatIsoTime, localZoneName } from "../../base/index.js";
import type { SessionState } from "../../contract/answer/index.js";
import { GROUP_RIGHTS, ROOT_USER_NAME } from "../../site/index.js";
import type { SessionNeeds } from "./needs.js";

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
