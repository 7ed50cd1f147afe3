import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError } from "../../base/index.js";
import { specialEventsQuery } from "../../contract/query/index.js";
import type { EventQuery, EventRecord } from "../../event/index.js";
import { answerInChunks, describeQuery, type Route, readQuery, untilGone } from "../../route/index.js";
import type { EventNeeds } from "./event-feed.js";
import { formatExportItem } from "./event-item.js";
import { EVENT_ITEM } from "./event-item-schema.js";
import { type PageStart, unitOf } from "./event-pages.js";
import { EVENT_LOG_RIGHTS, requireEventLog } from "./event-visibility.js";

/** Maximum number of events in an answer. */
export const EXPORT_EVENTS_MAX = 1000;
/**
 * An answer whose events share the moment of its start goes on, a thousand at a time, to a later moment: a client could
 * not ask for what follows. This is the most it holds.
 */
export const EXPORT_MOMENT_EVENTS_MAX = 100_000;

export const SPECIAL_ARCHIVE_EVENTS_ROUTE: Route<EventNeeds> = {
  method: "GET",
  path: "/specialarchiveevents",
  login: "user",
  rights: EVENT_LOG_RIGHTS,

  describe: {
    topic: "event",
    summary: "Returns stored events of an interval as the items of /event, in ascending order",
    access: "Channels count as for [`/event`](#get-event).",
    text: [
      "The items are not truncated, have `alertType`, `AlertTime` and `TrajectoryId` too, and are joined as `}{`. Without events the body is empty.",
      "",
      "An answer has at most 1000 events. Continue with `starttime` at the time of the last one, as `Timestamp`, in milliseconds or as `BinaryTimestamp`: the recorder remembers for 10 minutes where a full answer ended, and the same user's next search of the same kind goes on behind that event. So none comes twice and none is lost, also of events in one second. Where nothing follows, the answer is empty; a client that asks the same again gets the last event again, because some go on while they have a multiple of 1000. A search that begins anywhere else includes its `starttime`.",
      "",
      "Where all 1000 events fall into the moment that `starttime` names (a second when it is a whole one, else a millisecond or less), the answer goes on by thousands up to a later moment.",
    ],
    parameters: describeQuery(specialEventsQuery),
    answer: { text: "The items.", content: { "application/json": EVENT_ITEM } },
    errors: { 404: "The user may not see the channel." },
    example: ['curl -fu "$AUTH" "$NVRD/specialarchiveevents?starttime=$FROM&endtime=$TO"'],
  },
  /**
   * GET /specialarchiveevents: the first events of an interval, ascending, joined as `}{`. JSON whatever responsetype
   * says; an empty body when there are none.
   */
  endpoint(context) {
    const { needs, request, principal } = context;
    const { query } = request;
    const asked = readQuery(query, specialEventsQuery);
    const { starttime: fromUs, endtime: toUs, eventid: typeId } = asked;
    const channelId = visibleChannel(asked.channelid, principal);
    requireEventLog(principal);
    const kind = { userId: principal.user.id, typeId, channelId };
    const page = { fromUs, toUs };
    const before = needs.eventPages.continued(kind, page, needs.clock.monotonicUs());
    const search: EventQuery = {
      fromUs: before?.timeUs ?? fromUs,
      toUs,
      ...(typeId === undefined ? {} : { typeIds: new Set([typeId]) }),
      ...(channelId === undefined ? {} : { channelIds: new Set([channelId]) }),
      limit: EXPORT_MOMENT_EVENTS_MAX,
      fromBegin: true,
      signal: untilGone(context),
    };
    const events = after(before, needs.eventSearches.search(principal, search));
    return answerInChunks(
      context,
      "application/json",
      exportTexts(events, fromUs, {
        full: (last) => needs.eventPages.note(kind, page, last, needs.clock.monotonicUs()),
        empty: () => needs.eventPages.noteEmpty(kind, page, needs.clock.monotonicUs()),
      }),
    );
  },
};

/** The events behind the one that the client got last, or from that one on. */
async function* after(
  last: PageStart | undefined,
  batches: AsyncIterable<readonly EventRecord[]>,
): AsyncGenerator<readonly EventRecord[]> {
  for await (const batch of batches) {
    yield last === undefined ? batch : batch.filter((event) => isBehind(event, last));
  }
}

function isBehind({ timeUs, sequence }: EventRecord, last: PageStart): boolean {
  if (timeUs !== last.timeUs) return timeUs > last.timeUs;
  return sequence > last.sequence || (last.isIncluded && sequence === last.sequence);
}

/** Of events of a channel that the user may see; a removed one exists for those who may see all. */
function visibleChannel(id: Guid | undefined, principal: Principal): Guid | undefined {
  if (id === undefined || principal.maySee(id)) return id;
  throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
}

/** How an answer ended: at its bound, behind this event, or without any. */
interface AnswerEnd {
  full(last: EventRecord): void;
  empty(): void;
}

/** The items, and how they end. */
async function* exportTexts(
  batches: AsyncIterable<readonly EventRecord[]>,
  fromUs: number,
  end: AnswerEnd,
): AsyncGenerator<string> {
  const unitUs = unitOf(fromUs);
  const isLater = (event: EventRecord): boolean => Math.floor(event.timeUs / unitUs) * unitUs > fromUs;
  let count = 0;
  for await (const batch of batches) {
    let text = "";
    for (const event of batch) {
      text += formatExportItem(event);
      count += 1;
      if (count % EXPORT_EVENTS_MAX !== 0 || !isLater(event)) continue;
      end.full(event);
      yield `${text}\r\n`;
      return;
    }
    yield text;
  }
  if (count > 0) yield "\r\n";
  else end.empty();
}
