import { MOBILE_LEVELS, type MobileLevel, type MobileSettings } from "../../site/index.js";

/** The level requested by the client; absent members were not requested. */
export interface AskedLevel {
  /** Pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly framesPerSecond: number | undefined;
}

/** The chosen level. */
export interface ChosenLevel {
  readonly width: number;
  readonly height: number;
  /** Maximum pictures per second: the requested rate within the limit. */
  readonly framesPerSecond: number;
  /** The limit: that of the level or, if lower, that of all levels. */
  readonly framesPerSecondMax: number;
  readonly usePFrames: boolean;
}

/**
 * The enabled level closest to the request; undefined if none is enabled. The default resolution is the lowest level's. The
 * distance of a side is its ratio to the requested one; the distance of a rate is the ratio by which the level is below it,
 * because a higher level can also send fewer pictures. Of equally close levels the one with the closer rate is used, then the
 * lower one.
 */
export function chooseLevel(settings: MobileSettings, asked: AskedLevel): ChosenLevel | undefined {
  const levels = MOBILE_LEVELS.map((name) => settings.levels[name]).filter((level) => level.isEnabled);
  const [lowest] = levels;
  if (lowest === undefined) return undefined;
  const hasSize = asked.width !== undefined || asked.height !== undefined;
  const wanted = hasSize ? asked : { ...asked, width: lowest.width, height: lowest.height };
  const chosen = levels.reduce((best, level) => (compare(level, best, wanted) < 0 ? level : best), lowest);
  const limit = Math.min(chosen.fpsLimit, settings.fpsLimit);
  const { width, height, usePFrames } = chosen;
  const framesPerSecond = Math.min(asked.framesPerSecond ?? limit, limit);
  return { width, height, usePFrames, framesPerSecond, framesPerSecondMax: limit };
}

function compare(one: MobileLevel, other: MobileLevel, asked: AskedLevel): number {
  const byDistance = distance(one, asked) - distance(other, asked);
  if (byDistance !== 0 || asked.framesPerSecond === undefined) return byDistance;
  return Math.abs(one.fpsLimit - asked.framesPerSecond) - Math.abs(other.fpsLimit - asked.framesPerSecond);
}

function distance(level: MobileLevel, { width, height, framesPerSecond }: AskedLevel): number {
  const off = (asked: number | undefined, value: number): number => Math.log((asked ?? value) / value);
  const shortfall = Math.max(0, off(framesPerSecond, level.fpsLimit));
  return Math.abs(off(width, level.width)) + Math.abs(off(height, level.height)) + shortfall;
}
