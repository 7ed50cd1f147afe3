import type { HealthFigures } from "../report/health-figures.js";

/** Values of a metric's labels, by their names. */
export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [value: number, labels?: Labels];

/** One metric of /metrics: docs/ref/metrics.md is made of these. */
export interface MetricDefinition {
  readonly name: string;
  /** A counter only rises, and begins again at 0 with the service. */
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly labels: readonly string[];
  /** Its values now; none for unknown ones. */
  readonly read: (figures: HealthFigures) => readonly Sample[];
}

type Read = (figures: HealthFigures) => readonly Sample[];
type ReadOne = (figures: HealthFigures) => number | boolean | null | undefined;

export function gauge(name: string, help: string, labels: readonly string[], read: Read): MetricDefinition {
  return { name, type: "gauge", help, labels, read };
}

export function counter(name: string, help: string, labels: readonly string[], read: Read): MetricDefinition {
  return { name, type: "counter", help, labels, read };
}

/** A gauge without labels; no sample while the value is not known, true is 1. */
export function oneGauge(name: string, help: string, read: ReadOne): MetricDefinition {
  return gauge(name, help, [], (figures) => known(read(figures)));
}

export function oneCounter(name: string, help: string, read: ReadOne): MetricDefinition {
  return counter(name, help, [], (figures) => known(read(figures)));
}

/** The value, if there is one, as the samples of a metric. */
export function known(value: number | boolean | null | undefined, labels?: Labels): readonly Sample[] {
  if (value === null || value === undefined || Number.isNaN(value)) return [];
  return labels === undefined ? [[Number(value)]] : [[Number(value), labels]];
}
