import type { EventRecord } from "../../event/index.js";
import { answerInChunks, type EndpointResult, type RequestContext } from "../route/index.js";
import { readArchiveEventsBody } from "./archive-events-input.js";
import { searchItem, shortSearchItem } from "./event-object.js";
import { requireEventLog } from "./event-visibility.js";
import type { EventNeeds } from "./needs.js";

/** POST /archive_events: a search of the event log, as a bare JSON list that ascends in time. */
export function postArchiveEvents(context: RequestContext<EventNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  requireEventLog(principal);
  const item = request.query.flag("shortevent") ? shortSearchItem : searchItem;
  const query = readArchiveEventsBody(request.body, needs.clock.nowUs());
  const batches = needs.eventSearches.search(principal, query);
  return answerInChunks(context, "application/json", listTexts(batches, item));
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
