import { eventTypesQuery } from "../../contract/query/index.js";
import { type EventType, eventTypesIn } from "../../event/index.js";
import {
  answerCommand,
  answerDocument,
  answerFormat,
  bothAnswer,
  type Document,
  describeQuery,
  type EndpointResult,
  element,
  GUID,
  list,
  listOf,
  object,
  objectOf,
  type RequestContext,
  type Route,
  readParameter,
  TEXT,
} from "../../route/index.js";
import type { EventNeeds } from "./event-feed.js";

export const ARCHIVE_EVENT_TYPES_ROUTE: Route<EventNeeds> = {
  method: "GET",
  path: "/archive_event_types",
  login: "user",

  describe: {
    topic: "event",
    summary: "Lists the event types",
    parameters: describeQuery(eventTypesQuery),
    answer: bothAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The event types."),
    example: ['curl -fu "$AUTH" "$NVRD/archive_event_types?responsetype=json"'],
  },
  /** GET /archive_event_types: the catalogue of event types. */
  endpoint(context) {
    const { needs, request } = context;
    const format = answerFormat(request.query);
    const language = readParameter(request.query, eventTypesQuery, "language");
    const types = language === undefined ? needs.events.types : eventTypesIn(language);
    return answerDocument(catalogue(types, "EventType", "Name"), format);
  },
};

/** /command?type=getallregisteredevents: the same, in XML as .NET's serializer writes a list of `EventInfo`. */
export function getAllRegisteredEvents(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request } = context;
  const accept = request.header("accept");
  const document = catalogue(needs.events.types, "EventInfo", "GuiName");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function catalogue(types: readonly EventType[], itemName: string, nameMember: string): Document {
  const items = types.map((type) => object(element("Id", type.id), element(nameMember, type.name)));
  return { root: `ArrayOf${itemName}`, content: list(itemName, items) };
}
