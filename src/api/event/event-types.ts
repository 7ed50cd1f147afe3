import {
  answerCommand,
  answerDocument,
  answerFormat,
  bothAnswer,
  type Document,
  type EndpointResult,
  element,
  GUID,
  list,
  listOf,
  object,
  objectOf,
  RESPONSE_TYPE,
  type RequestContext,
  type Route,
  type RouteDescription,
  TEXT,
} from "../route/index.js";
import type { EventNeeds } from "./needs.js";

const DESCRIPTION: RouteDescription = {
  topic: "event",
  summary: "Lists the event types",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(listOf(objectOf({ Id: GUID, Name: TEXT })), "The event types."),
  example: ['curl -u "$AUTH" "$NVR/archive_event_types?responsetype=json"'],
};

export const ARCHIVE_EVENT_TYPES_ROUTE: Route<EventNeeds> = {
  method: "GET",
  path: "/archive_event_types",
  login: "user",
  endpoint: getArchiveEventTypes,
  describe: DESCRIPTION,
};

/** GET /archive_event_types: the catalogue of event types. */
function getArchiveEventTypes(context: RequestContext<EventNeeds>): EndpointResult {
  const format = answerFormat(context.request.query);
  return answerDocument(catalogue(context, "EventType", "Name"), format);
}

/** /command?type=getallregisteredevents: the same, in XML as .NET's serializer writes a list of `EventInfo`. */
export function getAllRegisteredEvents(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request } = context;
  const accept = request.header("accept");
  const document = catalogue(context, "EventInfo", "GuiName");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function catalogue(context: RequestContext<EventNeeds>, itemName: string, nameMember: string): Document {
  const items = context.needs.events.types.map((type) =>
    object(element("Id", type.id), element(nameMember, type.name)),
  );
  return { root: `ArrayOf${itemName}`, content: list(itemName, items) };
}
