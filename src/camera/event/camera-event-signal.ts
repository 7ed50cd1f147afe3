import type { CameraEventMessage } from "./camera-event-message.js";

/** The kinds of camera messages. */
export type CameraEventKind = "motion" | "tampering" | "input" | "rule";

/** A message of a device in the terms of the recorder. */
export interface CameraSignal {
  readonly kind: CameraEventKind;
  /** Identical for all messages about one state. */
  readonly key: string;
  /** The device's own name of the zone, rule or input. */
  readonly name: string;
  /** Token of the video source, its configuration or a profile; empty if it concerns the whole device. */
  readonly sourceToken: string;
  /** Undefined: a momentary event. */
  readonly active: boolean | undefined;
  /** Additional data: `Count 17`; empty if none. */
  readonly detail: string;
}

const DIGITAL_INPUT = /(?:^|\/)DigitalInput(?:\/|$)/i;
const TAMPERING = /tamper|GlobalSceneChange|ImageToo(?:Blurry|Dark|Bright)/i;
const MOTION = /motion|(?:^|\/)vmd\d*(?:\/|$)/i;
const RULE = /^RuleEngine\//i;

const SOURCE_ITEMS = [
  "VideoSourceToken",
  "VideoSourceConfigurationToken",
  "VideoSource",
  "Source",
  "ProfileToken",
  "VideoSourceConfiguration",
];
const NAME_ITEMS: Readonly<Record<CameraEventKind, readonly string[]>> = {
  motion: ["Rule", "RuleName", "Region", "Window"],
  tampering: ["Rule", "RuleName"],
  input: ["InputToken", "Token", "Input"],
  rule: ["Rule", "RuleName"],
};
/** Items that hold a state, most frequent first. */
const STATE_ITEMS = [
  "IsMotion",
  "State",
  "LogicalState",
  "IsTamper",
  "IsInside",
  "IsSoundDetected",
  "active",
];
/** Longest detail, in characters. */
const DETAIL_LENGTH_MAX = 120;

/** The signal in a message; undefined if it is of an unknown kind. */
export function signalOf(message: CameraEventMessage): CameraSignal | undefined {
  const kind = eventKindOf(message.topic);
  if (kind === undefined) return undefined;
  const { topic, source, data } = message;
  const given = first(source, NAME_ITEMS[kind]);
  const sourceToken = kind === "input" ? "" : first(source, SOURCE_ITEMS);
  return {
    kind,
    key: JSON.stringify([topic, [...source].sort(byName)]),
    name: given === "" ? ownName(topic) : given,
    sourceToken,
    active: stateOf(data),
    detail: detailOf(data),
  };
}

/** What the recorder takes messages of a topic for; undefined: it takes none. */
export function eventKindOf(topic: string): CameraEventKind | undefined {
  if (DIGITAL_INPUT.test(topic)) return "input";
  if (TAMPERING.test(topic)) return "tampering";
  if (MOTION.test(topic)) return "motion";
  return RULE.test(topic) ? "rule" : undefined;
}

/** The last known part of the topic: `MotionAlarm`, `GlobalSceneChange`, `LineDetector`. */
function ownName(topic: string): string {
  const segments = topic.split("/");
  return (segments.length > 1 ? segments[1] : segments[0]) ?? topic;
}

function first(items: ReadonlyMap<string, string>, names: readonly string[]): string {
  for (const name of names) {
    const value = items.get(name);
    if (value !== undefined && value !== "") return value;
  }
  return "";
}

function stateOf(data: ReadonlyMap<string, string>): boolean | undefined {
  for (const name of STATE_ITEMS) {
    const state = booleanOf(data.get(name) ?? "");
    if (state !== undefined) return state;
  }
  // Under any other name, 1 and 0 may be a count.
  for (const value of data.values()) if (/^(true|false)$/i.test(value)) return booleanOf(value);
  return undefined;
}

function booleanOf(text: string): boolean | undefined {
  if (/^(true|1|on|active)$/i.test(text)) return true;
  return /^(false|0|off|inactive)$/i.test(text) ? false : undefined;
}

function detailOf(data: ReadonlyMap<string, string>): string {
  const told = [...data].filter(([name]) => !STATE_ITEMS.includes(name));
  const text = told.map(([name, value]) => `${name} ${value}`).join(", ");
  return text.slice(0, DETAIL_LENGTH_MAX);
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
