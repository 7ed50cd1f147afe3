import { answerFormat, type EndpointResult, type RequestContext, zoneOffsetHours } from "../route/index.js";

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
