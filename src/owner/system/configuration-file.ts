import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import {
  answerJson,
  FLAG,
  jsonAnswer,
  listOf,
  meaning,
  members,
  objectOf,
  type Route,
  readBody,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import {
  exportWithoutLogins,
  importSite,
  ROOT_USER_NAME,
  type Site,
  withKnownLogins,
} from "../../site/index.js";
import { editWhole } from "./configuration-edit.js";
import type { SystemNeeds } from "./states.js";

const importBody = members({
  Document: v.record(v.string(), v.unknown(), "accepted: what GET /api/system/configuration answers"),
  Secrets: v.optional(
    v.record(v.string(), v.unknown(), "accepted: the secrets that nvrd config export writes"),
  ),
  DryRun: v.optional(v.boolean("accepted: true or false"), false),
});

const ANY: Readonly<Record<string, unknown>> = { type: "object" };

const EXPORT = objectOf({
  nvrdConfiguration: meaning("The format.", WHOLE),
  site: meaning("Cameras, users, groups, views, alarm targets and all other parts.", ANY),
});

/** What a change of the whole configuration answers. */
export const WHOLE_CHANGE = objectOf({
  Revision: meaning("The present revision.", WHOLE),
  IsChanged: meaning("Whether anything is different; in a dry run, whether it would be.", FLAG),
  Summary: meaning("What is different, in words, without values.", TEXT),
  Notes: meaning("What the administrator has to do afterwards.", listOf(TEXT)),
});

export const CONFIGURATION_FILE_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/configuration",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Returns the whole configuration as a file",
      text: [
        "An addition of nvrd's. A backup, or what another recorder is set up from. It has no passwords, neither those of cameras nor of users, and no logins in addresses.",
      ],
      answer: jsonAnswer(EXPORT, "The file."),
      example: ['curl -fu "$AUTH" -o nvrd-configuration.json "$NVRD/api/system/configuration"'],
    },
    /** GET /api/system/configuration: the configuration without secrets. */
    endpoint({ needs, principal, log }) {
      log.info({ user: principal.user.name }, "the configuration is exported");
      return answerJson(exportWithoutLogins(needs.site.current));
    },
  },
  {
    method: "POST",
    path: "/api/system/configuration",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Replaces the whole configuration by a file, or says what that would change",
      text: [
        "An addition of nvrd's. Passwords and logins in addresses stay as they are here, for the cameras, users and alarm targets with the same id. Whoever has none here is named in `Notes`: such a user is locked until a password is set, such a camera is tried without one. A login within an address that is hidden in the file (`***`) and not known here is named too, and a user who by the file logs in without a password. `Secrets` is the second file that `nvrd config export` writes; with it nobody has to type passwords. The user who imports, and root, keep their own passwords.",
        "",
        "Recordings are kept, also those of cameras that are removed. The former configuration stays in the [history](#get-apisystemconfigurationhistory).",
      ],
      body: {
        required: true,
        schema: objectOf(
          {
            Document: meaning("What `GET` has answered. It is checked as a whole.", EXPORT),
            Secrets: meaning(
              "What `nvrd config export --secrets` has written.",
              objectOf({
                nvrdConfigurationSecrets: meaning("The format.", WHOLE),
                cameras: ANY,
                users: ANY,
                monitoringPassword: TEXT,
              }),
            ),
            DryRun: meaning("Nothing is changed; the answer says what would be.", {
              ...FLAG,
              default: false,
            }),
          },
          ["Document"],
        ),
      },
      answer: jsonAnswer(WHOLE_CHANGE, "What is different, or would be."),
      errors: {
        400: "The file is no configuration, is damaged, or is of a newer version.",
        409: "Somebody else has changed the configuration since the revision of `If-Match`.",
        413: "The file is larger than 1 MB.",
      },
      example: [
        'DOCUMENT=$(curl -fsSu "$AUTH" "$NVRD/api/system/configuration")',
        'curl -fu "$AUTH" "$NVRD/api/system/configuration" --data "{ \\"Document\\": $DOCUMENT, \\"DryRun\\": true }"',
      ],
    },
    /** POST /api/system/configuration: the configuration becomes that of a file. */
    async endpoint(context) {
      const { Document, Secrets: secrets, DryRun: isDryRun } = readBody(importBody, context.request.body);
      let notes: readonly string[] = [];
      const edit = (current: Site): Site => {
        const document = { ...Document, site: withKnownLogins(Document.site, current) };
        // Whoever imports the file of another recorder can still log in afterwards.
        const keepPasswords = [context.principal.user.name, ROOT_USER_NAME];
        const imported = readSite({ document, secrets, current, keepPasswords });
        notes = imported.notes;
        return imported.site;
      };
      const { revision, isChanged, summary } = await editWhole(context, edit, { what: "imported", isDryRun });
      return answerJson({ Revision: revision, IsChanged: isChanged, Summary: summary, Notes: notes });
    },
  },
];

/** A file of a newer version is the client's fault here, not the recorder's. */
function readSite(options: Parameters<typeof importSite>[0]): ReturnType<typeof importSite> {
  try {
    return importSite(options);
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "FORMAT_NEWER") throw error;
    throw new NvrdError("BAD_REQUEST", error.message, { hint: "update this recorder first", cause: error });
  }
}
