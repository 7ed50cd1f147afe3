import { type Credentials, hasRight, isAllForbidden, type Principal } from "../../access/index.js";
import { LANGUAGES, localZoneName } from "../../base/index.js";
import type { SessionState } from "../../messages/index.js";
import { choice, FLAG, GUID, type JsonSchema, meaning, objectOf, orNull, TEXT } from "../../route/index.js";
import { GROUP_RIGHTS, ROOT_USER_NAME } from "../../site/index.js";
import type { SessionNeeds } from "./needs.js";

export const SESSION_STATE: JsonSchema = objectOf({
  Login: TEXT,
  UserId: GUID,
  IsRoot: FLAG,
  IsAdministrator: meaning("A senior administrator.", FLAG),
  IsDirectoryUser: meaning("Its password is changed in the directory.", FLAG),
  MustChangePassword: meaning(
    "The password is the one that was generated at the first start. Until it is changed, sessions of this user get 403 from everything but `/api/session`. Programs that send the password go on.",
    FLAG,
  ),
  CanChangePassword: FLAG,
  Group: meaning("The name of the user's group.", TEXT),
  Rights: meaning("The effective rights, by name. The channels are in [`/configex`](#get-configex).", {
    type: "object",
    additionalProperties: { type: "boolean" },
  }),
  SessionId: meaning("Null where the request was not authorized by a session.", orNull(GUID)),
  TimeZone: meaning("IANA name of the machine's time zone.", TEXT),
  ServerName: TEXT,
  ServerId: GUID,
  IsBucket: meaning(
    "It shows recordings from a bucket: it has no live video, and its cameras and disks cannot be set.",
    FLAG,
  ),
  Version: TEXT,
  Language: meaning("The setting `language`.", choice(LANGUAGES)),
});

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
  TimeZone: "Europe/Berlin",
  ServerName: "nvrd",
  ServerId: "22222222-0000-4000-8000-00000000000c",
  IsBucket: false,
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
    IsRoot: !isDirectoryUser && user.name === ROOT_USER_NAME,
    IsAdministrator: group.seniorAdministrators,
    IsDirectoryUser: isDirectoryUser,
    MustChangePassword: needs.mustChangePassword(user),
    CanChangePassword: !isDirectoryUser && hasRight(principal, "CanChangePassword"),
    Group: group.name,
    Rights: Object.fromEntries(
      GROUP_RIGHTS.map((right) => [
        right,
        right === "IsAllForbidden" ? isAllForbidden(principal) : hasRight(principal, right),
      ]),
    ),
    SessionId: sessionId ?? null,
    TimeZone: localZoneName(),
    ServerName: server.name,
    ServerId: server.id,
    IsBucket: needs.site.isOfBucket === true,
    Version: needs.version,
    Language: needs.language,
  };
}

/** The id of the session that authorized a request; undefined if none did. */
export function sessionIdOf(needs: SessionNeeds, credentials: Credentials): string | undefined {
  return "session" in credentials ? needs.sessions.find(credentials.session)?.id : undefined;
}
