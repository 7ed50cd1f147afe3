/** An event as `POST /archive_events` answers it; what the page uses. */
export interface EventItem {
  readonly ChannelId: string;
  readonly ChannelName: string;
  readonly EventId: string;
  readonly EventCategory: 0 | 1 | 2;
  /** In the page's language where the recorder wrote it. */
  readonly EventComment: string;
  readonly EventDescription: string | null;
  readonly Event: Readonly<Record<string, unknown>> | null;
  /** ISO 8601 with seven digits of a fraction, so that texts sort as the times do. */
  readonly Timestamp: string;
}

/** What is asked of `POST /archive_events`. */
export interface EventSearch {
  readonly channelIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly eventCategories?: readonly number[];
  readonly startTimeUtc?: string;
  readonly endTimeUtc?: string;
  readonly eventInitiatorTypes?: readonly number[];
  readonly text?: string;
  readonly isSearchFromBegin?: boolean;
  readonly searchLimitCount: number;
}

/** What happened: the name of the type in the page's language, or the words of whoever reported the event. */
export function eventTitle({ EventDescription }: EventItem): string {
  return EventDescription ?? "";
}

/** Unix milliseconds of an event. */
export function timeOf({ Timestamp }: EventItem): number {
  return Date.parse(Timestamp);
}

/** Identifies an event: the service gives them no number of their own. */
export function keyOf(item: EventItem): string {
  const members = item.Event === null ? "" : JSON.stringify(item.Event);
  return `${item.Timestamp} ${item.EventId} ${item.ChannelId} ${item.EventDescription} ${item.EventComment} ${members}`;
}

/** A time as the service reads it. */
export function searchTime(timestamp: string): string {
  return timestamp.replace("T", " ").replace("Z", "");
}

/** Members of analytics that people read: a plate, a name, a car. */
const READABLE = [
  "PlateText",
  "LastName",
  "FirstName",
  "Patronymic",
  "CarBrand",
  "CarColor",
  "Groups",
  "AdditionalInfo",
];

/** What analytics found, in words. */
export function findings({ Event: members }: EventItem): string {
  if (members === null) return "";
  return READABLE.map((name) => members[name])
    .filter((value) => typeof value === "string" && value !== "")
    .join(" ");
}
