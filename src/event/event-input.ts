import { EMPTY_GUID, type Guid, type Language, parseGuid } from "../base/index.js";
import { eventTypeOf } from "./catalogue.js";
import { SEQUENCE_MAX, TIME_US_MAX } from "./event-key.js";
import { eventNameIn } from "./event-names.js";
import type { Series } from "./series.js";
import type { EventInitiator, EventInput, EventRecord } from "./types.js";

/** Longer comments, descriptions and members are truncated. */
export const EVENT_TEXT_CHARACTERS_MAX = 4096;
/** Longer names of cameras and initiators are truncated. */
const EVENT_NAME_CHARACTERS_MAX = 256;
/** Further members, and further items of a list, are dropped. */
const EVENT_FIELDS_MAX = 64;
const EVENT_FIELD_NAME_CHARACTERS_MAX = 64;
/** A longer picture is dropped, because a truncated one is useless. This is 96 KiB in Base64. */
export const EVENT_IMAGE_CHARACTERS_MAX = 128 * 1024;
/** Members beyond this total length are dropped. */
const EVENT_FIELDS_CHARACTERS_MAX = 192 * 1024;

/** Members that hold a picture. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["ImageBytes", "FaceImageBase64"]);
/** How events of external modules and systems name their initiator. */
export const EXTERNAL_INITIATOR_NAME = "ExternalEvent";
export const SYSTEM_INITIATOR: EventInitiator = { type: 0, id: EMPTY_GUID, name: "System" };

type Fields = NonNullable<EventRecord["fields"]>;

/** Creates an event from a source's input. Throws RangeError for an invalid type, time or id, which is a programming error. */
export function recordOf(
  input: EventInput,
  moment: { readonly sequence: number; readonly nowUs: number; readonly language: Language },
): EventRecord {
  const type = eventTypeOf(input.typeId);
  if (type === undefined) throw new RangeError(`no event type ${input.typeId.slice(0, 64)}`);
  const timeUs = input.timeUs ?? moment.nowUs;
  if (!Number.isSafeInteger(timeUs) || timeUs < 0 || timeUs > TIME_US_MAX)
    throw new RangeError(`no event time: ${timeUs}`);
  if (moment.sequence > SEQUENCE_MAX) throw new RangeError("the event log's numbers are used up");
  const initiator = input.initiator ?? SYSTEM_INITIATOR;
  return {
    sequence: moment.sequence,
    typeId: type.id,
    timeUs,
    channelId: guidOf(input.channelId ?? EMPTY_GUID),
    channelName: cut(input.channelName ?? "", EVENT_NAME_CHARACTERS_MAX),
    comment: cut(input.comment ?? "", EVENT_TEXT_CHARACTERS_MAX),
    description: cut(input.description ?? eventNameIn(type.id, moment.language), EVENT_TEXT_CHARACTERS_MAX),
    category: input.category ?? type.category,
    initiator: {
      type: initiator.type,
      id: guidOf(initiator.id),
      name: cut(initiator.name, EVENT_NAME_CHARACTERS_MAX),
    },
    fields: boundedFields(input.fields),
  };
}

/** The searchable properties of an event. */
export function seriesOf(record: EventRecord): Series {
  const { typeId, channelId, category, initiator } = record;
  return { typeId, channelId, category, initiatorType: initiator.type, initiatorId: initiator.id };
}

function guidOf(text: string): Guid {
  const guid = parseGuid(text);
  if (guid === undefined) throw new RangeError(`not a GUID: ${text.slice(0, 64)}`);
  return guid;
}

function boundedFields(given: EventInput["fields"]): Fields | undefined {
  if (given === undefined) return undefined;
  const fields: Record<string, string | readonly string[]> = {};
  let characters = 0;
  let count = 0;
  for (const [name, value] of Object.entries(given)) {
    if (count >= EVENT_FIELDS_MAX) break;
    if (name.length > EVENT_FIELD_NAME_CHARACTERS_MAX || name === "__proto__") continue;
    const bounded = boundedValue(name, value);
    if (bounded === undefined) continue;
    const length = typeof bounded === "string" ? bounded.length : bounded.join("").length;
    if (characters + length > EVENT_FIELDS_CHARACTERS_MAX) continue;
    characters += length;
    count += 1;
    fields[name] = bounded;
  }
  return fields;
}

function boundedValue(
  name: string,
  value: string | readonly string[],
): string | readonly string[] | undefined {
  if (typeof value !== "string")
    return value.slice(0, EVENT_FIELDS_MAX).map((item) => cut(item, EVENT_TEXT_CHARACTERS_MAX));
  if (!IMAGE_FIELDS.has(name)) return cut(value, EVENT_TEXT_CHARACTERS_MAX);
  return value.length > EVENT_IMAGE_CHARACTERS_MAX ? undefined : value;
}

/** The first characters, without splitting a surrogate pair. */
function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const last = text.charCodeAt(charactersMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? charactersMax - 1 : charactersMax);
}
