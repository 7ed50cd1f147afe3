import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { boxZone } from "../../state/time-format.js";
import {
  addDays,
  addMonths,
  type CalendarDay,
  daysIn,
  isLater,
  sameDay,
  weekdayOf,
} from "../../state/zone.js";
import { language } from "../../words/language.js";
import { playbackWords } from "../../words/playback.js";
import { timeWords } from "./format.js";
import { readRecordedDays, recordedDays } from "./recorded-days.js";

interface CalendarProps {
  /** The day that is chosen. */
  readonly day: CalendarDay;
  readonly today: CalendarDay;
  readonly onDay: (day: CalendarDay) => void;
}

/** A month with the days marked that have recordings. Arrows move by days and weeks, PageUp and PageDown by months. */
export function Calendar({ day, today, onDay }: CalendarProps) {
  const words = playbackWords();
  const focused = useSignal(day);
  const table = useRef<HTMLTableElement>(null);
  const isMoving = useRef(false);
  useEffect(() => {
    focused.value = day;
  }, [day.year, day.month, day.day]);
  const { year, month } = focused.value;
  useEffect(() => readRecordedDays({ year, month, day: 1 }), [year, month]);
  useEffect(() => {
    if (isMoving.current) table.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    isMoving.current = false;
  }, [focused.value]);

  const move = (next: CalendarDay): void => {
    isMoving.current = true;
    focused.value = isLater(next, today) ? today : next;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = keyMove(event.key, focused.value);
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  };
  const first = boxZone.value.startOf({ year, month, day: 1 });
  return (
    <div class="calendar">
      <header>
        <IconButton
          icon="back"
          label={words.previousMonth}
          onClick={() => (focused.value = addMonths(focused.value, -1))}
        />
        <h2 aria-live="polite">{timeWords(first, "month")}</h2>
        <IconButton
          icon="forward"
          label={words.nextMonth}
          disabled={isLater(addMonths({ year, month, day: 1 }, 1), today)}
          onClick={() => (focused.value = addMonths(focused.value, 1))}
        />
      </header>
      <table ref={table} aria-label={timeWords(first, "month")} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekdays().map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf({ year, month, day: 1 }).map((week) => (
            <tr key={JSON.stringify(week)}>
              {week.map((one, index) => (
                <td key={index}>
                  {one !== undefined && (
                    <DayButton
                      day={one}
                      isChosen={sameDay(one, day)}
                      isFocused={sameDay(one, focused.value)}
                      isToCome={isLater(one, today)}
                      onDay={onDay}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DayButtonProps {
  readonly day: CalendarDay;
  readonly isChosen: boolean;
  readonly isFocused: boolean;
  readonly isToCome: boolean;
  readonly onDay: (day: CalendarDay) => void;
}

function DayButton({ day, isChosen, isFocused, isToCome, onDay }: DayButtonProps) {
  const words = playbackWords();
  const recorded = recordedDays.value.get(`${day.year}-${day.month}-${day.day}`);
  // The column says the day of the week, and the table the year.
  const name = timeWords(boxZone.value.startOf(day), "wholeDayOfMonth");
  const state = recorded === undefined ? "" : `, ${recorded.part > 0 ? words.hasRecordings : words.hasNone}`;
  return (
    <button
      type="button"
      class={recorded !== undefined && recorded.part > 0 ? "day recorded" : "day"}
      tabIndex={isFocused ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={`${name}${state}`}
      disabled={isToCome}
      onClick={() => onDay(day)}
    >
      {day.day}
    </button>
  );
}

function keyMove(key: string, from: CalendarDay): CalendarDay | undefined {
  const days: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  const months: Readonly<Record<string, number>> = { PageUp: -1, PageDown: 1 };
  if (days[key] !== undefined) return addDays(from, days[key]);
  if (months[key] !== undefined) return addMonths(from, months[key]);
  if (key === "Home") return addDays(from, -weekdayOf(from));
  if (key === "End") return addDays(from, 6 - weekdayOf(from));
  return undefined;
}

/** The weeks of a month, Monday first; days of other months are left out. */
function weeksOf(month: CalendarDay): readonly (readonly (CalendarDay | undefined)[])[] {
  const cells: (CalendarDay | undefined)[] = Array.from({ length: weekdayOf(month) });
  for (let day = 1; day <= daysIn(month); day += 1) cells.push({ ...month, day });
  while (cells.length % 7 !== 0) cells.push(undefined);
  return Array.from({ length: cells.length / 7 }, (_week, index) => cells.slice(index * 7, index * 7 + 7));
}

function weekdays(): readonly { short: string; long: string }[] {
  const format = (weekday: "short" | "long") =>
    new Intl.DateTimeFormat(language.value, { weekday, timeZone: "UTC" });
  const [short, long] = [format("short"), format("long")];
  // The first of January 2024 was a Monday.
  return Array.from({ length: 7 }, (_day, index) => {
    const moment = Date.UTC(2024, 0, 1 + index);
    return { short: short.format(moment), long: long.format(moment) };
  });
}
