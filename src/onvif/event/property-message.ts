import { type Guid, US_PER_MS } from "../../base/index.js";
import { EVENT_TYPES, type EventRecord } from "../../event/index.js";
import { TOKENS } from "../media/profiles.js";
import { xmlText } from "../soap/soap-message.js";

/** What clients are notified of: motion, the connection, digital inputs, and what the camera reports. */

export const CONCRETE_SET = "http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet";

export const TOPICS = {
  motion: "VideoSource/MotionAlarm",
  lost: "VideoSource/SignalLoss",
  input: "Device/Trigger/DigitalInput",
} as const;

/** A property of a camera, with its present value. */
export interface PropertyMessage {
  /** Without prefix: `VideoSource/MotionAlarm`. */
  readonly topic: string;
  readonly channelId: Guid;
  /** What names the source: `VideoSourceToken`, and its token. */
  readonly source: readonly [name: string, value: string];
  /** What names it besides, such as a rule. */
  readonly sources?: readonly Item[];
  readonly data: Item;
  readonly timeMs: number;
  /** Undefined: it has no state, it only happens. */
  readonly operation: "Initialized" | "Changed" | undefined;
}

type Item = readonly [name: string, value: string];
type Operation = PropertyMessage["operation"];

/** A line that was crossed, by the name of its rule. */
export const CROSSED = {
  topic: "RuleEngine/LineDetector/Crossed",
  source: "VideoSourceConfigurationToken",
  item: "ObjectId",
} as const;

/** Characters of an input's name in its token, which has at most 64. */
const INPUT_NAME_MAX = 20;

/** Types of events that are changes of a property, by its topic. */
export const EVENTS_OF_TOPICS: ReadonlyMap<string, readonly Guid[]> = new Map([
  [TOPICS.motion, [EVENT_TYPES.motionStarted.id, EVENT_TYPES.motionEnded.id]],
  [TOPICS.lost, [EVENT_TYPES.cameraLost.id, EVENT_TYPES.cameraBack.id]],
  [TOPICS.input, [EVENT_TYPES.inputActivated.id, EVENT_TYPES.inputDeactivated.id]],
]);
const ACTIVE: ReadonlySet<Guid> = new Set([
  EVENT_TYPES.motionStarted.id,
  EVENT_TYPES.cameraLost.id,
  EVENT_TYPES.inputActivated.id,
]);

export function motionMessage(
  channelId: Guid,
  active: boolean,
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.motion, channelId, operation, timeMs },
    source: ["Source", TOKENS.videoSource(channelId)],
    data: ["State", String(active)],
  };
}

export function lostMessage(
  channelId: Guid,
  isLost: boolean,
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.lost, channelId, operation, timeMs },
    source: ["Source", TOKENS.videoSource(channelId)],
    data: ["State", String(isLost)],
  };
}

export function inputMessage(
  {
    channelId,
    token,
    active,
  }: { readonly channelId: Guid; readonly token: string; readonly active: boolean },
  operation: Operation,
  timeMs: number,
): PropertyMessage {
  return {
    ...{ topic: TOPICS.input, channelId, operation, timeMs },
    source: ["InputToken", token],
    data: ["LogicalState", String(active)],
  };
}

/** The change that an event of the log is; undefined for other events. */
export function messageOf(event: EventRecord): PropertyMessage | undefined {
  const { typeId, channelId, timeUs } = event;
  const [topic] = [...EVENTS_OF_TOPICS].find(([, types]) => types.includes(typeId)) ?? [];
  const [active, timeMs] = [ACTIVE.has(typeId), timeUs / US_PER_MS];
  if (topic === TOPICS.motion) return motionMessage(channelId, active, "Changed", timeMs);
  if (topic === TOPICS.lost) return lostMessage(channelId, active, "Changed", timeMs);
  if (topic !== TOPICS.input) return undefined;
  return inputMessage({ channelId, token: inputToken(event), active }, "Changed", timeMs);
}

/**
 * A thing has crossed a line that the recorder watches: ONVIF Analytics Service Specification, Line Detector Rule. Undefined for other
 * events, and for lines of cameras, of which no name is known.
 */
export function crossingOf({
  typeId,
  channelId,
  timeUs,
  fields,
  sequence,
}: EventRecord): PropertyMessage | undefined {
  const line = fields?.Line;
  if (typeId !== EVENT_TYPES.lineCrossed.id || typeof line !== "string") return undefined;
  return {
    ...{ topic: CROSSED.topic, channelId, operation: undefined, timeMs: timeUs / US_PER_MS },
    source: [CROSSED.source, TOKENS.videoSourceConfiguration(channelId)],
    sources: [["Rule", line]],
    data: [CROSSED.item, `${sequence}`],
  };
}

/** A camera may have several inputs; the event names which one. */
export function inputToken({ channelId, comment }: EventRecord): string {
  const name = (comment.split(": ", 1)[0] ?? "").replace(/[^\w.-]+/g, "-").slice(0, INPUT_NAME_MAX);
  return name === "" ? TOKENS.input(channelId) : `${TOKENS.input(channelId)}_${name}`;
}

/** `Topic` and `Message`, as they are within a notification. `time`: `xs:dateTime`; default: that of the message. */
export function propertyXml(
  { topic, source, sources = [], data, timeMs, operation }: PropertyMessage,
  time = new Date(timeMs).toISOString(),
): string {
  const item = ([name, value]: Item): string =>
    `<tt:SimpleItem Name="${xmlText(name)}" Value="${xmlText(value)}"/>`;
  return (
    `<wsnt:Topic Dialect="${CONCRETE_SET}">tns1:${topic}</wsnt:Topic><wsnt:Message>` +
    `<tt:Message UtcTime="${time}"${operation === undefined ? "" : ` PropertyOperation="${operation}"`}>` +
    `<tt:Source>${[source, ...sources].map(item).join("")}</tt:Source><tt:Data>${item(data)}</tt:Data></tt:Message></wsnt:Message>`
  );
}
