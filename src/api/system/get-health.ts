import { healthReport, visibleFigures } from "../../health/index.js";
import { answerJson, type EndpointResult, pascalMembers, type RequestContext } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** GET /api/health: how the recorder is. Channels that the user may not see are in no list and not counted. */
export async function getHealth({ needs, principal }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const figures = await needs.monitoring.figures();
  return answerJson(pascalMembers(healthReport(visibleFigures(figures, (id) => principal.maySee(id)))));
}
