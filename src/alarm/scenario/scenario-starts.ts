import { EMPTY_GUID, type Guid, MINUTES_PER_DAY, MINUTES_PER_HOUR } from "../../base/index.js";
import type { EventRecord } from "../../event/index.js";
import { type Site, type UserScenario, WEEK_DAYS, type WeekDay } from "../../site/index.js";

/** What starts scenarios, made ready for a configuration: an event is looked up by its type. */
export class ScenarioStarts {
  readonly #byEvent = new Map<Guid, UserScenario[]>();
  /** By the minute of the week. */
  readonly #byMinute = new Map<number, UserScenario[]>();

  constructor({ userScenarios }: Pick<Site, "userScenarios">) {
    for (const scenario of userScenarios) {
      for (const start of scenario.starts ?? []) {
        if (start.kind === "event") for (const id of start.eventTypeIds) add(this.#byEvent, id, scenario);
        else for (const day of start.days) add(this.#byMinute, minuteOfWeek(day, start.minute), scenario);
      }
    }
  }

  get hasTimes(): boolean {
    return this.#byMinute.size > 0;
  }

  /** The scenarios that the event starts: at one of their channels, or at none. */
  ofEvent({ typeId, channelId }: EventRecord): readonly UserScenario[] {
    const scenarios = this.#byEvent.get(typeId) ?? [];
    return scenarios.filter(
      ({ channelIds }) =>
        channelId === EMPTY_GUID || channelIds.length === 0 || channelIds.includes(channelId),
    );
  }

  ofMinute(minute: number): readonly UserScenario[] {
    return this.#byMinute.get(minute) ?? [];
  }
}

export function minuteOfWeek(day: WeekDay, minute: number): number {
  return WEEK_DAYS.indexOf(day) * MINUTES_PER_DAY + minute;
}

/** `Monday 07:30` */
export function minuteText(day: WeekDay, minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${day} ${two(Math.floor(minute / MINUTES_PER_HOUR))}:${two(minute % MINUTES_PER_HOUR)}`;
}

/** Each scenario once, whatever number of its starts say the same. */
function add<K>(map: Map<K, UserScenario[]>, key: K, scenario: UserScenario): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [scenario]);
  else if (!known.includes(scenario)) known.push(scenario);
}
