import type { awayHours, ObjectOf } from "../../../contract/index.js";
import { DAYS, EMPTY_WEEK, type Stretch, type Week } from "../cameras/week/week.js";
import { numberOf } from "./typed.js";

/** As `/configure/away` has it: the first that fits counts. */
export interface LimitedHours extends Omit<ObjectOf<typeof awayHours>, "KilobitsPerSecondMax"> {
  readonly KilobitsPerSecondMax: number | string | null;
}

/** A bandwidth, as it is typed, and the hours of the week in which it counts. */
export interface Limit {
  readonly rate: string;
  readonly week: Week;
}

/** Hours with the same bandwidth are together, each minute of the week at most once. */
export function limitsOf(hours: readonly LimitedHours[]): readonly Limit[] {
  const weeks = new Map<string, Week>();
  let taken = EMPTY_WEEK;
  for (const { Day, FromMinute, ToMinute, KilobitsPerSecondMax } of hours) {
    const rate = `${KilobitsPerSecondMax ?? ""}`;
    const day = DAYS.indexOf(Day);
    const free = without([FromMinute, ToMinute], taken[day] ?? []);
    weeks.set(rate, withStretches(weeks.get(rate) ?? EMPTY_WEEK, day, free));
    taken = withStretches(taken, day, free);
  }
  return [...weeks].map(([rate, week]) => ({ rate, week }));
}

export function hoursOf(limits: readonly Limit[]): readonly LimitedHours[] {
  return limits.flatMap(({ rate, week }) =>
    DAYS.flatMap((Day, day) =>
      (week[day] ?? []).map(([FromMinute, ToMinute]) => ({
        ...{ Day, FromMinute, ToMinute },
        KilobitsPerSecondMax: numberOf(rate),
      })),
    ),
  );
}

/** One of the limits is changed; a time of the week has one, the one that it was given last. */
export function withLimit(limits: readonly Limit[], at: number, changed: Limit): readonly Limit[] {
  return limits.map((other, index) =>
    index === at
      ? changed
      : {
          ...other,
          week: other.week.map((stretches, day) =>
            stretches.flatMap((stretch) => without(stretch, changed.week[day] ?? [])),
          ),
        },
  );
}

function withStretches(week: Week, day: number, more: readonly Stretch[]): Week {
  return week.map((stretches, index) =>
    index === day ? [...stretches, ...more].toSorted(([one], [other]) => one - other) : stretches,
  );
}

function without(stretch: Stretch, taken: readonly Stretch[]): readonly Stretch[] {
  return taken.reduce<readonly Stretch[]>(
    (free, [from, to]) =>
      free.flatMap(([begin, end]): Stretch[] =>
        [[begin, Math.min(end, from)] as const, [Math.max(begin, to), end] as const].filter(
          ([a, b]) => a < b,
        ),
      ),
    [stretch],
  );
}
