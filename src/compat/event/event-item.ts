import { EMPTY_GUID, formatApiTime, formatBinaryTime, type Guid } from "../../base/index.js";
import type { EventCategory, EventRecord } from "../../event/index.js";
import { type MemberValue, orderedMembers } from "./analytics-members.js";
import { formatZonedTime } from "./event-time.js";

/**
 * Items of /event and /specialarchiveevents: the text format that programs read by line and position.
 */

/**
 * Maximum size of one item of /event including the preceding blank line, because programs read it into a buffer of 4096 bytes.
 */
export const LIVE_ITEM_BYTES_MAX = 4095;

const CRLF = "\r\n";

type Members = [name: string, value: MemberValue][];

const EVENT_TYPES: Readonly<Record<EventCategory, string>> = { 0: "Info", 1: "Alarm", 2: "Error" };

/** The members every event has, in their order. */
function commonMembers(event: EventRecord): Members {
  return [
    ["EventId", event.typeId],
    ["Timestamp", formatApiTime(event.timeUs)],
    ["BinaryTimestamp", formatBinaryTime(event.timeUs)],
    ["ZonedTimestamp", formatZonedTime(event.timeUs)],
    ["EventDescription", event.description],
    ["IsAlarmEvent", event.category === 1 ? "True" : "False"],
    ["ChannelId", event.channelId],
    ["ChannelName", event.channelName],
    ["Comment", event.comment],
    ["EventType", EVENT_TYPES[event.category]],
    ["InitiatorName", event.initiator.name],
  ];
}

/** An item of /event from the preceding blank line to its closing brace; the caller adds the CRLF. */
export function formatLiveItem(event: EventRecord): Uint8Array {
  const members = [...commonMembers(event), ...orderedMembers(event.typeId, event.fields)];
  return trimmed(members);
}

/** The keep-alive item, with Comment last. */
export function formatKeepAlive(typeId: Guid, timeUs: number): Uint8Array {
  return Buffer.from(
    CRLF +
      itemText([
        ["EventId", typeId],
        ["Timestamp", formatApiTime(timeUs)],
        ["BinaryTimestamp", formatBinaryTime(timeUs)],
        ["ZonedTimestamp", formatZonedTime(timeUs)],
        ["EventDescription", ""],
        ["IsAlarmEvent", "False"],
        ["ChannelId", EMPTY_GUID],
        ["ChannelName", ""],
        ["EventType", "Info"],
        ["InitiatorName", "System"],
        ["Comment", "KeepAlive"],
      ]),
  );
}

/** An item of /specialarchiveevents, brace to brace: always with alertType, AlertTime and TrajectoryId. */
export function formatExportItem(event: EventRecord): string {
  const { alertType = [], AlertTime, TrajectoryId = "", ...others } = event.fields ?? {};
  return itemText([
    ...commonMembers(event),
    ["alertType", alertType],
    ["AlertTime", AlertTime ?? formatApiTime(event.timeUs)],
    ["TrajectoryId", TrajectoryId],
    ...orderedMembers(event.typeId, others),
  ]);
}

function itemText(members: Members): string {
  const lines = members.map(([name, value]) => `\t${jsonText(name)} : ${jsonValue(value)}`);
  return `{${CRLF}${lines.join(`,${CRLF}`)}${CRLF}}`;
}

function jsonValue(value: MemberValue): string {
  return typeof value === "string" ? jsonText(value) : `[${value.map(jsonText).join(", ")}]`;
}

/** Characters with a special meaning in JSON or for the programs that read it. */
const SPECIAL = /["\\}\u2028\u2029\p{Cc}\p{Cs}]/u;

/** Some programs take a `}` as the end of the item, and some the other characters as line ends. */
function jsonText(text: string): string {
  // Fast path: nearly every text is plain, and the calls below are expensive.
  if (!SPECIAL.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[}\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Members that are never truncated: they are short, and a part of them would mean something else. */
const WHOLE_MEMBERS = new Set([
  "EventId",
  "Timestamp",
  "BinaryTimestamp",
  "ZonedTimestamp",
  "IsAlarmEvent",
  "ChannelId",
  "EventType",
]);

/** The item within its limit: first the image is dropped, then the comment is truncated, then the longest other text. */
function trimmed(members: Members): Uint8Array {
  let bytes = Buffer.from(CRLF + itemText(members));
  const excess = (): number => bytes.length + CRLF.length - LIVE_ITEM_BYTES_MAX;
  const image = members.findIndex(([name]) => name === "ImageBytes");
  if (excess() > 0 && image >= 0) {
    members.splice(image, 1);
    bytes = Buffer.from(CRLF + itemText(members));
  }
  for (
    let name: string | undefined = "Comment";
    excess() > 0 && name !== undefined;
    name = longest(members)
  ) {
    shorten(members, name, excess());
    bytes = Buffer.from(CRLF + itemText(members));
  }
  return bytes;
}

function longest(members: Members): string | undefined {
  let found: string | undefined;
  let foundBytes = jsonBytes("");
  for (const [name, value] of members) {
    const bytes = jsonBytes(value);
    if (WHOLE_MEMBERS.has(name) || bytes <= foundBytes) continue;
    found = name;
    foundBytes = bytes;
  }
  return found;
}

/** Truncates one member's value by at least `bytes` of its encoded length, or to nothing. */
function shorten(members: Members, name: string, bytes: number): void {
  const member = members.find(([candidate]) => candidate === name);
  if (member === undefined) return;
  const [, value] = member;
  if (typeof value !== "string") {
    member[1] = value.slice(0, -1);
    return;
  }
  const room = jsonBytes(value) - bytes;
  let kept = "";
  let keptBytes = jsonBytes("");
  // By code point, so that no surrogate pair is split.
  for (const character of value) {
    keptBytes += jsonBytes(character) - jsonBytes("");
    if (keptBytes > room) break;
    kept += character;
  }
  member[1] = kept;
}

function jsonBytes(value: MemberValue): number {
  return Buffer.byteLength(jsonValue(value));
}
