import type { Zone } from "../state/zone.js";
import { type EventItem, keyOf, timeOf } from "./event-item.js";

/** Heights in rem, as events.css has them. */
export const ROW_REM = 4.75;
export const DAY_REM = 2.5;

export interface Entry {
  readonly key: string;
  readonly top: number;
  readonly height: number;
  /** Absent: the heading of the day of `timeMs`. */
  readonly item?: EventItem;
  readonly timeMs: number;
  /** Number of the event in the list, from 0. */
  readonly index: number;
}

export interface Layout {
  readonly entries: readonly Entry[];
  readonly height: number;
}

/** Where each event of the list stands, with a heading before each day. */
export function layoutOf(items: readonly EventItem[], zone: Zone, remPx: number): Layout {
  const entries: Entry[] = [];
  let [top, day] = [0, ""];
  items.forEach((item, index) => {
    const timeMs = timeOf(item);
    const itsDay = dayOf(item, zone, timeMs);
    if (itsDay !== day) {
      day = itsDay;
      entries.push({ key: `day ${day}`, top, height: DAY_REM * remPx, timeMs, index });
      top += DAY_REM * remPx;
    }
    entries.push({ key: keyOf(item), top, height: ROW_REM * remPx, item, timeMs, index });
    top += ROW_REM * remPx;
  });
  return { entries, height: top };
}

/** Finding the day of a moment is slow, and the list is laid out anew with each event that comes. */
const days = new WeakMap<EventItem, { readonly zone: Zone; readonly day: string }>();

function dayOf(item: EventItem, zone: Zone, timeMs: number): string {
  const known = days.get(item);
  if (known?.zone === zone) return known.day;
  const day = zone.textAt(timeMs).slice(0, 10);
  days.set(item, { zone, day });
  return day;
}

/** The entries that touch the stretch from `from` to `to`, pixels. */
export function entriesWithin({ entries }: Layout, from: number, to: number): readonly Entry[] {
  const first = firstBelow(entries, from);
  let last = first;
  while (last < entries.length && (entries[last]?.top ?? to) < to) last += 1;
  return entries.slice(first, last);
}

/** Index of the first entry whose lower edge is below `from`. */
function firstBelow(entries: readonly Entry[], from: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.top + entry.height <= from) low = middle + 1;
    else high = middle;
  }
  return low;
}
