import type * as promClient from "prom-client";
import type { HealthFigures } from "../report/health-figures.js";
import type { MetricDefinition, Sample } from "./metric.js";
import { ARCHIVE_METRICS } from "./metric-archive.js";
import { CAMERA_METRICS } from "./metric-cameras.js";
import { DISK_METRICS } from "./metric-disks.js";
import { OBJECT_METRICS, PROCESS_METRICS, SERVICE_METRICS } from "./metric-service.js";

/** Every metric there is, by what it is about. */
export const METRIC_GROUPS: Readonly<Record<string, readonly MetricDefinition[]>> = {
  Cameras: CAMERA_METRICS,
  Archive: ARCHIVE_METRICS,
  Disks: DISK_METRICS,
  Objects: OBJECT_METRICS,
  Service: SERVICE_METRICS,
  Process: PROCESS_METRICS,
};

/** The text format of Prometheus, version 0.0.4. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * The figures in Prometheus' text format. Each answer is rebuilt, so that nothing is counted twice and what is gone
 * leaves no series behind; between two answers it costs nothing, and the library is loaded by the first.
 */
export async function metricsText(figures: HealthFigures): Promise<string> {
  const library = await import("prom-client");
  const registry = new library.Registry();
  for (const metric of Object.values(METRIC_GROUPS).flat()) {
    const samples = metric.read(figures);
    if (samples.length > 0) register({ library, registry, metric, samples });
  }
  return await registry.metrics();
}

function register(options: {
  readonly library: typeof promClient;
  readonly registry: promClient.Registry;
  readonly metric: MetricDefinition;
  readonly samples: readonly Sample[];
}): void {
  const { library, registry, metric, samples } = options;
  const { name, help, labels } = metric;
  const configuration = { name, help, labelNames: [...labels], registers: [registry] };
  if (metric.type === "counter") {
    const counter = new library.Counter(configuration);
    for (const sample of samples) counter.inc(labelsOf(sample), sample[0]);
  } else {
    const gauge = new library.Gauge(configuration);
    for (const sample of samples) gauge.set(labelsOf(sample), sample[0]);
  }
}

function labelsOf([, labels]: Sample): Record<string, string> {
  return { ...labels };
}
