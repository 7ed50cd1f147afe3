import {
  answerCommand,
  answerDocument,
  answerFormat,
  type Document,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
} from "../route/index.js";
import type { EventNeeds } from "./needs.js";

/** GET /archive_event_types: the catalogue of event types. */
export function getArchiveEventTypes(context: RequestContext<EventNeeds>): EndpointResult {
  const format = answerFormat(context.request.query);
  return answerDocument(catalogue(context, "EventType", "Name"), format);
}

/** /command?type=getallregisteredevents: the same under the names of section 6. */
export function getAllRegisteredEvents(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request } = context;
  const accept = request.header("accept");
  const document = catalogue(context, "RegisteredEvent", "GuiName");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function catalogue(context: RequestContext<EventNeeds>, itemName: string, nameMember: string): Document {
  const items = context.needs.events.types.map((type) =>
    object(element("Id", type.id), element(nameMember, type.name)),
  );
  return { root: `ArrayOf${itemName}`, content: list(itemName, items) };
}
