import * as v from "valibot";
import { formatIsoTime } from "../../base/index.js";
import { revisionsQuery } from "../../contract/query/index.js";
import { changeIn } from "../../event/index.js";
import {
  answerJson,
  describeQuery,
  FLAG,
  ISO_TIME,
  jsonAnswer,
  listOf,
  meaning,
  members,
  objectOf,
  orNull,
  type Route,
  range,
  readBody,
  readParameter,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import { exportSite, importSite, type Site } from "../../site/index.js";
import { editWhole } from "./configuration-edit.js";
import { WHOLE_CHANGE } from "./configuration-file.js";
import type { SystemNeeds } from "./states.js";

const revisionValue = v.pipe(
  v.number("accepted: a revision"),
  v.safeInteger("accepted: a revision"),
  v.minValue(1, "accepted: a revision"),
);
const revertBody = members({
  Revision: revisionValue,
  DryRun: v.optional(v.boolean("accepted: true or false"), false),
});

const HISTORY = listOf(
  objectOf({
    Revision: WHOLE,
    Time: meaning("Null if it is not known.", orNull(ISO_TIME)),
    By: meaning("The user's name; null: the recorder itself, or not known.", orNull(TEXT)),
    Summary: meaning("What was changed, in words, without values.", TEXT),
    IsCurrent: FLAG,
  }),
);

export const CONFIGURATION_HISTORY_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/configuration/history",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Lists the changes of the configuration, the newest first",
      text: ["An addition of nvrd's. The last 100 revisions are kept."],
      parameters: describeQuery(revisionsQuery),
      answer: jsonAnswer(HISTORY, "The changes."),
      example: ['curl -fu "$AUTH" "$NVRD/api/system/configuration/history"'],
    },
    /** GET /api/system/configuration/history: who changed what. */
    async endpoint({ needs, request }) {
      const { revision: current } = needs.site.current;
      const language = readParameter(request.query, revisionsQuery, "language");
      const entries = await needs.revisions.history();
      return answerJson(
        entries.map(({ revision, appliedAtUs, by, summary }) => ({
          Revision: revision,
          Time: appliedAtUs === null ? null : formatIsoTime(appliedAtUs),
          By: by?.name ?? null,
          Summary: changeIn(summary, language),
          IsCurrent: revision === current,
        })),
      );
    },
  },
  {
    method: "POST",
    path: "/api/system/configuration/revert",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Brings the configuration of a former revision back, or says what that would change",
      text: [
        "An addition of nvrd's. Passwords stay as they are now; a user, a camera or a target that comes back has the password of that revision. It is a change like others, and can be taken back in the same way.",
      ],
      body: {
        required: true,
        schema: objectOf(
          {
            Revision: meaning("As in the history.", range(1, Number.MAX_SAFE_INTEGER, "integer")),
            DryRun: meaning("Nothing is changed; the answer says what would be.", {
              ...FLAG,
              default: false,
            }),
          },
          ["Revision"],
        ),
      },
      answer: jsonAnswer(WHOLE_CHANGE, "What is different, or would be."),
      errors: {
        404: "The revision is not stored, or cannot be read.",
        409: "Somebody else has changed the configuration since the revision of `If-Match`.",
      },
      example: [
        'REVISION=$(curl -fsSu "$AUTH" "$NVRD/api/system/configuration/history" | member Revision)',
        'curl -fu "$AUTH" "$NVRD/api/system/configuration/revert" --data \'{ "Revision": \'$REVISION\', "DryRun": true }\'',
      ],
    },
    /** POST /api/system/configuration/revert: a former revision comes back. */
    async endpoint(context) {
      const { Revision, DryRun: isDryRun } = readBody(revertBody, context.request.body);
      const wanted = await context.needs.revisions.revision(Revision);
      const edit = (current: Site): Site => withPresentSecrets(wanted, current);
      const what = `reverted to revision ${Revision}`;
      const { revision, isChanged, summary } = await editWhole(context, edit, { what, isDryRun });
      return answerJson({ Revision: revision, IsChanged: isChanged, Summary: summary, Notes: [] });
    },
  },
];

/** A former configuration with the passwords of now, where there are any: who has changed one would be locked out. */
function withPresentSecrets(wanted: Site, current: Site): Site {
  return importSite({ document: exportSite(wanted).document, current, former: wanted }).site;
}
