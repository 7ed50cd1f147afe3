import type { Guid } from "../../base/index.js";

/**
 * Sources of motion reports. They are independent: a channel has motion while any of them reports it. `blind` is the
 * recorder's detector that cannot see: something might move, so the channel counts as having motion. `analysis`: an analyser
 * found something in the picture. `seen`: the camera reports something besides motion that the channel is recorded on; `sight`:
 * the recorder sees it itself.
 */
export const MOTION_SOURCES = [
  "recorder",
  "camera",
  "external",
  "blind",
  "analysis",
  "seen",
  "sight",
] as const;
export type MotionSource = (typeof MOTION_SOURCES)[number];

/** Where something moves: relative to the picture's sides, from its upper left corner. */
export interface MotionBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface MotionChange {
  readonly channelId: Guid;
  readonly source: MotionSource;
  readonly active: boolean;
  /** When it happened, Unix microseconds. */
  readonly timeUs: number;
  /** The zone or rule that saw it; empty when the source names none. */
  readonly zone: string;
  /** The zone's id for clients (`Zoneid`); default: `zone`, if that is a GUID. */
  readonly zoneId?: string;
  /** The largest piece that moves. */
  readonly box?: MotionBox;
  /** All pieces that move in the zone, where the source distinguishes them: several persons are several. */
  readonly pieces?: readonly MotionBox[];
  /** How much of the picture moves, 0 to 1. */
  readonly strength?: number;
}

/** Most zones of one source that are distinguished on one channel; further ones count as one without a name. */
export const MOTION_ZONES_MAX = 64;
