import { formatIsoTime, NvrdError, parseApiTime, parseGuid, US_PER_SECOND } from "../../base/index.js";
import { type BookmarkMade, bookmarkMade } from "../../contract/answer/index.js";
import { bookmark } from "../../contract/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import { shown } from "../../http/index.js";
import { INDEX_IS_OPENING, recordedCamera } from "../../player/index.js";
import {
  answerJson,
  BodyReader,
  channelNameOf,
  Faults,
  jsonAnswer,
  lineUpTo,
  objectOf,
  parseJsonBody,
  type Route,
  schemaOf,
  TIME,
} from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";

const TIME_LENGTH_MAX = 40;
/** The clock of who names a moment may be a little ahead. */
const AHEAD_US_MAX = 60 * US_PER_SECOND;

/** A moment of a channel's recordings with a name: an event of that moment, by its user. */
export const BOOKMARK_ROUTE: Route<ArchiveNeeds> = {
  method: "POST",
  path: "/api/channels/{id}/bookmarks",
  login: "user",

  describe: {
    topic: "archive",
    summary: "Names a moment of the recordings",
    access: "The channel must be allowed in the archive.",
    text: [
      "The bookmark is an event (`bookmark`) of that moment with the name as its comment: it is on the timeline, in searches of events and in their texts, for all who may see the channel's events. As other events it cannot be changed.",
    ],
    pathValues: { id: "The channel's id." },
    body: {
      required: true,
      text: "`Time` is ISO 8601 (UTC without a zone) or `dd.MM.yyyy HH:mm:ss[.fff]`, not in the future, and not longer ago than events are kept (`eventDays`).",
      schema: objectOf({ Time: TIME, Name: lineUpTo(bookmark.Name.max) }, ["Time", "Name"]),
    },
    answer: jsonAnswer(schemaOf(bookmarkMade), "The event."),
    errors: {
      404: "There is no such channel.",
      409: "The time is in the future, or events of that time are deleted (`eventDays`).",
      429: "Too many events were added. `Retry-After` says how long to wait.",
      503: INDEX_IS_OPENING,
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/bookmarks" --data \'{ "Time": "\'$FROM\'", "Name": "the blue van" }\'',
    ],
  },
  /** POST /api/channels/{id}/bookmarks: raises the event of a moment that a user names. */
  endpoint(context) {
    const { needs, request, principal, log } = context;
    const text = context.pathValues.get("id") ?? "";
    const id = parseGuid(text);
    if (id === undefined || recordedCamera(needs, principal, id) === undefined)
      throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
    if (!principal.mayWatchArchive(id))
      throw new NvrdError("FORBIDDEN", "you may not watch the recordings of this channel");
    const faults = new Faults();
    const body = new BodyReader(parseJsonBody(request.body), "", faults);
    const timeUs = parseApiTime(body.text("Time", TIME_LENGTH_MAX) ?? "");
    const name = (body.text("Name", bookmark.Name.max) ?? "").trim();
    if (timeUs === undefined) body.fault("Time", "is not a time: write 2026-11-21T09:00:00Z");
    else if (timeUs > needs.clock.nowUs() + AHEAD_US_MAX) body.fault("Time", "is in the future", "CONFLICT");
    else if (timeUs < needs.events.keptSinceUs) body.fault("Time", tooOld(needs.events), "CONFLICT");
    if (name === "") body.fault("Name", "is missing");
    faults.throwIfAny();
    if (timeUs === undefined) throw new NvrdError("BAD_REQUEST", "Time is missing");
    needs.eventRate.take([`user ${principal.user.id}`, `address ${request.address}`], 1);
    const record = needs.events.raise({
      ...{ typeId: EVENT_TYPES.bookmark.id, timeUs, comment: name },
      ...{ channelId: id, channelName: channelNameOf(context, id) },
      initiator: { type: 1, id: principal.user.id, name: principal.user.name },
    });
    log.info({ user: principal.user.name, channel: id, timeUs }, "a moment was named");
    const made: BookmarkMade = {
      ...{ Sequence: record.sequence, EventId: record.typeId, ChannelId: record.channelId },
      Timestamp: formatIsoTime(record.timeUs),
    };
    return answerJson(made);
  },
};

function tooOld({ keptSinceUs }: EventLog): string {
  const day = formatIsoTime(keptSinceUs).slice(0, 10);
  return `is too long ago: events from before ${day} are not kept (setting eventDays)`;
}
