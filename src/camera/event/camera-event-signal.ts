import { createHash } from "node:crypto";
import type { SeenKind } from "../../base/index.js";
import type { CameraEventMessage } from "./camera-event-message.js";
import { booleanOf, type ItemSaid, isClassList, isHappening, saidBy } from "./message-items.js";
import { classOfRule, kindOfName, kindOfTopic, MOMENTS, ruleNameIn } from "./seen-words.js";

/** A state, or a moment, of a device in the terms of the recorder. */
export interface CameraSignal {
  readonly kind: SeenKind;
  /** Identical for all messages about one state: topic, source and item. */
  readonly key: string;
  /** Whether its topic and item ever say that something ends is remembered under this. */
  readonly item: string;
  /** The device's own name of the zone, rule or input. */
  readonly name: string;
  /** Token of the video source, its configuration or a profile, or the source's number as `#2`; empty if it concerns the whole device. */
  readonly sourceToken: string;
  /** It concerns one object among others, whose end may get lost with it. */
  readonly isOfObject: boolean;
  /** Undefined: a momentary event. */
  readonly active: boolean | undefined;
  /** Additional data: `Count 17`; empty if none. */
  readonly detail: string;
  /** One of a list of what is there: it ends when the list comes without it. */
  readonly isListed: boolean;
}

/** All that one message reports. */
export interface SignalBatch {
  /** Identical for all messages of one topic and source. */
  readonly group: string;
  /** Where the message names no source: its topic. */
  readonly ofTopic: string | undefined;
  readonly signals: readonly CameraSignal[];
  /** What was listed before and is not now has ended. */
  readonly isComplete: boolean;
}

const SOURCE_ITEMS = [
  "VideoSourceToken",
  "VideoSourceConfigurationToken",
  "VideoSource",
  "Source",
  "ProfileToken",
  "VideoSourceConfiguration",
  "SourceToken",
];
const RULE_NAMES = ["Rule", "RuleName", "Region", "Window", "Zone", "Line"];
const INPUT_NAMES = ["InputToken", "RelayToken", "Token", "Input", "AlarmInID", "port", "Port", "Index"];
/** A device's own inputs, outputs and storage belong to no video source. */
export const OF_DEVICE: ReadonlySet<SeenKind> = new Set(["input", "relay", "storageFailure", "refusedLogin"]);
/** Kinds that say little: an item of the message may say more. */
const VAGUE: ReadonlySet<SeenKind> = new Set(["motion", "rule", "other"]);
/** What an item may name within a message about something else: a line crossed by a person. */
const CLASSES: ReadonlySet<SeenKind> = new Set(["person", "vehicle", "animal", "face", "package", "plate"]);
/** What a sound may be: a message about sounds has an item for each. */
const SOUNDS: ReadonlySet<SeenKind> = new Set(["scream", "glass", "soundAlarm"]);
/** Axis: `Camera2ProfileANY` in a topic and `channel` in a source count the video sources from 1 (VAPIX, event declarations). */
const CAMERA_IN_TOPIC = /\/Camera(\d{1,3})Profile\w*$/;
const SOURCE_NUMBER = "channel";
/** Items of the source that number what was seen. */
const OBJECT = /^(?:object|track)_?id$/i;
/** Longest detail, and longest key that is kept as it is, in characters. */
const DETAIL_LENGTH_MAX = 120;
const KEY_LENGTH_MAX = 512;

/** What a message reports; undefined: nothing of interest. */
export function signalsOf(message: CameraEventMessage): SignalBatch | undefined {
  const { topic, source, data } = message;
  const topicKind = kindOfTopic(topic);
  if (topicKind === undefined) return undefined;
  const group = shortened(JSON.stringify([topic, [...source].sort(byName)]));
  const said = saidBy(data);
  const states = said.flatMap((one) => ("state" in one ? [one] : []));
  const parts = { message, group, topicKind, detail: detailOf(data, said) };
  const ofItems = states.map(({ name, state }) =>
    signal(parts, { kind: kindOfItem(topicKind, name), item: name, active: state, isListed: false }),
  );
  const active = activeByList(
    message,
    topicKind,
    states.filter(({ name }) => isOfAll(topicKind, name)),
  );
  const listed = [...listedSignals(parts, said, active), ...classSignals(parts, active)].filter(
    // What a state says needs no word besides.
    (one) => one.active !== undefined || ofItems.every(({ kind }) => kind !== one.kind),
  );
  const isEnd = states.length > 0 && states.every(({ state }) => !state);
  const isList = said.some((one) => "kinds" in one && (isClassList(one.name) || isHappening(one.name)));
  const signals = [...ofItems, ...listed];
  const isReported = states.length > 0 || signals.some(({ kind }) => kind === topicKind);
  if (
    !isReported &&
    (happens(topicKind) || isOnlyRead(topicKind, signals) || (signals.length === 0 && !isList))
  )
    signals.unshift(signal(parts, { kind: topicKind, item: "", active: undefined, isListed: false }));
  const ofTopic = source.size === 0 ? topic : undefined;
  return { group, ofTopic, signals: withoutVague(signals), isComplete: isEnd || isList };
}

/** Whether no more is said of what a topic reports than what was read from it: the plate of a vehicle. */
function isOnlyRead(topicKind: SeenKind, signals: readonly CameraSignal[]): boolean {
  return CLASSES.has(topicKind) && signals.length > 0 && signals.every(({ kind }) => kind === "plate");
}

/** Whether a topic reports that something happened, whatever is listed with it: a line is crossed by somebody. */
function happens(topicKind: SeenKind): boolean {
  return !VAGUE.has(topicKind) && !CLASSES.has(topicKind);
}

/** What the recorder takes messages of a topic with these items for; empty: it takes none. */
export function kindsOfTopic(topic: string, items: readonly string[]): readonly SeenKind[] {
  const topicKind = kindOfTopic(topic);
  if (topicKind === undefined) return [];
  const ofItems = items.map((item) => kindOfItem(topicKind, item));
  const kinds = new Set(ofItems.length === 0 ? [topicKind] : ofItems);
  const plain = [...kinds].filter((kind) => kind !== "rule" && kind !== "other");
  return plain.length === 0 ? [topicKind] : plain;
}

interface MessageParts {
  readonly message: CameraEventMessage;
  readonly group: string;
  readonly topicKind: SeenKind;
  readonly detail: string;
}

function signal(
  { message: { topic, source }, group, detail }: MessageParts,
  of: Pick<CameraSignal, "kind" | "item" | "active" | "isListed">,
): CameraSignal {
  const { kind, item } = of;
  const isOfDevice = OF_DEVICE.has(kind);
  const named = first(source, isOfDevice ? [...INPUT_NAMES, ...RULE_NAMES] : RULE_NAMES);
  const given = named === "" ? ruleNameIn(topic) : named;
  return {
    ...of,
    key: shortened(JSON.stringify([group, item])),
    item: JSON.stringify([topic, item]),
    name: nameOf(kind, topic, given),
    sourceToken: isOfDevice ? "" : first(source, SOURCE_ITEMS) || sourceNumber(topic, source),
    isOfObject: [...source.keys()].some((each) => OBJECT.test(each)),
    detail,
  };
}

/** The video source by its number, in the place of a token: `#2`; empty if none is named. */
function sourceNumber(topic: string, source: ReadonlyMap<string, string>): string {
  const number = CAMERA_IN_TOPIC.exec(topic)?.[1] ?? source.get(SOURCE_NUMBER) ?? "";
  return /^[1-9]\d{0,2}$/.test(number) ? `#${number}` : "";
}

/** What a list names, each a signal of its own. */
function listedSignals(
  parts: MessageParts,
  said: readonly ItemSaid[],
  active: boolean | undefined,
): CameraSignal[] {
  const found = new Map<SeenKind, CameraSignal>();
  for (const one of said) {
    if (!("kinds" in one)) continue;
    for (const [kind, word] of one.kinds) {
      if (found.has(kind)) continue;
      // Somebody leaves, whether the area is then empty or not.
      const isMoment = isHappening(one.name) && MOMENTS.has(kind);
      const of = { kind, item: `${one.name}=${word}`, active: isMoment ? undefined : active };
      found.set(kind, signal(parts, { ...of, isListed: true }));
    }
  }
  return [...found.values()];
}

/** Some cameras say by the name of their own rule what it saw. */
function classSignals(parts: MessageParts, active: boolean | undefined): CameraSignal[] {
  const kind = classOfRule(first(parts.message.source, RULE_NAMES));
  if (kind === undefined) return [];
  return [signal(parts, { kind, item: `rule=${kind}`, active, isListed: true })];
}

/** Whether what a list names is there now: as the message's states say, or because a property lists it. */
function activeByList(
  { operation }: CameraEventMessage,
  topicKind: SeenKind,
  states: readonly { readonly state: boolean }[],
): boolean | undefined {
  if (states.length > 0) return states.some(({ state }) => state);
  return operation !== undefined && VAGUE.has(topicKind) ? true : undefined;
}

/** A state of one thing says nothing of what is listed beside it: `IsMotion` beside the class of an object. */
function isOfAll(topicKind: SeenKind, item: string): boolean {
  const kind = kindOfItem(topicKind, item);
  return kind === topicKind || kind === "rule" || kind === "other";
}

/** What only says that there is something goes where the message also says what. */
function withoutVague(signals: readonly CameraSignal[]): readonly CameraSignal[] {
  const isPlain = ({ kind }: CameraSignal): boolean => kind !== "rule" && kind !== "other";
  return signals.some(isPlain) ? signals.filter(isPlain) : signals;
}

function kindOfItem(topicKind: SeenKind, item: string): SeenKind {
  const kind = kindOfName(item.slice(item.lastIndexOf(".") + 1));
  if (kind === undefined || kind === "rule" || kind === "other") return topicKind;
  // The cable of an input was cut.
  const isOfInput = topicKind === "input" && kind === "tampering";
  const isSound = topicKind === "sound" && SOUNDS.has(kind);
  return VAGUE.has(topicKind) || CLASSES.has(kind) || isOfInput || isSound ? kind : topicKind;
}

/** Kinds without words of their own are distinguished by the camera's. */
function nameOf(kind: SeenKind, topic: string, given: string): string {
  const own = kind === "other" ? topic : ownName(topic);
  if (given === "") return own;
  return kind === "rule" || kind === "other" ? `${given} (${own})` : given;
}

/** The second part of the topic: `MotionAlarm`, `GlobalSceneChange`, `LineDetector`. */
function ownName(topic: string): string {
  const segments = topic.split("/");
  return (segments.length > 1 ? segments[1] : segments[0]) ?? topic;
}

/** The first of the names that has a value, in whatever case the camera writes it. */
function first(items: ReadonlyMap<string, string>, names: readonly string[]): string {
  for (const name of names) {
    const value = items.get(name) ?? valueInAnyCase(items, name.toLowerCase());
    if (value !== undefined && value !== "") return value;
  }
  return "";
}

function valueInAnyCase(items: ReadonlyMap<string, string>, name: string): string | undefined {
  for (const [key, value] of items) if (key.toLowerCase() === name) return value;
  return undefined;
}

function detailOf(data: ReadonlyMap<string, string>, said: readonly ItemSaid[]): string {
  const states = new Set(said.flatMap((one) => ("state" in one ? [one.name] : [])));
  const details = [...data].filter(
    ([name, value]) => !states.has(name) && booleanOf(name, value) === undefined,
  );
  const text = details.map(([name, value]) => `${name} ${value}`).join(", ");
  return text.slice(0, DETAIL_LENGTH_MAX);
}

/** Of endless sources a short text that is as much their own. */
function shortened(key: string): string {
  return key.length <= KEY_LENGTH_MAX ? key : createHash("sha256").update(key).digest("base64");
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
