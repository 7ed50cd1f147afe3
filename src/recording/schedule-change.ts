import { type DayRange, WEEK_DAYS, type WeekDay, type WeeklySchedule } from "../site/index.js";

/** A longer schedule is not kept in an event: some eighty ranges a week fit. */
const TEXT_CHARACTERS_MAX = 1024;
const HEAD = "schedule before: ";
const ALWAYS = "always";
const NEVER = "never";
const NOT_KEPT = "too long to be kept";

/** The schedule that held up to a change; `isKnown` false: it was too long to be kept. */
export interface ScheduleBefore {
  readonly isKnown: boolean;
  /** As in the configuration: undefined is always. */
  readonly schedule: WeeklySchedule | undefined;
}

/** The comment of an event `recordingModeChanged` for a change of the schedule: what it was. */
export function scheduleChangeText(before: WeeklySchedule | undefined): string {
  const text = HEAD + scheduleText(before);
  return text.length > TEXT_CHARACTERS_MAX ? HEAD + NOT_KEPT : text;
}

/** Reads such a comment; undefined for any other text. */
export function readScheduleChange(text: string): ScheduleBefore | undefined {
  if (!text.startsWith(HEAD)) return undefined;
  const said = text.slice(HEAD.length);
  if (said === ALWAYS) return { isKnown: true, schedule: undefined };
  if (said === NEVER) return { isKnown: true, schedule: {} };
  const schedule = readSchedule(said);
  return { isKnown: schedule !== undefined, schedule };
}

/** `Monday 08:00-12:00 13:00-24:00, Tuesday 00:00-24:00`. */
export function scheduleText(schedule: WeeklySchedule | undefined): string {
  if (schedule === undefined) return ALWAYS;
  const days = WEEK_DAYS.flatMap((day) => {
    const ranges = (schedule[day] ?? []).map(
      ({ fromMinute, toMinute }) => `${clockText(fromMinute)}-${clockText(toMinute)}`,
    );
    return ranges.length === 0 ? [] : [`${day} ${ranges.join(" ")}`];
  });
  return days.length === 0 ? NEVER : days.join(", ");
}

function readSchedule(text: string): WeeklySchedule | undefined {
  const schedule: Partial<Record<WeekDay, readonly DayRange[]>> = {};
  for (const said of text.split(", ")) {
    const [name, ...ranges] = said.split(" ");
    const day = WEEK_DAYS.find((known) => known === name);
    const found = ranges.map(readRange);
    if (day === undefined || found.includes(undefined)) return undefined;
    schedule[day] = found.filter((range) => range !== undefined);
  }
  return schedule;
}

function readRange(text: string): { readonly fromMinute: number; readonly toMinute: number } | undefined {
  const [, fromHour, from, toHour, to] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text) ?? [];
  if (to === undefined) return undefined;
  return { fromMinute: Number(fromHour) * 60 + Number(from), toMinute: Number(toHour) * 60 + Number(to) };
}

function clockText(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
