import type { Principal } from "../../access/index.js";
import { formatApiTime, type Guid, parseApiTime, parseGuid } from "../../base/index.js";
import { EVENT_COMMENT_LENGTH_MAX } from "../../contract/index.js";
import { type EventInput, EXTERNAL_INITIATOR_NAME } from "../../event/index.js";
import { BodyReader, Faults, properlyNamed, unknownId } from "../../route/index.js";
import type { Site } from "../../site/index.js";
import {
  ANALYTICS_MEMBERS,
  ANALYTICS_TYPES,
  type AnalyticsMember,
  IMAGE_BASE64_LENGTH_MAX,
  MEMBER_TEXT_LENGTH_MAX,
  type MemberValue,
} from "./analytics-members.js";

/** Maximum age of an added event: a program may send its queue after a lost connection. */
export const EVENT_AGE_MS_MAX = 7 * 24 * 3_600_000;
/** How far the sender's clock may be ahead of the recorder's. */
export const EVENT_AHEAD_MS_MAX = 60_000;
/** Maximum number of texts in a list member. */
export const LIST_ITEMS_MAX = 16;
export const LIST_TEXT_LENGTH_MAX = 64;

const COMMON_NAMES = ["EventId", "ChannelId", "Timestamp", "Comment", "EventDescription", "IsAlarmEvent"];
const NAMES = [...COMMON_NAMES, ...ANALYTICS_MEMBERS.map((member) => member.name)];

export interface EventInputContext {
  readonly site: Site;
  readonly principal: Principal;
  readonly nowUs: number;
}

/** The events of a body of POST /api/events. Throws NvrdError BAD_REQUEST naming each fault: none is added then. */
export function readEvents(values: readonly unknown[], context: EventInputContext): EventInput[] {
  const faults = new Faults();
  const inputs = values.map((value, index) => readEvent(value, `[${index}]`, faults, context));
  faults.throwIfAny();
  return inputs.filter((input) => input !== undefined);
}

function readEvent(
  value: unknown,
  path: string,
  faults: Faults,
  context: EventInputContext,
): EventInput | undefined {
  const named = properlyNamed(value, { names: NAMES, only: true, path, faults });
  const reader = new BodyReader(named, path, faults);
  const typeId = readType(reader);
  const channel = readChannel(reader, context);
  const timeUs = readTime(reader, context.nowUs);
  const comment = reader.lines("Comment", EVENT_COMMENT_LENGTH_MAX);
  const description = reader.text("EventDescription", EVENT_COMMENT_LENGTH_MAX);
  const isAlarm = reader.boolean("IsAlarmEvent");
  const fields = readFields(reader);
  if (typeId === undefined) return undefined;
  const { user } = context.principal;
  return {
    typeId,
    ...(timeUs === undefined ? {} : { timeUs }),
    ...(channel === undefined ? {} : { channelId: channel.id, channelName: channel.name }),
    ...(comment === undefined ? {} : { comment }),
    ...(description === undefined ? {} : { description }),
    ...(isAlarm === undefined ? {} : { category: isAlarm ? 1 : 0 }),
    initiator: { type: 8, id: user.id, name: EXTERNAL_INITIATOR_NAME },
    fields,
  };
}

function readType(reader: BodyReader): Guid | undefined {
  const text = reader.text("EventId", MEMBER_TEXT_LENGTH_MAX);
  const id = text === undefined ? undefined : parseGuid(text.trim());
  if (id !== undefined && ANALYTICS_TYPES.has(id)) return id;
  return reader.fault("EventId", `the type of an analytics event: one of ${[...ANALYTICS_TYPES].join(", ")}`);
}

function readChannel(
  reader: BodyReader,
  { site, principal }: EventInputContext,
): { readonly id: Guid; readonly name: string } | undefined {
  const text = reader.text("ChannelId", MEMBER_TEXT_LENGTH_MAX);
  const id = text === undefined ? undefined : parseGuid(text.trim());
  const camera = site.cameras.find((candidate) => candidate.id === id && principal.maySee(candidate.id));
  return camera ?? reader.fault("ChannelId", "the GUID of a channel you may see", unknownId(id));
}

function readTime(reader: BodyReader, nowUs: number): number | undefined {
  const text = reader.text("Timestamp", MEMBER_TEXT_LENGTH_MAX);
  if (text === undefined) return undefined;
  const timeUs = parseApiTime(text);
  if (timeUs === undefined)
    return reader.fault("Timestamp", "dd.MM.yyyy HH:mm:ss.fff or ISO 8601 with Z, UTC");
  if (timeUs < nowUs - EVENT_AGE_MS_MAX * 1000 || timeUs > nowUs + EVENT_AHEAD_MS_MAX * 1000) {
    const days = EVENT_AGE_MS_MAX / (24 * 3_600_000);
    return reader.fault(
      "Timestamp",
      `at most ${days} days before and ${EVENT_AHEAD_MS_MAX / 1000} s after the recorder's clock, ${formatApiTime(nowUs)}`,
      "CONFLICT",
    );
  }
  return timeUs;
}

function readFields(reader: BodyReader): Record<string, MemberValue> {
  const fields: Record<string, MemberValue> = {};
  for (const member of ANALYTICS_MEMBERS) {
    const value = readField(reader, member);
    if (value !== undefined) fields[member.name] = value;
  }
  // Programs read the plate from either member.
  if (fields.plateText !== undefined && fields.Numberplate === undefined)
    fields.Numberplate = fields.plateText;
  return fields;
}

function readField(reader: BodyReader, member: AnalyticsMember): MemberValue | undefined {
  const { name } = member;
  switch (member.kind) {
    case "text":
      return reader.text(name, MEMBER_TEXT_LENGTH_MAX);
    case "integer":
    case "decimal":
      return readNumber(reader, member);
    case "flag":
      return readFlag(reader, name);
    case "list":
      return readList(reader, name);
    case "image":
      return readImage(reader, name);
    case "time": {
      const text = reader.text(name, MEMBER_TEXT_LENGTH_MAX);
      const timeUs = text === undefined ? undefined : parseApiTime(text);
      if (text !== undefined && timeUs === undefined) return reader.fault(name, "a time, UTC");
      return timeUs === undefined ? undefined : formatApiTime(timeUs);
    }
  }
}

/** A number, or a text with a decimal point or comma; stored with a comma, as in /event. */
function readNumber(reader: BodyReader, { name, kind, min, max }: AnalyticsMember): string | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  const isText = typeof value === "string" && /^\s*-?\d{1,9}([.,]\d{1,9})?\s*$/.test(value);
  const number = isText ? Number(value.replace(",", ".")) : value;
  const fits = typeof number === "number" && number >= min && number <= max;
  if (!fits || (kind === "integer" && !Number.isInteger(number))) {
    return reader.fault(name, `${kind === "integer" ? "a whole number" : "a number"} from ${min} to ${max}`);
  }
  // Six decimals: a ten-thousandth of a pixel, and never an exponent.
  return String(Number(number.toFixed(6))).replace(".", ",");
}

function readFlag(reader: BodyReader, name: string): string | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  const lower = String(value).toLowerCase();
  const known = typeof value === "boolean" || typeof value === "string";
  if (!known || (lower !== "true" && lower !== "false")) return reader.fault(name, "true or false");
  return lower === "true" ? "True" : "False";
}

function readList(reader: BodyReader, name: string): readonly string[] | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const fits = (item: unknown): item is string =>
    typeof item === "string" && item.length <= LIST_TEXT_LENGTH_MAX && !/[\p{Cc}\p{Cs}]/u.test(item);
  if (items.length <= LIST_ITEMS_MAX && items.every(fits)) return items;
  return reader.fault(
    name,
    `a list of at most ${LIST_ITEMS_MAX} texts of at most ${LIST_TEXT_LENGTH_MAX} characters`,
  );
}

function readImage(reader: BodyReader, name: string): string | undefined {
  const text = reader.text(name, IMAGE_BASE64_LENGTH_MAX);
  if (text === undefined || (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text))) return text;
  return reader.fault(name, "an image in Base64");
}
