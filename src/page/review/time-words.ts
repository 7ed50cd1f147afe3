import { DAY_PARTS, type DayPart, daysAgo } from "../state/day-words.js";
import { addDays, type Zone } from "../state/zone.js";

/** Unix milliseconds, both included; one that is left out is open. */
export interface TimeSpan {
  readonly from?: number;
  readonly to?: number;
}

/** They say nothing beside a word of time. */
const FILLERS = new Set([
  "last",
  "this",
  "on",
  "in",
  "the",
  "at",
  "в",
  "во",
  "на",
  "прошлой",
  "этой",
  "прошлый",
]);
/** `sat` and `вс` may be anything that is looked for. */
const NAME_LETTERS_MIN = 4;

/**
 * What a typed text says of the time, as `person, gate, yesterday evening`, and what is left of it; undefined: it says nothing. A part of
 * a day alone is that which began last, and a day of the week the last one.
 */
export function timeInText(
  text: string,
  zone: Zone,
  nowMs: number,
): { readonly span: TimeSpan; readonly rest: string } | undefined {
  const words = text.split(/[\s,;]+/u).filter((word) => word !== "");
  const found = { ago: undefined as number | undefined, part: undefined as DayPart | undefined };
  const today = zone.dayAt(nowMs);
  const rest = words.filter((word) => {
    const typed = word.toLowerCase();
    const ago = typed.length < NAME_LETTERS_MIN ? undefined : daysAgo(typed, today);
    const part = DAY_PARTS.find((one) => one.words.includes(typed));
    found.ago ??= ago;
    found.part ??= part;
    return ago === undefined && part === undefined;
  });
  const { ago, part } = found;
  if (ago === undefined && part === undefined) return undefined;
  const hour = (days: number, at: number): number =>
    zone.momentOf({
      ...addDays(today, Math.floor(at / 24) - days),
      ...{ hour: at % 24, minute: 0, second: 0, millisecond: 0 },
    });
  const { fromHour, toHour } = part ?? { fromHour: 0, toHour: 24 };
  const days = ago ?? (hour(0, fromHour) > nowMs ? 1 : 0);
  const span = { from: hour(days, fromHour), to: hour(days, toHour) - 1 };
  return { span, rest: rest.filter((word) => !FILLERS.has(word.toLowerCase())).join(" ") };
}
