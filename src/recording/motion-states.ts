import type { Guid } from "../base/index.js";

/** Who says that something moves. Each says so for itself: a channel has motion while any of them says so. */
export type MotionSource = "recorder" | "camera" | "external";

export interface MotionChange {
  readonly channelId: Guid;
  readonly source: MotionSource;
  readonly active: boolean;
  /** When it happened, Unix microseconds. */
  readonly timeUs: number;
  /** The zone or rule that saw it; empty when the source names none. */
  readonly zone: string;
}

/** Called when a channel's motion begins (any source) and when it ends (the last source). */
export type MotionListener = (change: MotionChange) => void;
