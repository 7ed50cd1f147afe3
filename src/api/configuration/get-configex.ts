import { answerFormat } from "../route/answer.js";
import { zoneOffsetHours } from "../route/server-zone.js";
import type { EndpointResult, RequestContext } from "../route/services.js";

/** GET /configex: the active configuration as the asking user may see it (wire-compat.md, section 2). */
export function getConfigex(context: RequestContext): EndpointResult {
  const { services, principal, request } = context;
  const format = answerFormat(request.query);
  const view = {
    site: services.site.current,
    principal,
    version: services.version,
    productType: services.productType,
    reach: services.reach,
    servedPaths: services.servedPaths,
    timeZoneOffsetHours: zoneOffsetHours(services.clock.nowUs()),
  };
  return services.configurationAnswers.answer(view, format);
}
