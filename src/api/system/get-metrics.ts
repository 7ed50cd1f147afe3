import { METRICS_CONTENT_TYPE, metricsText, visibleFigures } from "../../health/index.js";
import type { EndpointResult, RequestContext } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/** GET /metrics: the recorder's figures for Prometheus. Channels that the user may not see have no series. */
export async function getMetrics({ needs, principal }: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const figures = await needs.monitoring.figures();
  const body = Buffer.from(await metricsText(visibleFigures(figures, (id) => principal.maySee(id))));
  const headers = [
    ["Content-Type", METRICS_CONTENT_TYPE],
    ["Cache-Control", "no-store"],
  ] as const;
  return { status: 200, headers, body };
}
