import { EMPTY_GUID, type Guid } from "../base/index.js";
import { EVENT_TYPES, type EventCategory, type EventQuery, type EventRecord } from "../event/index.js";
import type { AlarmTarget, LocalClock } from "../site/index.js";
import { isOutsideHours, localTime } from "./sending-times.js";

const ALARM = 1 as const;
const ERROR = 2 as const;

/** Name of the event field with the target that an event about alarms concerns. */
export const TARGET_FIELD = "AlarmTargetId";
/** A target does not get these events about itself: they would not arrive, or be redundant. */
const OWN_TYPES: ReadonlySet<Guid> = new Set<Guid>([EVENT_TYPES.alarmsFailing.id, EVENT_TYPES.alarmsWork.id]);

/** Whether the target gets the event, now or later. */
export function isSelected(
  target: Omit<AlarmTarget, "delivery">,
  event: EventRecord,
  local: LocalClock = localTime,
): boolean {
  if (!target.isEnabled || isOutsideHours(target, event, local)) return false;
  if (OWN_TYPES.has(event.typeId) && event.fields?.[TARGET_FIELD] === target.id) return false;
  return isOfChannel(target, event.channelId) && isOfType(target, event);
}

/** The query for the target's events in the log; `isSelected` makes the final choice. */
export function queryOf({
  events,
  channelIds,
}: AlarmTarget): Pick<EventQuery, "categories" | "typeIds" | "channelIds"> {
  const channels = channelIds === "all" ? {} : { channelIds: new Set<Guid>([...channelIds, EMPTY_GUID]) };
  if (events === "errors") return { categories: new Set<EventCategory>([ERROR]), ...channels };
  if (events === "errorsAndAlarms")
    return { categories: new Set<EventCategory>([ERROR, ALARM]), ...channels };
  return { typeIds: new Set(events), ...channels };
}

function isOfChannel(
  { channelIds, isToldOfRecorder }: Pick<AlarmTarget, "channelIds" | "isToldOfRecorder">,
  channelId: Guid,
): boolean {
  if (channelId === EMPTY_GUID) return isToldOfRecorder;
  return channelIds === "all" || channelIds.includes(channelId);
}

function isOfType({ events }: Pick<AlarmTarget, "events">, { typeId, category }: EventRecord): boolean {
  if (events === "errors") return category === ERROR;
  if (events === "errorsAndAlarms") return category === ERROR || category === ALARM;
  return events.includes(typeId);
}
