import { healthReport, visibleFigures } from "../health/index.js";
import { answerJson } from "./answer.js";
import { pascalMembers } from "./pascal-members.js";
import type { EndpointResult, RequestContext } from "./services.js";

/** GET /api/health: how the recorder is. Channels that the user may not see are in no list and not counted. */
export async function getHealth({ services, principal }: RequestContext): Promise<EndpointResult> {
  const figures = await services.monitoring.figures();
  return answerJson(pascalMembers(healthReport(visibleFigures(figures, (id) => principal.maySee(id)))));
}
