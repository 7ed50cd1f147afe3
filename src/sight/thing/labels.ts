import type { SeenKind } from "../../base/index.js";

/** What the detector tells apart, and the number of each among COCO's kinds. */
const COCO_NUMBERS = {
  person: 1,
  bicycle: 2,
  car: 3,
  motorcycle: 4,
  bus: 6,
  truck: 8,
  cat: 17,
  dog: 18,
} as const;

export type DetectedLabel = keyof typeof COCO_NUMBERS;

export const DETECTED_LABELS = Object.keys(COCO_NUMBERS) as readonly DetectedLabel[];

export function cocoNumber(label: DetectedLabel): number {
  return COCO_NUMBERS[label];
}

/** What is told of a label: its kind among those that cameras tell of. */
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
