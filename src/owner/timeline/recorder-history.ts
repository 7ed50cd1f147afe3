import { type Interval, US_PER_SECOND } from "../../base/index.js";
import type { GapReason, RunEnd } from "../../contract/answer/index.js";
import { readInterruption } from "../../health/index.js";
import type { Cause } from "./cause-log.js";

/** A time in which the service did not run. */
export interface DownTime extends Interval {
  readonly reason: Extract<GapReason, "service-stopped" | "service-crashed" | "power-cut">;
  /**
   * When the run behind it was there for certain. A run that was not stopped in order may have lasted minutes longer than is
   * known: what was recorded before this moment was recorded by it.
   */
  readonly overUs: number;
}

/** What the events of the recorder itself say about times in which no channel was recorded. */
export interface RecorderHistory {
  readonly downTimes: readonly DownTime[];
  /** Times that the clock never showed, because it was moved ahead over them. */
  readonly skipped: readonly Interval[];
  /** Times in which something held the main thread. */
  readonly held: readonly Interval[];
}

const END_REASONS: Readonly<Record<RunEnd, DownTime["reason"]>> = {
  stopped: "service-stopped",
  updated: "service-stopped",
  failed: "service-crashed",
  crashed: "service-crashed",
  killed: "service-crashed",
  "power-lost": "power-cut",
};

/** `causes`: in the order of time. */
export function recorderHistory(causes: readonly Cause[]): RecorderHistory {
  const downTimes: DownTime[] = [];
  const skipped: Interval[] = [];
  const held: Interval[] = [];
  let down: Omit<DownTime, "toUs"> | undefined;
  let lastUs = 0;
  for (const { name, timeUs, comment } of causes) {
    if (name === "serviceStopped") down ??= { fromUs: timeUs, reason: "service-stopped", overUs: timeUs };
    else if (name === "serviceInterrupted") {
      const said = readInterruption(comment);
      const reason = END_REASONS[said?.kind ?? "killed"];
      // It was last known to run at the latest of: its note of being alive, its last event.
      const aliveUs = Math.min(timeUs, Math.max(said?.aliveUs ?? lastUs, lastUs));
      down = { fromUs: down?.fromUs ?? aliveUs, reason, overUs: timeUs };
    } else if (name === "serviceStarted") {
      if (down !== undefined) downTimes.push({ ...down, toUs: timeUs });
      down = undefined;
    } else if (name === "clockStepped") {
      const shiftUs = shiftOf(comment);
      if (shiftUs > 0) skipped.push({ fromUs: timeUs - shiftUs, toUs: timeUs });
    } else if (name === "recorderHeld") held.push({ fromUs: timeUs - heldWithinUs(comment), toUs: timeUs });
    lastUs = timeUs;
  }
  if (down !== undefined) downTimes.push({ ...down, toUs: Number.POSITIVE_INFINITY });
  return { downTimes, skipped, held };
}

/** Of the comment `1.5 of 2.0 s, by …`. */
function heldWithinUs(comment: string): number {
  const [, seconds] = /^\d+\.\d of (\d+\.\d) s, /.exec(comment) ?? [];
  return seconds === undefined ? 0 : Number(seconds) * US_PER_SECOND;
}

/** Of the comment `by +3600.000 s`. */
function shiftOf(comment: string): number {
  const [, seconds] = /^by ([+-]\d+(?:\.\d+)?) s$/.exec(comment) ?? [];
  return seconds === undefined ? 0 : Number(seconds) * US_PER_SECOND;
}
