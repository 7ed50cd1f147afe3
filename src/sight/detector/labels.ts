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
