import { METRICS_CONTENT_TYPE, metricsText, visibleFigures } from "../../health/index.js";
import { type Route, TEXT } from "../../route/index.js";
import type { HealthNeeds } from "./states.js";

export const METRICS_ROUTE: Route<HealthNeeds> = {
  method: "GET",
  path: "/metrics",
  login: "user",

  describe: {
    topic: "system",
    summary: "Returns the recorder's metrics for Prometheus",
    access: "Channels that the user may not see have no series.",
    text: [
      "[metrics](metrics.md) lists the metrics. [monitoring](../guide/monitoring.md) shows how to scrape them.",
    ],
    answer: { text: "Prometheus' text format, version 0.0.4.", content: { "text/plain": TEXT } },
    example: ['curl -fu "$AUTH" "$NVRD/metrics"'],
  },
  /** GET /metrics: the recorder's metrics for Prometheus. Channels that the user may not see have no series. */
  async endpoint({ needs, principal }) {
    const figures = await needs.monitoring.figures();
    const body = Buffer.from(await metricsText(visibleFigures(figures, (id) => principal.maySee(id))));
    const headers = [
      ["Content-Type", METRICS_CONTENT_TYPE],
      ["Cache-Control", "no-store"],
    ] as const;
    return { status: 200, headers, body };
  },
};
