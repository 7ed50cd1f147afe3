import { signal } from "@preact/signals";
import { sayError } from "../../control/notice.js";
import { boxZone } from "../../state/time-format.js";
import { addDays, addMonths, type CalendarDay } from "../../state/zone.js";
import { readTimeline } from "../timeline/data.js";
import { recordedPart } from "../timeline/row.js";
import { chosen } from "../watch/model.js";
import { ticksIn } from "./ticks.js";

const HOUR_MS = 3_600_000;

export interface RecordedHour {
  readonly from: number;
  readonly part: number;
}

export interface RecordedDay {
  /** 0 to 1: of the camera that has most. */
  readonly part: number;
  /** 24 of them, 23 or 25 where the clock is changed. */
  readonly hours: readonly RecordedHour[];
}

/** What is recorded of the days of the month that is looked at, by `year-month-day`. */
export const recordedDays = signal<ReadonlyMap<string, RecordedDay>>(new Map());

/** Reads a month; returns how to give it up. */
export function readRecordedDays(first: CalendarDay): () => void {
  const abort = new AbortController();
  const channels = chosen.peek();
  if (channels.length === 0) return () => undefined;
  const span = { from: boxZone.peek().startOf(first), to: boxZone.peek().startOf(addMonths(first, 1)) };
  readTimeline({ channels, span, steps: 31 * 48 }, abort.signal).then(
    (answer) => {
      const days = new Map<string, RecordedDay>();
      for (let day = first; day.month === first.month; day = addDays(day, 1)) {
        const hours = hoursOf(day).map(({ from, to }) => ({
          from,
          part: Math.max(0, ...answer.Channels.map((channel) => recordedPart(channel, { from, to }))),
        }));
        const part = hours.reduce((sum, hour) => sum + hour.part, 0) / Math.max(hours.length, 1);
        days.set(`${day.year}-${day.month}-${day.day}`, { part, hours });
      }
      recordedDays.value = days;
    },
    (error: unknown) => {
      if (!abort.signal.aborted) sayError(error);
    },
  );
  return () => abort.abort();
}

function hoursOf(day: CalendarDay): readonly { from: number; to: number }[] {
  const [start, end] = [boxZone.peek().startOf(day), boxZone.peek().startOf(addDays(day, 1))];
  const ticks = ticksIn(boxZone.peek(), start, end, HOUR_MS).map(({ at }) => at);
  return ticks.filter((at) => at < end).map((from, index, all) => ({ from, to: all[index + 1] ?? end }));
}
