import { OBJECT_LABELS } from "../../../base/index.js";
import type { Finding, FindingStore } from "../../../finding/index.js";
import type {
  ObjectQuestion,
  ObjectTrials,
  TriedAct,
  TriedFinding,
  TriedObjects,
} from "../../../owner/index.js";
import type { DetectedLabel, SightRules, ThingActs } from "../../../sight/index.js";
import { drawnZones, rulesOf } from "./sight-rules.js";

/** Things that are looked through, the newest; their ways are read one by one. */
export const TRIED_MAX = 200;

type ActsOf = (rules: SightRules) => ThingActs;

/**
 * What would have been reported by other rules: the ways of the things that the recorder saw, as they are kept with their findings, go
 * through zones and lines again. Nothing is decoded.
 */
export class ObjectTrial implements ObjectTrials {
  readonly #findings: Pick<FindingStore, "search" | "get">;

  constructor(findings: Pick<FindingStore, "search" | "get">) {
    this.#findings = findings;
  }

  async run({ camera, objects, zones, fromUs, toUs, signal }: ObjectQuestion): Promise<TriedObjects> {
    const { ThingActs: Acts } = await import("../../../sight/index.js");
    // Where boxes are does not depend on how pictures are turned: they are as the picture is shown.
    const rules = rulesOf(objects, drawnZones(zones), 0);
    const page = await this.#findings.search({
      channels: new Map([[camera.id, camera.name]]),
      ...{ sources: ["recorder"], kinds: [], labels: [], zones: [], lines: [], direction: undefined },
      ...{ fromUs, toUs, sizeMin: 0, scoreMin: 0, region: undefined, text: "", plate: "", name: "" },
      ...{ limit: TRIED_MAX, before: undefined, signal },
    });
    const found: TriedFinding[] = [];
    for (const { id } of page.findings) {
      signal.throwIfAborted();
      const finding = await this.#findings.get(id);
      const tried = finding === undefined ? undefined : tryOn(finding, rules, (one) => new Acts(one));
      if (tried !== undefined) found.push(tried);
    }
    return { found, seen: page.findings.length, isCut: page.hasMore };
  }
}

/** What would have been reported of it; undefined: nothing. */
function tryOn(finding: Finding, rules: SightRules, actsOf: ActsOf): TriedFinding | undefined {
  const label = labelOf(finding);
  const wanted = label === undefined ? undefined : rules.wanted.get(label);
  if (label === undefined || wanted === undefined || (finding.score ?? 1) < wanted.scoreMin) return undefined;
  const way = finding.path.filter(({ box: { width, height } }) => {
    const size = width * height;
    return size >= wanted.sizeMin && size <= wanted.sizeMax;
  });
  const thing = actsOf(rules);
  const acts: TriedAct[] = [];
  const zones = new Set<string>();
  for (const { timeUs, box } of way) {
    for (const act of thing.see(box, timeUs, label)) acts.push({ ...act, timeUs });
    for (const zone of thing.zones) zones.add(zone);
  }
  const isReported = way.length > 0 && (rules.zones.length === 0 || acts.length > 0);
  return isReported ? { finding: { ...finding, zones: [...zones] }, acts } : undefined;
}

/** As the detector names it; undefined: the finding is of a kind that it does not detect. */
function labelOf({ kind, label }: Finding): DetectedLabel | undefined {
  return OBJECT_LABELS.find((one) => one === (label === "" ? kind : label));
}
