import type { Principal } from "../../access/index.js";
import type { View } from "../../site/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
  visibleCameras,
} from "../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/**
 * /command?type=getprofiles: the views the user may use that hold a camera it may watch.
 */
export function getProfiles(context: RequestContext<ChannelNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const site = needs.site.current;
  const visible = new Set(visibleCameras(site, principal).map((camera) => camera.id));
  const items = site.views
    .filter((view) => mayUse(principal, view) && view.channelIds.some((id) => visible.has(id)))
    .map((view) => object(element("Id", view.id), element("Name", view.name)));
  const document = { root: "ArrayOfMapInfo", content: list("MapInfo", items) };
  const accept = request.header("accept");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function mayUse({ group }: Principal, view: View): boolean {
  return group.seniorAdministrators || view.groupIds === "all" || view.groupIds.includes(group.id);
}
