import { expect, it } from "vitest";
import { METRIC_GROUPS, metricsText } from "../../../src/health/index.js";
import { fromPython } from "../../support/api/from-python.js";
import { cameraHealth, diskState, healthFigures, volumeHealth } from "../../support/health/health-figures.js";

const DEFINED = Object.values(METRIC_GROUPS).flat();

/** A metric as Prometheus' own client library reads it. */
interface ReadMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly { name: string; labels: Record<string, string>; value: number }[];
}

/** Rejects on a text that is not in Prometheus' format. */
async function read(text: string): Promise<readonly ReadMetric[]> {
  const program = [
    "from prometheus_client.parser import text_string_to_metric_families as read",
    "metrics = [dict(name=m.name, type=m.type, help=m.documentation,",
    "  samples=[dict(name=s.name, labels=s.labels, value=s.value) for s in m.samples]) for m in read(text)]",
    "answer = metrics",
  ];
  return (await fromPython(program, text)) as readonly ReadMetric[];
}

/** Everything is known: each metric has a value. */
const ALL_KNOWN = healthFigures({
  replicas: { problem: undefined, shares: [{ name: "Gatehouse", bytesMax: 5e11, usedBytes: 3e11 }] },
  partners: [
    { name: "Gatehouse", isConnected: true, sinceUs: 0, recordedHere: 0, reserveProblem: undefined },
  ],
  disks: [
    diskState(),
    diskState({
      device: "/dev/nvme0n1",
      serial: "N1",
      verdict: "failing",
      smart: {
        readMs: 1,
        passed: false,
        temperatureCelsius: 70,
        powerOnHours: 9,
        bytesWritten: 5,
        reallocatedSectors: null,
        uncorrectableErrors: 4,
        commandTimeouts: null,
        pendingSectors: null,
        offlineUncorrectable: null,
        percentageUsed: 101,
        availableSparePercent: 4,
        criticalWarnings: ["the spare blocks are used up"],
      },
    }),
  ],
});

it("Prometheus' own library reads every metric, under its name, type, help and labels", async () => {
  const metrics = await read(await metricsText(ALL_KNOWN));
  const described = metrics.map(({ name, type, help }) => ({
    // The library leaves the ending of a counter out of the family's name.
    name: type === "counter" ? `${name}_total` : name,
    type,
    help,
  }));
  expect(described.toSorted(byName)).toEqual(
    DEFINED.map(({ name, type, help }) => ({ name, type, help })).toSorted(byName),
  );
  const labels = new Map(DEFINED.map(({ name, labels: names }) => [name, [...names].toSorted()]));
  for (const { samples } of metrics)
    for (const sample of samples)
      expect(Object.keys(sample.labels).toSorted()).toEqual(labels.get(sample.name));
});

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** The value of the first series of a metric with these labels. */
function numberOf(
  metrics: readonly ReadMetric[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  return metrics
    .flatMap(({ samples }) => samples)
    .find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )?.value;
}

it("values are in base units", async () => {
  const metrics = await read(await metricsText(ALL_KNOWN));
  expect(numberOf(metrics, "nvrd_archive_bytes")).toBe(2.9e12);
  expect(numberOf(metrics, "nvrd_archive_write_bytes_per_second")).toBe(1.2e6);
  expect(numberOf(metrics, "nvrd_archive_time_left_seconds")).toBe(50 * 86_400);
  expect(numberOf(metrics, "nvrd_volume_sync_stall_seconds")).toBe(0.012);
  expect(numberOf(metrics, "nvrd_event_loop_delay_seconds", { statistic: "p99" })).toBe(0.0125);
  expect(numberOf(metrics, "nvrd_disk_life_used_ratio")).toBe(1.01);
  expect(numberOf(metrics, "process_start_time_seconds")).toBe(1_795_251_600 - 3600);
});

it("names with quotes, backslashes and line breaks come through as they are", async () => {
  const name = 'a "b" \\n c\nd {e="f"} 7';
  const metrics = await read(await metricsText(healthFigures({ cameras: [cameraHealth("id", name)] })));
  expect(numberOf(metrics, "nvrd_channel_recording", { name })).toBe(1);
});

it("what is not known has no value", async () => {
  const text = await metricsText(
    healthFigures({
      disks: undefined,
      archive: {
        ...{ sizeMb: null, writeMbitPerSecond: null, depthDays: null },
        errors: { database: null, frameSaving: null, drives: null, thinning: null, smart: null },
      },
      volumes: [volumeHealth({ status: undefined, bytesPerDay: undefined })],
    }),
  );
  for (const name of ["nvrd_archive_bytes", "nvrd_archive_error", "nvrd_disk_info", "nvrd_volume_free_bytes"])
    expect(text).not.toContain(name);
  expect(numberOf(await read(text), "nvrd_volume_usable")).toBe(1);
});

it("nothing is counted twice: the same figures make the same text", async () => {
  expect(await metricsText(ALL_KNOWN)).toBe(await metricsText(ALL_KNOWN));
});

it("two thermal zones of one name are one series, as Prometheus wants", async () => {
  const zone = { zone: "acpitz", criticalCelsius: null };
  const { machine } = healthFigures();
  const temperatures = [
    { ...zone, celsius: 40 },
    { ...zone, celsius: 50 },
  ];
  const text = await metricsText(healthFigures({ machine: { ...machine, temperatures } }));
  expect(text.match(/^nvrd_machine_temperature_celsius\{/gm)).toHaveLength(1);
});
