import { type ChosenDirectory, type DirectorySource, ldapOf, tryDirectory } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import {
  type DirectoryState,
  type DirectoryTrialResult,
  directoryState,
  directoryTrial,
} from "../../contract/answer/index.js";
import { directory, directoryTrialBody, shown } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerConfiguration,
  answerJson,
  CHANGE_PARAMETERS,
  editConfiguration,
  jsonAnswer,
  OTHER_REVISION,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
} from "../../route/index.js";
import type { Site } from "../../site/index.js";
import { directoryBody, directoryOf, directorySchema } from "./directory-settings.js";
import type { SystemNeeds } from "./states.js";

const trialBody = readerOfValue(directoryTrialBody);

const SOURCES: Readonly<Record<DirectorySource, DirectoryState["Source"]>> = {
  configuration: "Configuration",
  "settings file": "SettingsFile",
  nobody: "None",
};

const STATE = schemaOf(directoryState, { Settings: directorySchema() });

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
      answer: jsonAnswer(schemaOf(directoryTrial), "How it went."),
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
      const { directory: chosen, site } = needs;
      const settings = input ? ldapOf(directoryOf(input, site.current.directory, "Settings.")) : undefined;
      const asked = settings === undefined ? chosen.now?.directory : chosen.make(settings);
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
      return answerJson<DirectoryTrialResult>({
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

function answerState(chosen: ChosenDirectory, site: Site) {
  const settings = chosen.now?.settings;
  const state: DirectoryState = {
    IsConfigured: settings !== undefined,
    Source: SOURCES[chosen.source],
    Url: settings?.url ?? null,
    BaseDn: settings?.baseDn ?? null,
    IsEncrypted: settings !== undefined && (settings.url.startsWith("ldaps:") || settings.startTls),
    ServiceDn: settings?.service?.dn ?? null,
    Settings: site.directory === undefined ? null : shown(directory, site.directory),
    SettingsFileUrl: chosen.ofFile?.url ?? null,
  };
  return answerConfiguration(state, site);
}
