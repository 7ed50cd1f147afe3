import { computed, signal } from "@preact/signals";
import { boxZone } from "../../state/time-format.js";
import { timeWords } from "../time/format.js";
import { daysBetween, stepFor, ticksIn } from "../time/ticks.js";
import { active, chosen, foundSpans, shownNow, shownSpan } from "../watch/model.js";
import { timelineAnswer, timelineRows } from "./data.js";
import { type LabelledTick, RULER_HEIGHT, type TimelinePicture } from "./paint.js";
import { rowsOf } from "./rows.js";
import { type Span, xOf } from "./span.js";

/** Width of the timeline's field, CSS pixels; 0 until it is laid out. */
export const fieldWidth = signal(0);

/** Rows of all cameras are wanted, however many they are. */
export const hasAllRows = signal(false);

/** A phone that lies has the height of one row. */
const LOW = matchMedia("(max-height: 30rem)");
const isLow = signal(LOW.matches);
LOW.addEventListener("change", ({ matches }) => (isLow.value = matches));

/** Rows of so many cameras leave room for their pictures. */
export const rowsMax = computed(() => (isLow.value ? 1 : 4));

/** Of which cameras there are rows: their places among those that are shown. */
export const rows = computed(() =>
  rowsOf({
    count: chosen.value.length,
    active: chosen.value.indexOf(active.value ?? ""),
    most: rowsMax.value,
    hasAll: hasAllRows.value,
  }),
);

/** Of several cameras, and on a screen that is low, the rows are low: the room is for the pictures. */
export const rowHeight = computed(() => (chosen.value.length > 1 || isLow.value ? 28 : 40));

export const fieldHeight = computed(
  () => RULER_HEIGHT + Math.max(rows.value.length, 1) * rowHeight.value + 6,
);

/** Pixels that a label of each precision needs. */
const LABEL_PIXELS = { tenth: 84, second: 76, minute: 58 } as const;

function labelledTimes(span: Span, width: number): readonly LabelledTick[] {
  const length = span.to - span.from;
  const seconds = stepFor(length, width, LABEL_PIXELS.second);
  const precision = seconds < 1000 ? "tenth" : seconds < 60_000 ? "second" : "minute";
  const step = stepFor(length, width, LABEL_PIXELS[precision]);
  // Days have labels of their own.
  if (step >= 86_400_000) return [];
  return ticksIn(boxZone.value, span.from, span.to, step).map((tick) => ({
    ...tick,
    label: timeWords(tick.at, precision),
  }));
}

function labelledDays(span: Span): readonly LabelledTick[] {
  const isLong = span.to - span.from > 9 * 86_400_000;
  return daysBetween(boxZone.value, span.from, span.to).map((tick) => ({
    ...tick,
    label: timeWords(tick.at, isLong ? "dayOfMonth" : "shortDay"),
  }));
}

/** What the canvas shows now. */
export const picture = computed<TimelinePicture>(() => {
  const [span, width] = [shownSpan.value, fieldWidth.value];
  return {
    width,
    height: fieldHeight.value,
    rowHeight: rowHeight.value,
    span,
    now: shownNow.value,
    days: labelledDays(span),
    times: labelledTimes(span, width),
    firstDay: timeWords(span.from, "day"),
    answer: timelineAnswer.value,
    channels: rows.value.map((place) => timelineRows.value[place]),
    found: foundSpans.value?.spans ?? [],
    foundRow: rows.value.indexOf(chosen.value.indexOf(foundSpans.value?.channel ?? "")),
    font: "12px system-ui, sans-serif",
  };
});

export function placeOf(time: number): number {
  return xOf(shownSpan.value, fieldWidth.value, time);
}

/** How much time a pointer covers. */
export function reachMs(): number {
  const { from, to } = shownSpan.value;
  return (4 / Math.max(fieldWidth.value, 1)) * (to - from);
}

/** The place of the camera whose row it is; -1 without any. */
export function rowAt(y: number): number {
  const row = Math.floor((y - RULER_HEIGHT) / rowHeight.value);
  return rows.value[Math.min(Math.max(row, 0), rows.value.length - 1)] ?? -1;
}
