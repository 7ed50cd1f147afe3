import { OBJECT_LABELS, type ObjectLabel, type SeenKind } from "../../base/index.js";

/** The number of each label among COCO's kinds. */
const COCO_NUMBERS: Readonly<Record<ObjectLabel, number>> = {
  person: 1,
  bicycle: 2,
  car: 3,
  motorcycle: 4,
  bus: 6,
  truck: 8,
  cat: 17,
  dog: 18,
};

/** What the detector distinguishes. */
export type DetectedLabel = ObjectLabel;

export const DETECTED_LABELS = OBJECT_LABELS;

export function cocoNumber(label: DetectedLabel): number {
  return COCO_NUMBERS[label];
}

/** A label's kind among those that cameras report. */
export const KIND_OF_LABEL = {
  person: "person",
  bicycle: "vehicle",
  car: "vehicle",
  motorcycle: "vehicle",
  bus: "vehicle",
  truck: "vehicle",
  cat: "animal",
  dog: "animal",
} as const satisfies Readonly<Record<DetectedLabel, SeenKind>>;

export type ObjectKind = (typeof KIND_OF_LABEL)[DetectedLabel];
