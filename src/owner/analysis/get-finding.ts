import { type WholeFinding, wholeFinding } from "../../contract/answer/index.js";
import { FINDING_ID_PATTERN } from "../../contract/query/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import { askedFinding, wholeFindingObject } from "./finding-object.js";
import type { AnalysisNeeds } from "./object-trials.js";

export const FINDING_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/findings/{id}",
  login: "user",

  describe: {
    topic: "analysis",
    summary: "Shows a finding, with the way that it took through the picture",
    access: "The channel must be one whose archive the user may see.",
    pathValues: { id: "`Id` of [`/api/findings`](#get-apifindings)." },
    pathSchemas: { id: { type: "string", pattern: FINDING_ID_PATTERN } },
    answer: jsonAnswer(schemaOf(wholeFinding), "The finding."),
    errors: { 404: "There is no such finding." },
    example: [
      "# Where nothing with this id was seen: 404.",
      'curl -fu "$AUTH" "$NVRD/api/findings/$CHANNEL-1795251600000000"',
    ],
  },
  /** GET /api/findings/{id} */
  async endpoint(context) {
    const { finding, camera } = await askedFinding(context);
    const isSeen = context.needs.seen.isSeen(context.principal.user.id, finding);
    return answerJson<WholeFinding>(wholeFindingObject(finding, camera.name, isSeen));
  },
};
