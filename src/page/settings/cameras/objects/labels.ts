import { cameraObjects } from "../../../../contract/index.js";

/** What the recorder's detector tells apart. */
export const OBJECT_LABELS = cameraObjects.Kinds.item.of;
export type ObjectLabel = (typeof OBJECT_LABELS)[number];
