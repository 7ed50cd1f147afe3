import * as v from "valibot";
import {
  DIRECTORY_PROBLEMS,
  type DirectoryTrial,
  type LdapSettings,
  tryDirectory,
} from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  choice,
  type EndpointResult,
  FLAG,
  jsonAnswer,
  listOf,
  meaning,
  members,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readBody,
  schemaOfBody,
  TEXT,
} from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

const LOGIN_LENGTH_MAX = 128;
const PASSWORD_LENGTH_MAX = 256;
const RESULTS: readonly DirectoryTrial["result"][] = ["Accepted", "NoGroup", "Refused", "Unavailable"];

const filled = (lengthMax: number) =>
  v.pipe(
    v.string("accepted: a text"),
    v.minLength(1, "accepted: a text"),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
  );
const trialBody = members({ Login: filled(LOGIN_LENGTH_MAX), Password: filled(PASSWORD_LENGTH_MAX) });

const STATE = objectOf({
  IsConfigured: FLAG,
  Url: orNull(TEXT),
  BaseDn: orNull(TEXT),
  IsEncrypted: meaning("Whether passwords are encrypted on the way to it.", FLAG),
  ServiceDn: meaning(
    "The account that searches for users; null: users are bound by their own name.",
    orNull(TEXT),
  ),
});
const TRIAL = objectOf({
  Result: meaning(
    "`NoGroup`: the password is right, and no user group names one of the user's groups. `Refused`: there is no such user, or the password is wrong. `Unavailable`: the directory does not answer, or the settings do not fit it.",
    choice(RESULTS),
  ),
  Dn: meaning("The user's entry.", orNull(TEXT)),
  DirectoryGroups: meaning("The user's groups in the directory.", listOf(TEXT)),
  Group: meaning("The user group that the user has here.", orNull(TEXT)),
  Problem: meaning(
    "What keeps the recorder from asking the directory; null where nothing does. `ServiceRefused`: it refuses `ldapServiceDn` or its password. `NoBase`: there is no entry `ldapBaseDn`. `FileUnreadable`: a file of the settings. `Other`: see `Reason`.",
    orNull(choice(DIRECTORY_PROBLEMS)),
  ),
  Reason: meaning("The same in the directory's own words; null where it has none.", orNull(TEXT)),
});

const STATE_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Shows which directory of users the recorder asks",
  text: [
    "An addition of nvrd's. The directory is set in the [settings](settings.md#ldapurl) of the service: see the [guide](../guide/directory-users.md).",
  ],
  answer: jsonAnswer(STATE, "The directory."),
  example: ['curl -fu "$AUTH" "$NVR/api/system/directory"'],
};

const TRIAL_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Tries a login at the directory of users, and says how it went",
  text: [
    "An addition of nvrd's. The directory is asked as for a login, which may count there as a wrong one. Nobody is logged in.",
  ],
  body: { required: true, schema: schemaOfBody(trialBody) },
  answer: jsonAnswer(TRIAL, "How it went."),
  errors: { 409: "There is no directory in the settings." },
  example: [
    'curl -fu "$AUTH" "$NVR/api/system/directory/test" --data \'{ "Login": "alice@example.org", "Password": "hers" }\'',
  ],
};

export const DIRECTORY_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/directory",
    login: "administrator",
    endpoint: ({ needs }) => answerJson(stateObject(needs.directory?.settings)),
    describe: STATE_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/system/directory/test",
    login: "administrator",
    endpoint: postTrial,
    describe: TRIAL_DESCRIPTION,
  },
];

/** POST /api/system/directory/test: a login at the directory, for an administrator who sets it up. */
async function postTrial(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const { Login: login, Password: password } = readBody(trialBody, request.body);
  const { directory } = needs;
  if (directory === undefined)
    throw new NvrdError("CONFLICT", "there is no directory in the settings", { hint: "set ldapUrl" });
  const trial = await tryDirectory(directory.directory, needs.site.current, { login, password });
  const { id, name } = principal.user;
  log.info({ user: name, login, result: trial.result }, "a login at the directory is tried");
  needs.events.raise({
    typeId: EVENT_TYPES.directoryTried.id,
    comment: `${login}: ${trial.result}`,
    initiator: { type: 1, id, name },
  });
  return answerJson({
    Result: trial.result,
    Dn: trial.dn ?? null,
    DirectoryGroups: trial.groups,
    Group: trial.group ?? null,
    Problem: trial.problem ?? null,
    Reason: trial.reason ?? null,
  });
}

function stateObject(settings: LdapSettings | undefined): object {
  return {
    IsConfigured: settings !== undefined,
    Url: settings?.url ?? null,
    BaseDn: settings?.baseDn ?? null,
    IsEncrypted: settings !== undefined && (settings.url.startsWith("ldaps:") || settings.startTls),
    ServiceDn: settings?.service?.dn ?? null,
  };
}
