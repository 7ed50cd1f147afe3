import { formatApiTime } from "../../base/index.js";
import { answerCommand, type EndpointResult, type RequestContext } from "../route/index.js";
import type { CommandNeeds } from "./needs.js";

/** /command?type=gettime: the server's clock, UTC. */
export function getTime(context: RequestContext<CommandNeeds>): EndpointResult {
  const nowUs = context.needs.clock.nowUs();
  const { query } = context.request;
  const request = { query, accept: context.request.header("accept") };
  return answerCommand({ root: "string", content: formatApiTime(nowUs) }, request, nowUs);
}
