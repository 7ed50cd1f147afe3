import { NvrdError, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { EventQuery, EventRecord } from "../../event/index.js";
import type { Query } from "../../http/index.js";
import {
  answerInChunks,
  type EndpointResult,
  GUID,
  query,
  RESPONSE_TYPE,
  type RequestContext,
  type Route,
  type RouteDescription,
  timeParameter,
} from "../route/index.js";
import { formatExportItem } from "./event-item.js";
import { EVENT_ITEM } from "./event-item-schema.js";
import { readEventChannel, readEventType } from "./event-parameters.js";
import { parseBinaryTime } from "./event-time.js";
import { EVENT_LOG_RIGHTS, requireEventLog } from "./event-visibility.js";
import type { EventNeeds } from "./needs.js";

/** Maximum number of events in an answer. */
export const EXPORT_EVENTS_MAX = 1000;
/**
 * A client continues from the time of the last event it got, with the precision of its start time. If all events of an answer
 * had the same time in that precision, it would get the same ones forever. Then the answer continues up to the first event
 * after that time, with this limit.
 */
export const EXPORT_MOMENT_EVENTS_MAX = 100_000;

const DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Returns stored events of an interval as the items of /event, in ascending order",
  access: "Channels count as for [`/event`](#get-event).",
  text: [
    "The items are not truncated, have `alertType`, `AlertTime` and `TrajectoryId` too, and are joined as `}{`. Without events the body is empty.",
    "",
    "An answer has at most 1000 events. Continue with `starttime` at the time of the last one, which then comes again. Where all 1000 events fall into one moment of the precision of `starttime` (a second when it is a whole one, else a millisecond or less), the answer continues up to the first event after that moment, so that none is lost.",
  ],
  parameters: [
    timeParameter("starttime", "The first moment, included; also a `BinaryTimestamp`.", { required: true }),
    timeParameter("endtime", "The last moment, included; also a `BinaryTimestamp`.", { required: true }),
    query("eventid", GUID, "Only events of this type."),
    query("channelid", GUID, "Only events of this channel. When left out: all that the user may see."),
    RESPONSE_TYPE,
  ],
  answer: { text: "The items.", content: { "application/json": EVENT_ITEM } },
  errors: { 404: "The user may not see the channel." },
  example: [
    'curl -u "$AUTH" "$NVR/specialarchiveevents?starttime=21.11.2026+00:00:00&endtime=22.11.2026+00:00:00"',
  ],
};

export const SPECIAL_ARCHIVE_EVENTS_ROUTE: Route<EventNeeds> = {
  method: "GET",
  path: "/specialarchiveevents",
  login: "user",
  rights: EVENT_LOG_RIGHTS,
  endpoint: getSpecialArchiveEvents,
  describe: DESCRIPTION,
};

/**
 * GET /specialarchiveevents: the first events of an interval, ascending, joined as `}{`. JSON whatever responsetype
 * says; an empty body when there are none.
 */
function getSpecialArchiveEvents(context: RequestContext<EventNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const { query } = request;
  query.oneOf("responsetype", ["xml", "json"], "xml");
  const fromUs = requireEventTime(query, "starttime");
  const toUs = requireEventTime(query, "endtime");
  if (fromUs > toUs) throw new NvrdError("BAD_REQUEST", "starttime is later than endtime");
  const typeId = readEventType(query, "eventid", needs.events);
  const channelId = readEventChannel(query, principal);
  requireEventLog(principal);
  const search: EventQuery = {
    fromUs,
    toUs,
    ...(typeId === undefined ? {} : { typeIds: new Set([typeId]) }),
    ...(channelId === undefined ? {} : { channelIds: new Set([channelId]) }),
    limit: EXPORT_MOMENT_EVENTS_MAX,
    fromBegin: true,
  };
  const batches = needs.eventSearches.search(principal, search);
  return answerInChunks(context, "application/json", exportTexts(batches, momentUs(fromUs)));
}

/** A time of any accepted spelling, or a BinaryTimestamp, the most precise one that items carry. */
function requireEventTime(query: Query, name: string): number {
  return parseBinaryTime(query.require(name)) ?? query.requireTime(name);
}

/** The precision of the start time. */
function momentUs(fromUs: number): number {
  if (fromUs % US_PER_SECOND === 0) return US_PER_SECOND;
  return fromUs % US_PER_MS === 0 ? US_PER_MS : 1;
}

async function* exportTexts(
  batches: AsyncIterable<readonly EventRecord[]>,
  unitUs: number,
): AsyncGenerator<string> {
  let count = 0;
  let firstMoment = 0;
  let lastMoment = 0;
  for await (const batch of batches) {
    let text = "";
    for (const event of batch) {
      if (count >= EXPORT_EVENTS_MAX && lastMoment !== firstMoment) {
        yield `${text}\r\n`;
        return;
      }
      lastMoment = Math.floor(event.timeUs / unitUs);
      if (count === 0) firstMoment = lastMoment;
      text += formatExportItem(event);
      count += 1;
    }
    yield text;
  }
  if (count > 0) yield "\r\n";
}
