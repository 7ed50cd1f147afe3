import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { METRIC_GROUPS } from "../../../src/health/index.js";
import { fromPython } from "../../support/api/from-python.js";

const LABELS = new Map(
  Object.values(METRIC_GROUPS)
    .flat()
    .map(({ name, labels }) => [name, labels]),
);
const file = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

/** Every metric that an expression names, with the labels of its selector. */
function selectors(expression: string): readonly { name: string; labels: readonly string[] }[] {
  const found = expression.matchAll(/\b((?:nvrd|process|nodejs)_\w+)(?:\{([^}]*(?:\{[^}]*\}[^}]*)*)\})?/g);
  return [...found].map(([, name = "", selector = ""]) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*=~?\s*"/g)].map(([, label = ""]) => label),
  }));
}

/** Labels that Prometheus adds itself. */
const ADDED = ["instance", "job"];

function expectKnown(expression: string): number {
  const named = selectors(expression);
  for (const { name, labels } of named) {
    expect(LABELS.has(name), `${name} in ${expression}`).toBe(true);
    for (const label of labels) expect([...ADDED, ...(LABELS.get(name) ?? [])], expression).toContain(label);
  }
  return named.length;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly gridPos: { x: number; y: number; w: number; h: number };
    readonly targets: readonly { expr: string; legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { definition?: string }[] };
}

it("every metric and label of the Grafana dashboard exists", () => {
  const { panels, templating } = JSON.parse(file("grafana/nvrd.json")) as Dashboard;
  expect(panels.length).toBeGreaterThan(20);
  for (const { targets } of panels) {
    for (const { expr, legendFormat } of targets) {
      expect(expectKnown(expr), expr).toBeGreaterThan(0);
      const labels = [...ADDED, ...selectors(expr).flatMap(({ name }) => LABELS.get(name) ?? [])];
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(labels, expr).toContain(label);
    }
  }
  for (const { definition = "" } of templating.list) expectKnown(definition);
});

it("no panel of the Grafana dashboard lies on another", () => {
  const { panels } = JSON.parse(file("grafana/nvrd.json")) as Dashboard;
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

interface ZabbixItem {
  readonly uuid: string;
  readonly key: string;
  readonly type: string;
  readonly master_item?: { readonly key: string };
  readonly preprocessing?: readonly { readonly type: string; readonly parameters: readonly string[] }[];
  readonly triggers?: readonly { readonly uuid: string; readonly expression: string }[];
  readonly trigger_prototypes?: readonly { readonly uuid: string; readonly expression: string }[];
}

interface ZabbixRule extends ZabbixItem {
  readonly item_prototypes: readonly ZabbixItem[];
  readonly lld_macro_paths: readonly { readonly lld_macro: string; readonly path: string }[];
}

interface ZabbixTemplate extends Pick<ZabbixItem, "uuid"> {
  readonly template: string;
  readonly items: readonly ZabbixItem[];
  readonly discovery_rules: readonly ZabbixRule[];
}

async function zabbixTemplate(): Promise<ZabbixTemplate> {
  const program = ["import yaml", "answer = yaml.safe_load(text)"];
  const document = (await fromPython(program, file("zabbix/nvrd.yaml"))) as {
    zabbix_export: { version: string; templates: ZabbixTemplate[] };
  };
  expect(document.zabbix_export.version).toBe("6.0");
  const [template] = document.zabbix_export.templates;
  if (template === undefined) throw new Error("no template");
  return template;
}

it("every metric and label of the Zabbix template exists", async () => {
  const { items, discovery_rules: rules } = await zabbixTemplate();
  const all = [...items, ...rules, ...rules.flatMap((rule) => rule.item_prototypes)];
  const patterns = all.flatMap(({ preprocessing = [] }) =>
    preprocessing
      .filter(({ type }) => type === "PROMETHEUS_PATTERN" || type === "PROMETHEUS_TO_JSON")
      .map(({ parameters: [pattern = ""] }) => pattern),
  );
  expect(patterns.length).toBeGreaterThan(25);
  for (const pattern of patterns) expect(expectKnown(pattern), pattern).toBe(1);
  for (const { preprocessing = [], lld_macro_paths: paths } of rules) {
    const [name = ""] = preprocessing[0]?.parameters ?? [];
    for (const { path } of paths)
      expect(LABELS.get(name)).toContain(/^\$\.labels\['(\w+)'\]$/.exec(path)?.[1]);
  }
});

it("every trigger and dependent item of the Zabbix template names an item of it, and each id is its own", async () => {
  const { uuid, template, items, discovery_rules: rules } = await zabbixTemplate();
  const prototypes = rules.flatMap((rule) => rule.item_prototypes);
  const all = [...items, ...rules, ...prototypes];
  const keys = new Set(all.map(({ key }) => key));
  const triggers = all.flatMap(({ triggers: own = [], trigger_prototypes: made = [] }) => [...own, ...made]);
  expect(triggers.length).toBeGreaterThan(6);
  for (const { expression } of triggers)
    for (const [, key] of expression.matchAll(new RegExp(`/${template}/([\\w.]+(?:\\[[^\\]]*\\])?)`, "g")))
      expect(keys, expression).toContain(key);
  for (const { master_item: master, type } of all) {
    expect(type === "DEPENDENT").toBe(master !== undefined);
    if (master !== undefined) expect(keys).toContain(master.key);
  }
  const ids = [uuid, ...all.map((item) => item.uuid), ...triggers.map((trigger) => trigger.uuid)];
  expect(new Set(ids).size).toBe(ids.length);
  // Zabbix refuses what is no random UUID (version 4).
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
});
