import { hasRight } from "../../access/index.js";
import { NvrdError, parseGuid } from "../../base/index.js";
import { commandQuery } from "../../contract/query/index.js";
import { shown } from "../../http/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  object,
  type RequestContext,
  type RouteRight,
  readParameter,
  requireChannel,
  sentText,
} from "../../route/index.js";
import { type ScenarioNeeds, startRun } from "./start-run.js";

export const RUN_SCENARIO_RIGHT: RouteRight = {
  right: "CanRunUserScenarios",
  when: "`type` is `runuserscenario`",
};

/** /command?type=runuserscenario: runs a scenario. HEAD asks for what GET would say, and starts nothing. */
export async function runUserScenario(context: RequestContext<ScenarioNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const { query } = request;
  if (!hasRight(principal, "CanRunUserScenarios"))
    throw new NvrdError("FORBIDDEN", "your group may not do this (right CanRunUserScenarios)");
  const text = sentText(query, commandQuery, "scenarioid")?.trim();
  if (text === undefined) throw new NvrdError("BAD_REQUEST", 'parameter "scenarioid" is missing');
  const scenarioId = parseGuid(text);
  if (scenarioId === undefined)
    throw new NvrdError("NOT_FOUND", `there is no scenario ${shown(text)}`, { hint: "see GET /configex" });
  const channelId = readParameter(query, commandQuery, "channelid");
  if (channelId !== undefined) requireChannel(channelId, needs.site.current, principal);
  const isConfirmed = sentText(query, commandQuery, "confirmed")?.trim().toLowerCase() === "true";
  const isAsked = request.method !== "HEAD";
  const run = isAsked ? await startRun(context, { scenarioId, channelId, isConfirmed }) : undefined;
  const failed = run?.results.filter(({ problem }) => problem !== undefined).length ?? 0;
  const content = object(
    element("ScenarioId", scenarioId),
    element("IsRunning", run !== undefined && run.endedUs === undefined),
    element("DoneActions", (run?.results.length ?? 0) - failed),
    element("FailedActions", failed),
  );
  const accept = request.header("accept");
  return answerCommand({ root: "ScenarioRun", content }, { query, accept }, needs.clock.nowUs());
}
