import { by, decimal, line } from "../kinds/kinds.js";

/**
 * A zone of a camera's motion detector, in `Zones` of its settings, whose members are anybody's own: read where it is used,
 * within these limits. What it means is in docs/ref/motion-zones.md.
 */
export const motionZone = {
  Id: line(64),
  Name: line(64),
  /** How small a change counts, from 1 (least). */
  Sensitivity: by(decimal(1, 100), 50),
  /** Smallest object that counts, in percent of the picture. */
  MinSize: by(decimal(0.05, 100), 0.2),
} as const;

export const ZONES_MAX = 16;
export const ZONE_POINTS_MAX = 64;
export const ZONE_GRID_SIDE_MAX = 64;
/** Least side of a polygon: analysed pictures are 160 pixels wide. */
export const ZONE_SIDE_MIN = 0.02;
