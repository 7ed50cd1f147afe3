import * as v from "valibot";
import {
  type ChosenDirectory,
  DIRECTORY_PROBLEMS,
  type DirectorySource,
  type DirectoryTrial,
  ldapOf,
  tryDirectory,
} from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX } from "../../contract/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerConfiguration,
  answerJson,
  CHANGE_PARAMETERS,
  choice,
  editConfiguration,
  FLAG,
  given,
  jsonAnswer,
  listOf,
  meaning,
  members,
  OTHER_REVISION,
  objectOf,
  orNull,
  type Route,
  readBody,
  schemaOfBody,
  TEXT,
} from "../../route/index.js";
import type { Site } from "../../site/index.js";
import { describeDirectory, directoryBody, directoryOf, directorySchema } from "./directory-settings.js";
import type { SystemNeeds } from "./needs.js";

const LOGIN_LENGTH_MAX = NAME_LENGTH_MAX;
const RESULTS: readonly DirectoryTrial["result"][] = ["Accepted", "NoGroup", "Refused", "Unavailable"];

const filled = (lengthMax: number) =>
  v.pipe(
    v.string("accepted: a text"),
    v.minLength(1, "accepted: a text"),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
  );
const trialBody = members({
  Login: filled(LOGIN_LENGTH_MAX),
  Password: filled(PASSWORD_LENGTH_MAX),
  Settings: given(directoryBody),
});

const SOURCES: Readonly<Record<DirectorySource, string>> = {
  configuration: "Configuration",
  "settings file": "SettingsFile",
  nobody: "None",
};

const STATE = objectOf({
  IsConfigured: meaning("Whether a directory is asked now.", FLAG),
  Source: meaning(
    "Who says so: the configuration counts where it says anything, else the settings file.",
    choice(Object.values(SOURCES)),
  ),
  Url: orNull(TEXT),
  BaseDn: orNull(TEXT),
  IsEncrypted: meaning("Whether passwords are encrypted on the way to it.", FLAG),
  ServiceDn: meaning(
    "The account that searches for users; null: users are bound by their own name.",
    orNull(TEXT),
  ),
  Settings: meaning("What the configuration says; null: nothing.", orNull(directorySchema())),
  SettingsFileUrl: meaning(
    "The directory of the [settings file](settings.md#ldapurl), which holds where the configuration says nothing.",
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

export const DIRECTORY_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/directory",
    login: "administrator",
    endpoint: ({ needs }) => answerState(needs.directory, needs.site.current),
    describe: {
      topic: "system",
      summary: "Shows which directory of users the recorder asks",
      text: [
        "An addition of nvrd's. The directory is set here, or in the [settings](settings.md#ldapurl) of the service: see the [guide](../guide/directory-users.md).",
      ],
      answer: { ...jsonAnswer(STATE, "The directory."), revision: true },
      example: ['curl -fu "$AUTH" "$NVRD/api/system/directory"'],
    },
  },
  {
    method: "PUT",
    path: "/api/system/directory",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Sets the directory of users",
      text: [
        "Members that are left out stay as they are. It holds at once: sessions and streams of users of another directory end, also those of who sets it. The change is in the [history](#get-apisystemconfigurationhistory) and an [event](events.md) `configurationChanged`, both without values.",
      ],
      parameters: CHANGE_PARAMETERS,
      body: { required: true, schema: directorySchema() },
      answer: { ...jsonAnswer(STATE, "The directory."), revision: true },
      errors: {
        409: `There is no \`Url\` or \`BaseDn\` yet, or the account lacks its password, or has one of another directory. Or: ${OTHER_REVISION}`,
      },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/api/system/directory" --data \'{',
        '  "Url": "ldaps://dc1.example.org", "BaseDn": "dc=example,dc=org" }\'',
      ],
    },
    /** PUT /api/system/directory: the configuration's own directory. */
    async endpoint(context) {
      const input = readBody(directoryBody, context.request.body);
      const site = await editConfiguration(context, (current) => ({
        ...current,
        directory: directoryOf(input, current.directory),
      }));
      return answerState(context.needs.directory, site);
    },
  },
  {
    method: "DELETE",
    path: "/api/system/directory",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Takes the directory of users out of the configuration",
      text: [
        "That of the settings file holds again, or there are no directory users any more: sessions and streams of others end.",
      ],
      parameters: CHANGE_PARAMETERS,
      answer: { ...jsonAnswer(STATE, "The directory."), revision: true },
      errors: { 409: OTHER_REVISION },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/system/directory"'],
    },
    /** DELETE /api/system/directory: the configuration says nothing of a directory any more. */
    async endpoint(context) {
      const site = await editConfiguration(context, ({ directory: _, ...rest }) => rest);
      return answerState(context.needs.directory, site);
    },
  },
  {
    method: "POST",
    path: "/api/system/directory/test",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Tries a login at the directory of users, and says how it went",
      text: [
        "An addition of nvrd's. The directory is asked as for a login, which may count there as a wrong one. Nobody is logged in. With `Settings`, as in [PUT](#put-apisystemdirectory), a directory is tried that is not set yet; nothing is changed.",
      ],
      body: { required: true, schema: schemaOfBody(trialBody) },
      answer: jsonAnswer(TRIAL, "How it went."),
      errors: {
        409: "There is no directory, and no whole one in the body; or the account lacks its password, or has one of another directory.",
      },
      example: [
        'curl -fu "$AUTH" "$NVRD/api/system/directory/test" --data \'{ "Login": "alice@example.org", "Password": "hers",',
        '  "Settings": { "Url": "ldaps://dc1.example.org", "BaseDn": "dc=example,dc=org" } }\'',
      ],
    },
    /** POST /api/system/directory/test: a login at the directory, for an administrator who sets it up. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      const { Login: login, Password: password, Settings: input } = readBody(trialBody, request.body);
      const { directory, site } = needs;
      const settings = input ? ldapOf(directoryOf(input, site.current.directory, "Settings.")) : undefined;
      const asked = settings === undefined ? directory.now?.directory : directory.make(settings);
      if (asked === undefined)
        throw new NvrdError("CONFLICT", "there is no directory", {
          hint: "set one: PUT /api/system/directory",
        });
      const trial = await tryDirectory(asked, site.current, { login, password });
      const { id, name } = principal.user;
      log.info({ user: name, login, result: trial.result }, "a login at the directory is tried");
      needs.events.raise({
        typeId: EVENT_TYPES.directoryTried.id,
        comment: `${login}: ${trial.result}${settings === undefined ? "" : ` (${settings.url})`}`,
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
    },
  },
];

function answerState(directory: ChosenDirectory, site: Site) {
  const settings = directory.now?.settings;
  const state = {
    IsConfigured: settings !== undefined,
    Source: SOURCES[directory.source],
    Url: settings?.url ?? null,
    BaseDn: settings?.baseDn ?? null,
    IsEncrypted: settings !== undefined && (settings.url.startsWith("ldaps:") || settings.startTls),
    ServiceDn: settings?.service?.dn ?? null,
    Settings: site.directory === undefined ? null : describeDirectory(site.directory),
    SettingsFileUrl: directory.ofFile?.url ?? null,
  };
  return answerConfiguration(state, site);
}
