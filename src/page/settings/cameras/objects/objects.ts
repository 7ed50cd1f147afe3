import { cameraObjects, type ObjectDetectionSettings } from "../../../../contract/index.js";
import type { Camera } from "../model.js";
import { OBJECT_LABELS, type ObjectLabel } from "./labels.js";
import { isTooShort, type Line, lineOf, lineSetting } from "./lines.js";

/* What the recorder looks for in a camera's pictures, as the form has it. */

export const OBJECT_MODES = cameraObjects.Mode.of;
export type ObjectMode = (typeof OBJECT_MODES)[number];

/** Percents that the form offers; another one that was set stays among them. */
const SCORES = [35, 50, 65, 80];

/** What differs for one kind; sizes are percents of the picture. */
export interface KindDraft {
  readonly label: ObjectLabel;
  readonly minScore: number;
  readonly minSize: string;
  readonly maxSize: string;
}

export interface ObjectsDraft {
  readonly mode: ObjectMode;
  readonly labels: ReadonlySet<ObjectLabel>;
  readonly minScore: number;
  readonly minSize: string;
  readonly maxSize: string;
  readonly loiteringSeconds: string;
  readonly kinds: readonly KindDraft[];
  readonly lines: readonly Line[];
}

const DEFAULT: ObjectDetectionSettings = {
  Mode: cameraObjects.Mode.default,
  Kinds: null,
  MinScore: cameraObjects.MinScore.default,
  Scores: [],
  MinSize: cameraObjects.MinSize.default,
  MaxSize: cameraObjects.MaxSize.default,
  LoiteringSeconds: cameraObjects.LoiteringSeconds.default,
  Lines: [],
};

export function objectsDraft({ AnalyzeSettings }: Camera): ObjectsDraft {
  const settings = { ...DEFAULT, ...AnalyzeSettings.ObjectDetectionSettings };
  return {
    mode: settings.Mode,
    labels: new Set(settings.Kinds ?? OBJECT_LABELS),
    minScore: settings.MinScore,
    ...{ minSize: `${settings.MinSize}`, maxSize: `${settings.MaxSize}` },
    loiteringSeconds: `${settings.LoiteringSeconds}`,
    kinds: settings.Scores.map(({ Kind, MinScore, MinSize, MaxSize }) => ({
      ...{ label: Kind, minScore: MinScore, minSize: `${MinSize}`, maxSize: `${MaxSize}` },
    })),
    lines: settings.Lines.map(lineOf),
  };
}

/** What is the same for a kind as for all. */
export function newKind(label: ObjectLabel, { minScore, minSize, maxSize }: ObjectsDraft): KindDraft {
  return { label, minScore, minSize, maxSize };
}

export function scoresOf(minScore: number): readonly number[] {
  return [...new Set([...SCORES, minScore])].sort((one, other) => one - other);
}

/** What the recorder is sent. */
export function objectsSettings(draft: ObjectsDraft): ObjectDetectionSettings {
  const { labels } = draft;
  const isAll = labels.size === OBJECT_LABELS.length;
  return {
    Mode: draft.mode,
    Kinds: isAll ? null : OBJECT_LABELS.filter((label) => labels.has(label)),
    MinScore: draft.minScore,
    ...{ MinSize: Number(draft.minSize), MaxSize: Number(draft.maxSize) },
    LoiteringSeconds: Number(draft.loiteringSeconds),
    Scores: draft.kinds.map(({ label, minScore, minSize, maxSize }) => ({
      ...{ Kind: label, MinScore: minScore, MinSize: Number(minSize), MaxSize: Number(maxSize) },
    })),
    Lines: draft.lines.map(lineSetting),
  };
}

/** What is wrong, by its name among the words. */
export type ObjectsFault =
  | "noneChosen"
  | "loiteringWrong"
  | "sizesWrong"
  | "lineNameNeeded"
  | "lineNameTwice"
  | "lineTooShort"
  | "lineForNobody";

export function objectsFault(draft: ObjectsDraft): ObjectsFault | undefined {
  const { labels, loiteringSeconds, kinds, lines } = draft;
  if (labels.size === 0) return "noneChosen";
  if (!isLoiteringTime(loiteringSeconds)) return "loiteringWrong";
  if (![draft, ...kinds].every(areSizes)) return "sizesWrong";
  const names = lines.map(({ name }) => name.trim());
  if (names.includes("")) return "lineNameNeeded";
  if (new Set(names).size < names.length) return "lineNameTwice";
  if (lines.some(isTooShort)) return "lineTooShort";
  return lines.some((line) => line.labels.size === 0) ? "lineForNobody" : undefined;
}

export function isLoiteringTime(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) <= cameraObjects.LoiteringSeconds.max;
}

function areSizes({ minSize, maxSize }: Pick<KindDraft, "minSize" | "maxSize">): boolean {
  const isPercent = (text: string): boolean =>
    /^\d+(\.\d+)?$/.test(text) && Number(text) <= cameraObjects.MaxSize.max;
  return isPercent(minSize) && isPercent(maxSize) && Number(minSize) <= Number(maxSize);
}
