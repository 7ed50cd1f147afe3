import * as v from "valibot";
import { formatIsoTime, NvrdError, parseIsoTime } from "../../base/index.js";
import { type SeenFindings, seenFindings } from "../../contract/answer/index.js";
import { FINDING_ID_PATTERN } from "../../contract/query/index.js";
import { SEEN_ONE_BY_ONE_MAX } from "../../finding/index.js";
import {
  answerJson,
  given,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { AnalysisNeeds } from "./object-trials.js";

const ID_ACCEPTED = "accepted: the `Id` of a finding";
const TIME_LENGTH_MAX = 40;

const body = members({
  Ids: given(
    siteValues.list(
      v.pipe(v.string(ID_ACCEPTED), v.regex(new RegExp(FINDING_ID_PATTERN), ID_ACCEPTED)),
      SEEN_ONE_BY_ONE_MAX,
      "findings",
    ),
  ),
  UpTo: given(siteValues.line(TIME_LENGTH_MAX)),
});

export const SEEN_ROUTE: Route<AnalysisNeeds> = {
  method: "POST",
  path: "/api/findings/seen",
  login: "user",
  leavesNothing: true,
  isNoAct: true,

  describe: {
    topic: "analysis",
    summary: "Marks findings as seen by the user",
    access: "Everybody for themselves.",
    text: [
      "`Ids` one by one, `UpTo` all that began until then. Marks are kept on the recorder, so each of the user's devices knows them; nothing takes them back.",
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(body), {
        Ids: "Findings.",
        UpTo: "ISO 8601. One in the future means now.",
      }),
    },
    answer: jsonAnswer(schemaOf(seenFindings), "What is seen now."),
    errors: {},
    example: ['curl -fu "$AUTH" "$NVRD/api/findings/seen" --data \'{ "UpTo": "\'$FROM\'" }\''],
  },
  /** POST /api/findings/seen */
  endpoint({ needs, request, principal }) {
    const { Ids: ids, UpTo: text } = readBody(body, request.body);
    const upToUs = text == null ? undefined : parseIsoTime(text);
    if (text != null && upToUs === undefined)
      throw new NvrdError("BAD_REQUEST", "UpTo: accepted: a time in ISO 8601");
    const userId = principal.user.id;
    needs.seen.mark(userId, {
      ids: ids ?? [],
      ...(upToUs === undefined ? {} : { upToUs: Math.max(0, Math.min(upToUs, needs.clock.nowUs())) }),
    });
    const seenUpToUs = needs.seen.upToUs(userId);
    return answerJson<SeenFindings>({ SeenUpTo: seenUpToUs === 0 ? null : formatIsoTime(seenUpToUs) });
  },
};
