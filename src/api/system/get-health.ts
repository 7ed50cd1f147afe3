import { healthReport, visibleFigures } from "../../health/index.js";
import { answerJson, type EndpointResult, type RequestContext } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** GET /api/health: how the recorder is. Channels that the user may not see are in no list and not counted. */
export async function getHealth({ needs, principal }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const figures = await needs.monitoring.figures();
  return answerJson(pascalMembers(healthReport(visibleFigures(figures, (id) => principal.maySee(id)))));
}

/** A value of ours as JSON of the API: members begin with a capital letter, and what is undefined is null. */
function pascalMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pascalMembers);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.slice(0, 1).toUpperCase() + name.slice(1),
      pascalMembers(member),
    ]),
  );
}
