/** What the recorder's own detector of objects distinguishes. Names never change, because configurations and programs hold them. */
export const OBJECT_LABELS = [
  "person",
  "bicycle",
  "car",
  "motorcycle",
  "bus",
  "truck",
  "cat",
  "dog",
] as const;

export type ObjectLabel = (typeof OBJECT_LABELS)[number];
