import { EMPTY_GUID } from "../../base/index.js";
import { EVENT_SEARCH_LENGTH_MAX, EVENT_SEARCH_LENGTH_MIN } from "../../contract/index.js";
import { archiveEventsQuery } from "../../contract/query/index.js";
import { type EventQuery, type EventRecord, TEXT_EVENTS_MAX } from "../../event/index.js";
import type { Query } from "../../http/index.js";
import {
  answerInChunks,
  choice,
  describeQuery,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  range,
  readParameter,
  TEXT,
  TIME_OR_EMPTY,
  textUpTo,
  untilGone,
} from "../../route/index.js";
import type { Site } from "../../site/index.js";
import {
  IDS_MAX,
  readArchiveEventsBody,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
} from "./archive-events-input.js";
import type { EventNeeds } from "./event-feed.js";
import { searchItem, searchItemIn, shortSearchItem } from "./event-object.js";
import { EVENT_LOG_RIGHTS, requireEventLog } from "./event-visibility.js";

const CATEGORY = { ...choice([0, 1, 2]), description: "0 information, 1 alarm, 2 error." };
const INITIATOR_TYPE = {
  ...choice([0, 1, 2, 3, 4, 8]),
  description: "0 system, 1 user, 2 scenario, 3 user scenario, 4 scheduled task, 8 external module.",
};

/** A text that is looked for; an empty one and null mean all. */
const SEARCHED_TEXT: JsonSchema = {
  ...orNull(textUpTo(EVENT_SEARCH_LENGTH_MAX)),
  anyOf: [{ maxLength: 0 }, { minLength: EVENT_SEARCH_LENGTH_MIN }],
};

/** What is searched for; none and null mean all. */
function idsOf(schema: JsonSchema): JsonSchema {
  return orNull(listOf(schema, IDS_MAX));
}

const SEARCH = objectOf(
  {
    startTimeUtc: meaning("Included. When left out, or empty: the first event.", orNull(TIME_OR_EMPTY)),
    endTimeUtc: meaning("Included. When left out, or empty: now.", orNull(TIME_OR_EMPTY)),
    eventCategories: meaning("0 information, 1 alarm, 2 error.", idsOf(choice([0, 1, 2]))),
    eventInitiatorTypes: meaning(INITIATOR_TYPE.description, idsOf(choice([0, 1, 2, 3, 4, 8]))),
    eventInitiators: meaning(
      "Users; the GUID of all zeros is the system. An id that is neither finds what external modules added, under whatever id: programs name the initiator of the module of another recorder.",
      idsOf(GUID),
    ),
    eventIds: meaning("Event types.", idsOf(GUID)),
    channelIds: meaning(
      "Channels; also spelled `cameraIds`. The GUID of all zeros means events that belong to no channel. A channel that the user may not see has no events.",
      idsOf(GUID),
    ),
    isSearchFromBegin: {
      ...orNull(FLAG),
      default: false,
      description: "The first events of the interval instead of the last.",
    },
    text: meaning(
      `An addition of nvrd's: only events with this text, in any case, in the name of their type, the camera's name, the comment or what was found, in the language of the parameter (English when left out). ${EVENT_SEARCH_LENGTH_MIN} to ${EVENT_SEARCH_LENGTH_MAX} characters; the answer then has at most ${TEXT_EVENTS_MAX} events.`,
      SEARCHED_TEXT,
    ),
    searchLimitCount: {
      ...orNull(range(1, Number.MAX_SAFE_INTEGER, "integer")),
      default: SEARCH_LIMIT_DEFAULT,
      description: `Maximum number of events in the answer; a larger value than ${SEARCH_LIMIT_MAX} counts as that.`,
    },
  },
  [],
);

export const ARCHIVE_EVENTS_ROUTE: Route<EventNeeds> = {
  method: "POST",
  path: "/archive_events",
  login: "user",
  rights: EVENT_LOG_RIGHTS,
  isNoAct: true,

  describe: {
    topic: "event",
    summary: "Searches the stored events",
    access: "Channels count as for [`/event`](#get-event).",
    text: [
      "At most 16 searches run at once, 4 of one user. An answer is closed when the client takes more than 5 minutes for it, or when the user's rights change meanwhile.",
    ],
    parameters: describeQuery(archiveEventsQuery),
    body: {
      required: false,
      text: "Names match in any case. Every member may be left out; an empty list means all. A faulty member is named (400).",
      schema: orNull(SEARCH),
    },
    answer: jsonAnswer(
      listOf(
        objectOf(
          {
            ChannelId: GUID,
            ChannelName: TEXT,
            EventId: meaning("The type of the event.", GUID),
            EventCategory: CATEGORY,
            EventComment: TEXT,
            EventDescription: orNull(TEXT),
            EventInitiatorType: INITIATOR_TYPE,
            EventInitiatorId: GUID,
            Timestamp: ISO_TIME,
            Event: meaning("The members of analytics, with numbers as numbers; null without any.", {
              type: ["object", "null"],
            }),
            IsLongTermEvent: meaning("Always false: there is one store.", FLAG),
          },
          ["EventCategory", "EventId", "Timestamp"],
        ),
      ),
      "The events, in ascending order of time.",
    ),
    errors: { 503: "Too many searches run, or the event log is not open." },
    example: [
      'curl -fu "$AUTH" "$NVRD/archive_events" --data \'{"channelIds": [], "searchLimitCount": 100}\'',
      'curl -fu "$AUTH" "$NVRD/archive_events?language=ru" --data \'{"searchLimitCount": 10}\'',
      'curl -fu "$AUTH" "$NVRD/archive_events?shortevent=true" --data \'{"eventCategories": [1, 2], "isSearchFromBegin": true}\'',
    ],
  },
  /** POST /archive_events: a search of the event log, as a bare JSON list that ascends in time. */
  endpoint: (context) => answerInChunks(context, "application/json", archiveEventTexts(context)),
};

/** The text of the answer to POST /archive_events, in pieces. Throws NvrdError for a body that is none. */
export function archiveEventTexts(context: RequestContext<EventNeeds>): AsyncIterable<string> {
  const { needs, request, principal } = context;
  requireEventLog(principal);
  const item = itemOf(request.query);
  const asked = readArchiveEventsBody(request.body, needs.clock.nowUs());
  const query = { ...withModules(asked.query, needs.site.current), signal: untilGone(context) };
  const language = readParameter(request.query, archiveEventsQuery, "language") ?? "en";
  const text = asked.text === undefined ? undefined : { words: asked.text, language };
  return listTexts(needs.eventSearches.search(principal, query, text), item);
}

/** What an event becomes in the answer. */
function itemOf(asked: Query): (event: EventRecord) => unknown {
  if (readParameter(asked, archiveEventsQuery, "shortevent")) return shortSearchItem;
  const language = readParameter(asked, archiveEventsQuery, "language");
  return language === undefined ? searchItem : searchItemIn(language);
}

/** An initiator that is neither the system nor a user is a module's own id, which no event here has. */
function withModules(query: EventQuery, { users }: Site): EventQuery {
  const known = new Set([EMPTY_GUID, ...users.map((user) => user.id)]);
  const isForeign = [...(query.initiatorIds ?? [])].some((id) => !known.has(id));
  return isForeign ? { ...query, externalModules: true } : query;
}

async function* listTexts(
  batches: AsyncIterable<readonly EventRecord[]>,
  item: (event: EventRecord) => unknown,
): AsyncGenerator<string> {
  let before = "[";
  for await (const batch of batches) {
    let text = "";
    for (const event of batch) {
      text += before + JSON.stringify(item(event));
      before = ",";
    }
    yield text;
  }
  yield before === "[" ? "[]" : "]";
}
