/**
 * Writes docs/ref/metrics.md from the metrics in src/health (read from dist): `node scripts/docs/make-metrics-doc.mjs`. With
 * `--check` nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "metrics.md");

const HEADER = `# Metrics

What \`GET /metrics\` answers, in Prometheus' text format: each metric with its type, its labels and what it says. How to
have them read stands in [monitoring](../guide/monitoring.md), how they are made in [design/health.md](../design/health.md).

This page is made from \`src/health/metric/metrics.ts\` by \`npm run docs\`; edit it there.

- A counter only rises, and begins again at 0 with the service; a gauge says how it is now. What is not known has no value.
- \`channel\` is a channel's id and \`name\` its name: at most 256 of them. \`stream\` is \`Main\`, \`Alternative\`,
  \`SecondAlternative\` or \`ThirdAlternative\`; \`volume\` is the directory in the settings, \`disk\` the device node. Channels that
  the asking user may not see have no series, and are not counted.
- Values are at most a second old.
`;

/** The page for groups of metrics. */
export function metricsPage(groups) {
  const parts = Object.entries(groups).map(([title, metrics]) => {
    const rows = metrics.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    );
    return `\n## ${title}\n\n| Name | Type | Labels | What it says |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `${HEADER}${parts.join("")}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { METRIC_GROUPS } = await import(
    pathToFileURL(join(ROOT, "dist", "health", "metric", "metrics.js")).href
  );
  const page = metricsPage(METRIC_GROUPS);
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/metrics.md differs from src/health: npm run docs");
    process.exitCode = 1;
  }
}
