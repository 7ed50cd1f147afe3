import { cameraObjects } from "../../../../contract/index.js";

/** What the recorder's detector distinguishes. */
export const OBJECT_LABELS = cameraObjects.Kinds.item.of;
export type ObjectLabel = (typeof OBJECT_LABELS)[number];
