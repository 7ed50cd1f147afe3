import { OBJECT_LABELS } from "../../../base/index.js";
import { objectScore } from "../../../contract/index.js";
import { type MotionZone, readMotionZones, zoneHas } from "../../../recording/index.js";
import type {
  DetectedLabel,
  SightCamera,
  SightRules,
  WantedThing,
  WatchedZone,
} from "../../../sight/index.js";
import {
  analyseStreamType,
  type Camera,
  cameraOptions,
  type ObjectChoice,
  ROTATION_DEGREES,
} from "../../../site/index.js";

const PERCENT = 100;

/** What a camera is looked at for, by its settings. */
export function sightRules(camera: Camera, objects: ObjectChoice): Pick<SightCamera, "rules" | "key"> {
  const zones = motionZonesOf(camera);
  const { rotationMode } = camera.connection.streams[analyseStreamType(camera)];
  const rules = rulesOf(objects, zones, ROTATION_DEGREES[rotationMode]);
  return { rules, key: JSON.stringify([objects, zones, rotationMode]) };
}

function motionZonesOf(camera: Camera): readonly MotionZone[] {
  const json = cameraOptions(camera).analyze.motionDetector?.zonesJson ?? null;
  const { zones } = readMotionZones(json === null ? null : (JSON.parse(json) as unknown));
  return drawnZones(zones);
}

/** Without the whole picture, which stands for none. */
export function drawnZones(zones: readonly MotionZone[]): readonly MotionZone[] {
  return zones.filter(({ area }) => area.kind !== "picture");
}

export function rulesOf(
  objects: ObjectChoice,
  zones: readonly MotionZone[],
  rotation: SightRules["rotation"],
): SightRules {
  const { kinds, minScore, scores, minSize, maxSize, loiteringSeconds, lines } = objects;
  const labels: readonly DetectedLabel[] = kinds ?? OBJECT_LABELS;
  const wantedOf = (label: DetectedLabel): WantedThing => {
    const own = scores.find(({ kind }) => kind === label);
    return {
      scoreMin: (own?.minScore ?? minScore) / PERCENT,
      sizeMin: Math.max(minSize, own?.minSize ?? objectScore.MinSize.default) / PERCENT,
      sizeMax: Math.min(maxSize, own?.maxSize ?? objectScore.MaxSize.default) / PERCENT,
    };
  };
  return {
    wanted: new Map(labels.map((label) => [label, wantedOf(label)])),
    ...{ loiteringSeconds, rotation },
    zones: zones.map(({ name, area }): WatchedZone => ({ name, has: (point) => zoneHas(area, point) })),
    lines: lines.map(({ name, fromX, fromY, toX, toY, direction, kinds: whose }) => ({
      ...{ name, from: { x: fromX, y: fromY }, to: { x: toX, y: toY } },
      labels: whose === undefined || whose === null ? undefined : new Set(whose),
      direction: direction === "Both" ? undefined : DIRECTIONS[direction],
    })),
  };
}

const DIRECTIONS = { LeftToRight: "leftToRight", RightToLeft: "rightToLeft" } as const;
