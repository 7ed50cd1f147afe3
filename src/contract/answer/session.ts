import { LANGUAGES } from "../../base/index.js";
import {
  choice,
  flag,
  group,
  id,
  listOf,
  meaning,
  nullable,
  table,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** Who is logged in: `/api/session` and `/api/sessions`. */

export const session = group({
  Login: text,
  UserId: id,
  IsRoot: flag,
  IsAdministrator: meaning("A senior administrator.", flag),
  IsDirectoryUser: meaning("Its password is changed in the directory.", flag),
  MustChangePassword: meaning(
    "The password is the one that was generated at the first start. Until it is changed, sessions of this user get 403 from everything but `/api/session`. Programs that send the password go on.",
    flag,
  ),
  CanChangePassword: flag,
  Group: meaning("The name of the user's group.", text),
  Rights: meaning(
    "The effective rights, by name. The channels are in [`/configex`](#get-configex).",
    table(flag),
  ),
  SessionId: meaning("Null where the request was not authorized by a session.", nullable(id)),
  Time: meaning("The recorder's clock as it answers.", time),
  TimeZone: meaning("IANA name of the machine's time zone.", text),
  ServerName: text,
  ServerId: id,
  IsBucket: meaning(
    "It shows recordings from a bucket: it has no live video, and its cameras and disks cannot be set.",
    flag,
  ),
  IsHub: meaning("It is a hub, and this user may know its recorders (`/api/boxes`).", flag),
  Version: text,
  Language: meaning("The setting `language`.", choice(...LANGUAGES)),
});
export type SessionState = ValueOf<typeof session>;

/** How one may log in, besides the form. */
export const loginWays = group({
  Oidc: meaning(
    "The provider (OpenID Connect), where a browser opens [`/api/session/oidc`](#get-apisessionoidc); null: there is none.",
    nullable(group({ Label: meaning("What the button says.", text) })),
  ),
});
export type LoginWays = ValueOf<typeof loginWays>;

const item = group({
  Id: meaning("Names the session; gives no access.", id),
  UserId: id,
  Login: text,
  Address: meaning("Where it was used last.", text),
  UserAgent: meaning("As the browser names itself; at most 256 characters.", text),
  SinceTime: time,
  LastUsedTime: meaning("A stream that is being watched uses it each minute.", time),
  IsThis: meaning("Whether the request was authorized by it.", flag),
});
export type SessionItem = ValueOf<typeof item>;

export const sessions = listOf(item);
export type Sessions = ValueOf<typeof sessions>;
