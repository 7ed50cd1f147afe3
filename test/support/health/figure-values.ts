import type { FigureValues } from "../../../src/health/index.js";

/** Figures of a minute. */
export function figureValues(change: Partial<FigureValues> = {}): FigureValues {
  return {
    cpuPercent: 12.5,
    memoryPercent: 41,
    networkInBytesPerSecond: 4_000_000,
    networkOutBytesPerSecond: 200_000,
    diskWriteBytesPerSecond: 4_100_000,
    celsius: 52,
    depthDays: 31.5,
    ...change,
  };
}
