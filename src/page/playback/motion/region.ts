import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { type Box, WHOLE } from "./box.js";

/** Of the picture: its width by its height. */
export interface RegionShape {
  readonly ratio: number;
}

/** Lies over the picture while the panel is open that brings it. */
export const regionOverlay = signal<ComponentType<RegionShape> | undefined>(undefined);

/** Where in the picture motion is searched. */
export const region = signal<Box>(WHOLE);
