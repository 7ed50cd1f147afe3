import { healthReport, visibleFigures } from "../../health/index.js";
import { answerJson } from "../route/answer.js";
import { pascalMembers } from "../route/pascal-members.js";
import type { EndpointResult, RequestContext } from "../route/services.js";

/** GET /api/health: how the recorder is. Channels that the user may not see are in no list and not counted. */
export async function getHealth({ services, principal }: RequestContext): Promise<EndpointResult> {
  const figures = await services.monitoring.figures();
  return answerJson(pascalMembers(healthReport(visibleFigures(figures, (id) => principal.maySee(id)))));
}
