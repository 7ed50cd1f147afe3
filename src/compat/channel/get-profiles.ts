import {
  answerCommand,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
} from "../../route/index.js";
import type { ChannelNeeds } from "./recording-states.js";
import { usableViews } from "./usable-views.js";

/**
 * /command?type=getprofiles: the views the user may use that hold a camera it may watch.
 */
export function getProfiles(context: RequestContext<ChannelNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const items = usableViews(needs.site.current, principal).map(({ view }) =>
    object(element("Id", view.id), element("Name", view.name)),
  );
  const document = { root: "ArrayOfMapInfo", content: list("MapInfo", items) };
  const accept = request.header("accept");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}
