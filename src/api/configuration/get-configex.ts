import { answerFormat, type EndpointResult, type RequestContext, zoneOffsetHours } from "../route/index.js";
import type { ConfigurationNeeds } from "./needs.js";

/** GET /configex: the active configuration as the asking user may see it. */
export function getConfigex(context: RequestContext<ConfigurationNeeds>): EndpointResult {
  const { needs, principal, request } = context;
  const format = answerFormat(request.query);
  const view = {
    site: needs.site.current,
    principal,
    version: needs.version,
    productType: needs.productType,
    reach: needs.reach,
    servedPaths: needs.servedPaths,
    timeZoneOffsetHours: zoneOffsetHours(needs.clock.nowUs()),
  };
  return needs.configurationAnswers.answer(view, format);
}
