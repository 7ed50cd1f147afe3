import { cameraObjects, type ObjectDetectionSettings } from "../../../../contract/index.js";
import type { Camera } from "../model.js";

/* What the recorder looks for in a camera's pictures, as the form has it. */

export const OBJECT_MODES = cameraObjects.Mode.of;
export type ObjectMode = (typeof OBJECT_MODES)[number];
export const OBJECT_LABELS = cameraObjects.Kinds.item.of;
export type ObjectLabel = (typeof OBJECT_LABELS)[number];

/** Percents that the form offers; another one that was set stays among them. */
const SCORES = [35, 50, 65, 80];

export interface ObjectsDraft {
  readonly mode: ObjectMode;
  readonly labels: ReadonlySet<ObjectLabel>;
  readonly minScore: number;
  readonly loiteringSeconds: string;
}

function settingsOf({ AnalyzeSettings }: Camera): ObjectDetectionSettings | undefined {
  return AnalyzeSettings.ObjectDetectionSettings ?? undefined;
}

export function objectsDraft(camera: Camera): ObjectsDraft {
  const settings = settingsOf(camera);
  return {
    mode: settings?.Mode ?? cameraObjects.Mode.default,
    labels: new Set(settings?.Kinds ?? OBJECT_LABELS),
    minScore: settings?.MinScore ?? cameraObjects.MinScore.default,
    loiteringSeconds: `${settings?.LoiteringSeconds ?? cameraObjects.LoiteringSeconds.default}`,
  };
}

export function scoresOf(minScore: number): readonly number[] {
  return [...new Set([...SCORES, minScore])].sort((one, other) => one - other);
}

/** What the recorder is sent. */
export function objectsSettings({ mode, labels, minScore, loiteringSeconds }: ObjectsDraft) {
  const isAll = labels.size === OBJECT_LABELS.length;
  return {
    Mode: mode,
    Kinds: isAll ? null : OBJECT_LABELS.filter((label) => labels.has(label)),
    MinScore: minScore,
    LoiteringSeconds: Number(loiteringSeconds),
  };
}

export function isLoiteringTime(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) <= cameraObjects.LoiteringSeconds.max;
}
