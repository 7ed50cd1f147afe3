import { clean, type XmlElement } from "../xml/xml-element.js";

/** Maximum number of messages read from one answer, and of items read from one message. */
const MESSAGES_MAX = 256;
const ITEMS_MAX = 32;
/** Longest topic, and longest value of an item, in characters: some makers put a whole text in JSON into one. */
const TOPIC_LENGTH_MAX = 256;
const VALUE_LENGTH_MAX = 4096;

/** Names of items that may come several times. */
const SEVERAL = /class|type|object|label|target/i;

export type PropertyOperation = "Initialized" | "Changed" | "Deleted";

/** One message of a device; texts are truncated and have no control characters. */
export interface CameraEventMessage {
  /** Without prefixes: `RuleEngine/CellMotionDetector/Motion`. */
  readonly topic: string;
  /** Items of the message's source and key, by name. */
  readonly source: ReadonlyMap<string, string>;
  readonly data: ReadonlyMap<string, string>;
  /** Undefined: not a state, but a momentary event. */
  readonly operation: PropertyOperation | undefined;
  /** By the device's clock, Unix milliseconds; undefined if absent. */
  readonly deviceMs: number | undefined;
}

/** The messages in an answer to PullMessages, or in a Notify (WS-BaseNotification 1.3; ONVIF Core, 9.4 and 9.5). */
export function messagesOf(answer: XmlElement): CameraEventMessage[] {
  const messages: CameraEventMessage[] = [];
  for (const element of answer.children("NotificationMessage").slice(0, MESSAGES_MAX)) {
    const message = element.at("Message", "Message");
    const topic = topicOf(element.child("Topic")?.rawText ?? "");
    if (message === undefined || topic === "") continue;
    messages.push({
      topic,
      source: new Map([...itemsOf(message, "Source"), ...itemsOf(message, "Key")]),
      data: itemsOf(message, "Data"),
      operation: operationOf(message.attribute("PropertyOperation")),
      deviceMs: timeMs(message.attribute("UtcTime")),
    });
  }
  return messages;
}

/** Parses a time of the device; Unix milliseconds. */
export function timeMs(text: string): number | undefined {
  // Some devices omit the time zone; ONVIF times are UTC.
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
  const ms = /^\d{4}-\d\d-\d\d[T ]/.test(text) ? Date.parse(zoned) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

function topicOf(text: string): string {
  const segments = clean(text.slice(0, TOPIC_LENGTH_MAX)).split("/");
  return segments.map((segment) => segment.slice(segment.lastIndexOf(":") + 1).trim()).join("/");
}

function itemsOf(message: XmlElement, part: string): Map<string, string> {
  const items = message.child(part)?.children("SimpleItem").slice(0, ITEMS_MAX) ?? [];
  const values = new Map<string, string>();
  for (const item of items) {
    const [name, value] = [item.attribute("Name"), item.attribute("Value", VALUE_LENGTH_MAX)];
    const before = values.get(name);
    // A list may be an item for each of its members.
    const isListed = before !== undefined && SEVERAL.test(name);
    values.set(name, isListed ? `${before},${value}`.slice(0, VALUE_LENGTH_MAX) : value);
  }
  return values;
}

function operationOf(text: string): PropertyOperation | undefined {
  return text === "Initialized" || text === "Changed" || text === "Deleted" ? text : undefined;
}
