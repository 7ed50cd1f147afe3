import type { SeenKind } from "../../base/index.js";
import { clean, TEXT_LENGTH_MAX, type XmlElement } from "../xml/xml-element.js";
import { kindsOfTopic } from "./camera-event-signal.js";

/** Topics that are read of a device; more are left out. */
export const TOPICS_MAX = 256;
/** Elements of the tree of topics that are looked at, and its depth. */
const ELEMENTS_MAX = 4096;
const DEPTH_MAX = 10;
/** Items of one message, in each of its parts. */
const ITEMS_MAX = 32;

/** A kind of message that a device offers. */
export interface OfferedTopic {
  /** Without prefixes: `RuleEngine/CellMotionDetector/Motion`. */
  readonly topic: string;
  /** What the recorder takes it for; empty: it has no use for it. */
  readonly kinds: readonly SeenKind[];
  /** A state that begins and ends; false: a moment. */
  readonly isState: boolean;
  /** Names of what says where: `VideoSourceConfigurationToken`, `Rule`. */
  readonly source: readonly string[];
  /** Names of what is reported: `IsMotion`. */
  readonly data: readonly string[];
}

/** The topics in an answer to GetEventProperties (ONVIF Core, 9.8; WS-Topics 1.3, 7), each once. */
export function offeredTopics(answer: XmlElement): OfferedTopic[] {
  const set = answer.child("TopicSet");
  const topics = new Map<string, OfferedTopic>();
  let left = ELEMENTS_MAX;
  const walk = (parent: XmlElement, path: readonly string[]): void => {
    for (const [name, element] of parent.elements()) {
      if (left === 0 || topics.size >= TOPICS_MAX) return;
      left -= 1;
      if (name === "MessageDescription" || name === "documentation") continue;
      const own = [...path, clean(name.slice(0, TEXT_LENGTH_MAX))];
      const message = element.child("MessageDescription");
      const topic = own.join("/").slice(0, TEXT_LENGTH_MAX);
      if (message !== undefined || /^(?:true|1)$/.test(element.attribute("topic")))
        if (!topics.has(topic)) topics.set(topic, offered(topic, message));
      if (own.length < DEPTH_MAX) walk(element, own);
    }
  };
  if (set !== undefined) walk(set, []);
  return [...topics.values()];
}

function offered(topic: string, message: XmlElement | undefined): OfferedTopic {
  const data = namesOf(message, "Data");
  return {
    topic,
    kinds: kindsOfTopic(topic, data),
    isState: /^(?:true|1)$/i.test(message?.attribute("IsProperty") ?? ""),
    source: [...namesOf(message, "Source"), ...namesOf(message, "Key")],
    data,
  };
}

function namesOf(message: XmlElement | undefined, part: string): string[] {
  const items = message?.child(part)?.children("SimpleItemDescription").slice(0, ITEMS_MAX) ?? [];
  return items.map((item) => item.attribute("Name")).filter((name) => name !== "");
}
