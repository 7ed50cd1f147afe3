import { clean, type XmlElement } from "../xml/xml-element.js";

/** Maximum number of messages read from one answer, and of items read from one message. */
const MESSAGES_MAX = 256;
const ITEMS_MAX = 32;
/** Longest topic, and longest value of an item, in characters: some makers put a whole text in JSON into one. */
const TOPIC_LENGTH_MAX = 256;
const VALUE_LENGTH_MAX = 4096;

/** Of an element in the place of a value: how deep it is read, and which of its texts are. */
const ELEMENT_DEPTH_MAX = 8;
const TOLD_WITHIN = /(?:type|types|class|label|category|kind|state|active|platenumber)$/i;

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
  const names = segments.map((segment) => segment.slice(segment.lastIndexOf(":") + 1).trim());
  // Some write the expression for all that is below: `Motion//.`
  return names.filter((name) => name !== "" && name !== ".").join("/");
}

function itemsOf(message: XmlElement, part: string): Map<string, string> {
  const element = message.child(part);
  const simple = element?.children("SimpleItem").slice(0, ITEMS_MAX) ?? [];
  const items = simple.map(
    (item) => [item.attribute("Name"), item.attribute("Value", VALUE_LENGTH_MAX)] as const,
  );
  for (const item of element?.children("ElementItem").slice(0, ITEMS_MAX) ?? [])
    items.push(...textsIn(item, item.attribute("Name"), ELEMENT_DEPTH_MAX));
  const values = new Map<string, string>();
  for (const [name, value] of items.slice(0, ITEMS_MAX)) {
    const before = values.get(name);
    // A list may be an item for each of its members.
    const isListed = before !== undefined && SEVERAL.test(name);
    values.set(name, isListed ? `${before},${value}`.slice(0, VALUE_LENGTH_MAX) : value);
  }
  return values;
}

/** What is told within an element, as items: `Object.Type` for the class of an object, however deep it is. */
function textsIn(element: XmlElement, name: string, depth: number): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (const [tag, child] of element.elements()) {
    if (found.length >= ITEMS_MAX || depth === 0) break;
    if (TOLD_WITHIN.test(tag) && child.childNames.length === 0) {
      const value = child.text();
      if (value !== "") found.push([`${name}.${tag}`, value]);
    } else found.push(...textsIn(child, name, depth - 1));
  }
  return found;
}

function operationOf(text: string): PropertyOperation | undefined {
  return text === "Initialized" || text === "Changed" || text === "Deleted" ? text : undefined;
}
