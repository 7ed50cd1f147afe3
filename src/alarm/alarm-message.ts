import { EMPTY_GUID, formatIsoTime, type Guid } from "../base/index.js";
import { EVENT_TYPES, type EventRecord } from "../event/index.js";

/** One message to a target. */
export interface AlarmMessage {
  /** Identical in every attempt, so that a receiver can detect a repetition. */
  readonly id: Guid;
  readonly server: { readonly id: Guid; readonly name: string };
  readonly target: string;
  /** Unix µs. */
  readonly sentUs: number;
  /** A test message. */
  readonly isTest: boolean;
  /** In order. Empty: a test, or a message that only counts omitted events. */
  readonly events: readonly EventRecord[];
  /** Number of earlier events that were omitted. */
  readonly omittedEvents: number;
}

const CATEGORY_NAMES = ["Information", "Alarm", "Error"] as const;
const NAMES_BY_ID: ReadonlyMap<Guid, string> = new Map(
  Object.entries(EVENT_TYPES).map(([name, { id }]) => [id, name]),
);

/** `cameraLost`; empty for a type that is not in the catalogue. */
export function eventTypeName(event: EventRecord): string {
  return NAMES_BY_ID.get(event.typeId) ?? "";
}

export function categoryName({ category }: EventRecord): string {
  return CATEGORY_NAMES[category];
}

/** `Connection to camera lost: Gate: no answer` */
export function eventLine({ description, channelName, comment }: EventRecord): string {
  return [description, channelName, comment].filter((part) => part !== "").join(": ");
}

/** Text from cameras and disks may contain anything. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** The summary line: `Connection to camera lost: Gate (and 2 more)`. */
export function headline(message: AlarmMessage): string {
  if (message.isTest) return "Test: alarms of this recorder arrive here";
  const [first] = message.events;
  if (first === undefined) return `Events left out: ${message.omittedEvents}`;
  const more = message.events.length - 1 + message.omittedEvents;
  const line = eventLine(first);
  return oneLine(more > 0 ? `${line} (and ${more} more)` : line);
}

/** The message as a webhook gets it (docs/ref/alarms.md). */
export function messageJson(message: AlarmMessage): string {
  return JSON.stringify({
    NvrdAlarm: 1,
    Id: message.id,
    Server: { Id: message.server.id, Name: message.server.name },
    Target: message.target,
    SentAt: formatIsoTime(message.sentUs),
    IsTest: message.isTest,
    Headline: headline(message),
    OmittedEvents: message.omittedEvents,
    Events: message.events.map((event) => ({
      Sequence: event.sequence,
      EventId: event.typeId,
      EventType: eventTypeName(event),
      EventDescription: event.description,
      Category: categoryName(event),
      Timestamp: formatIsoTime(event.timeUs),
      ChannelId: event.channelId === EMPTY_GUID ? null : event.channelId,
      ChannelName: event.channelName,
      Comment: event.comment,
    })),
  });
}

/** The message as text: a line per event. */
export function messageText(message: AlarmMessage): string {
  const lines = message.events.map(
    (event) => `${formatIsoTime(event.timeUs)}  ${categoryName(event)}: ${oneLine(eventLine(event))}`,
  );
  if (message.isTest) lines.push("This is a test message. Nothing has happened.");
  if (message.omittedEvents > 0)
    lines.push(`Events that were left out: ${message.omittedEvents}. They are in the recorder's event log.`);
  return [...lines, "", `Recorder: ${message.server.name}`, `Alarm target: ${message.target}`, ""].join("\n");
}
