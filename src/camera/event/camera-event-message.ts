import { clean, type XmlElement } from "../xml/xml-element.js";
import { itemsOf } from "./written-items.js";

/** Maximum number of messages read from one answer: of some recorders, one for each state of each channel. */
const MESSAGES_MAX = 1024;
/** Longest topic, in characters. */
const TOPIC_LENGTH_MAX = 256;

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

/** A topic without a message: cameras say so that what it reported is over (home-assistant/core #37545). */
const NOTHING: Omit<CameraEventMessage, "topic"> = {
  ...{ source: new Map(), data: new Map() },
  ...{ operation: "Deleted", deviceMs: undefined },
};

/** The messages in an answer to PullMessages, or in a Notify (WS-BaseNotification 1.3; ONVIF Core, 9.4 and 9.5). */
export function messagesOf(answer: XmlElement): CameraEventMessage[] {
  const messages: CameraEventMessage[] = [];
  for (const element of answer.children("NotificationMessage").slice(0, MESSAGES_MAX)) {
    const topic = topicOf(element.child("Topic")?.rawText ?? "");
    if (topic === "") continue;
    const written = messagesIn(element);
    if (written.length === 0) messages.push({ topic, ...NOTHING });
    for (const message of written) {
      if (messages.length >= MESSAGES_MAX) return messages;
      const items = itemsOf(message);
      const operation = operationOf(message.attribute("PropertyOperation"));
      const deviceMs = timeMs(message.attribute("UtcTime"));
      const isBare = message.attribute("PropertyOperation") === "" && deviceMs === undefined;
      const saysNothing = isBare && items.source.size + items.data.size === 0;
      messages.push({ topic, ...(saysNothing ? NOTHING : { ...items, operation, deviceMs }) });
    }
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

/**
 * The elements with source and data: within one of WS-Notification (ONVIF Core, 9.5.1); some leave out either, and some write
 * one for each rule.
 */
function messagesIn(notification: XmlElement): XmlElement[] {
  return notification.children("Message").flatMap((outer) => {
    const inner = outer.children("Message");
    return inner.length === 0 ? [outer] : inner;
  });
}

function operationOf(text: string): PropertyOperation | undefined {
  if (/^initiali[sz]ed?$/i.test(text)) return "Initialized";
  if (/^changed$/i.test(text)) return "Changed";
  return /^deleted$/i.test(text) ? "Deleted" : undefined;
}
