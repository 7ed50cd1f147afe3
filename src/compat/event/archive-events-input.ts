import { type Guid, parseApiTime, parseGuid } from "../../base/index.js";
import { EVENT_SEARCH_LENGTH_MAX, EVENT_SEARCH_LENGTH_MIN } from "../../contract/index.js";
import type { EventCategory, EventInitiatorType, EventQuery } from "../../event/index.js";
import { BodyReader, Faults, parseJsonBody, properlyNamed } from "../../route/index.js";

/** Maximum number of events in an answer; a larger searchLimitCount is reduced to this. */
export const SEARCH_LIMIT_MAX = 100_000;
/** Limits of the reference. */
export const SEARCH_LIMIT_DEFAULT = 5000;
/** Maximum number of ids in a list of the body. */
export const IDS_MAX = 10_000;

/** What is asked for. */
export interface AskedEvents {
  readonly query: EventQuery;
  readonly text: string | undefined;
}

const CATEGORIES: readonly EventCategory[] = [0, 1, 2];
const INITIATOR_TYPES: readonly EventInitiatorType[] = [0, 1, 2, 3, 4, 8];

const NAMES = [
  "startTimeUtc",
  "endTimeUtc",
  "eventCategories",
  "eventInitiatorTypes",
  "eventInitiators",
  "eventIds",
  "channelIds",
  "isSearchFromBegin",
  "searchLimitCount",
  "text",
];
/** The example in the reference uses this name for the channels. */
const ALIASES: ReadonlyMap<string, string> = new Map([["cameraids", "channelIds"]]);

/**
 * The query of a body of POST /archive_events: an absent body or member takes its default, an empty list means all.
 * Throws NvrdError BAD_REQUEST naming each member that is wrong.
 */
export function readArchiveEventsBody(body: Uint8Array, nowUs: number): AskedEvents {
  const text = Buffer.from(body)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trim();
  const value = text === "" ? undefined : parseJsonBody(body);
  const faults = new Faults();
  const named = properlyNamed(value, { names: NAMES, aliases: ALIASES, path: "", faults });
  const isObject = typeof named === "object" && !Array.isArray(named);
  if (!isObject && named !== undefined) faults.add("the body", "must be an object");
  const reader = new BodyReader(isObject ? named : undefined, "", faults);
  const fromUs = readTime(reader, "startTimeUtc");
  const toUs = readTime(reader, "endTimeUtc");
  if (fromUs !== undefined && toUs !== undefined && fromUs > toUs)
    reader.fault("startTimeUtc", "is later than endTimeUtc");
  const categories = readNumbers(reader, "eventCategories", CATEGORIES);
  const initiatorTypes = readNumbers(reader, "eventInitiatorTypes", INITIATOR_TYPES);
  const initiatorIds = readIds(reader, "eventInitiators");
  const typeIds = readIds(reader, "eventIds");
  const channelIds = readIds(reader, "channelIds");
  const limit = reader.integer("searchLimitCount", 1, Number.MAX_SAFE_INTEGER) ?? SEARCH_LIMIT_DEFAULT;
  const fromBegin = reader.boolean("isSearchFromBegin") ?? false;
  const searched = readText(reader);
  faults.throwIfAny();
  const query = {
    fromUs: fromUs ?? 0,
    toUs: toUs ?? nowUs,
    ...(categories === undefined ? {} : { categories }),
    ...(initiatorTypes === undefined ? {} : { initiatorTypes }),
    ...(initiatorIds === undefined ? {} : { initiatorIds }),
    ...(typeIds === undefined ? {} : { typeIds }),
    ...(channelIds === undefined ? {} : { channelIds }),
    limit: Math.min(limit, SEARCH_LIMIT_MAX),
    fromBegin,
  };
  return { query, text: searched };
}

function readText(reader: BodyReader): string | undefined {
  const value = reader.value("text");
  if (value === undefined || value === "") return undefined;
  const [min, max] = [EVENT_SEARCH_LENGTH_MIN, EVENT_SEARCH_LENGTH_MAX];
  const isText = typeof value === "string" && value.length >= min && value.length <= max;
  return isText ? value : reader.fault("text", `${min} to ${max} characters`);
}

function readTime(reader: BodyReader, name: string): number | undefined {
  const value = reader.value(name);
  if (value === undefined || value === "") return undefined;
  const timeUs = typeof value === "string" ? parseApiTime(value) : undefined;
  return timeUs ?? reader.fault(name, "a time as dd.MM.yyyy HH:mm:ss.fff or ISO 8601, UTC");
}

function readNumbers<T extends number>(
  reader: BodyReader,
  name: string,
  values: readonly T[],
): ReadonlySet<T> | undefined {
  return readSet(reader, name, `numbers of ${values.join(", ")}`, (item) =>
    values.find((value) => value === item),
  );
}

function readIds(reader: BodyReader, name: string): ReadonlySet<Guid> | undefined {
  return readSet(reader, name, "GUIDs", (item) =>
    typeof item === "string" ? parseGuid(item.trim()) : undefined,
  );
}

/** The items of a list member; undefined, which means all, when it is absent or empty. */
function readSet<T>(
  reader: BodyReader,
  name: string,
  what: string,
  read: (item: unknown) => T | undefined,
): ReadonlySet<T> | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > IDS_MAX)
    return reader.fault(name, `a list of at most ${IDS_MAX} ${what}`);
  const found = new Set<T>();
  for (const item of value) {
    const one = read(item);
    if (one === undefined) return reader.fault(name, `a list of ${what}`);
    found.add(one);
  }
  return found.size === 0 ? undefined : found;
}
