import { MOBILE_LEVELS, type MobileLevel, type MobileSettings } from "../../site/index.js";

/** What a client would like; absent: it did not say. */
export interface AskedLevel {
  /** Pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly framesPerSecond: number | undefined;
}

/** What it gets. */
export interface ChosenLevel {
  readonly width: number;
  readonly height: number;
  /** Pictures a second at the most: what is asked for within the limit. */
  readonly framesPerSecond: number;
  /** The limit: the level's or, where it is lower, that of all levels. */
  readonly framesPerSecondMax: number;
  readonly usePFrames: boolean;
}

/**
 * The enabled level closest to what is asked; undefined when none is enabled. Without a resolution the lowest level's
 * is asked for. A side is off by its ratio, however it differs; a rate by the ratio that a level falls short of it, for
 * a level with more can give less. Of equally close ones the one whose rate is nearer, then the lower.
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
