import { EMPTY_GUID, NvrdError } from "../../base/index.js";
import { commandQuery } from "../../contract/query/index.js";
import { EVENT_TYPES, EXTERNAL_INITIATOR_NAME } from "../../event/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  object,
  type RequestContext,
  type RouteRight,
  readParameter,
  requireChannel,
} from "../../route/index.js";
import type { EventNeeds } from "./event-feed.js";
import { ADDING_RIGHT, requireAddingEvents } from "./event-visibility.js";

/** What a program needs besides the channel. */
export const EXTERNAL_EVENT_RIGHT: RouteRight = {
  ...ADDING_RIGHT,
  when: "`type` is `generateexternalevent`",
};

/** /command?type=generateexternalevent: an external system reports what happened, at a camera or at none. */
export function generateExternalEvent(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const { query } = request;
  requireAddingEvents(principal);
  const systemName = readParameter(query, commandQuery, "systemname") ?? "";
  if (systemName === "") throw new NvrdError("BAD_REQUEST", 'parameter "systemname" is missing');
  const information = readParameter(query, commandQuery, "information") ?? "";
  const channelId = readParameter(query, commandQuery, "channelid");
  const channel =
    channelId === undefined
      ? { id: EMPTY_GUID, name: "" }
      : requireChannel(channelId, needs.site.current, principal);
  // HEAD asks for what GET would say, and does nothing.
  if (request.method !== "HEAD") {
    needs.eventRate.take([`user ${principal.user.id}`, `address ${request.address}`], 1);
    needs.events.raise({
      typeId: EVENT_TYPES.externalEvent.id,
      channelId: channel.id,
      channelName: channel.name,
      comment: information,
      initiator: { type: 8, id: principal.user.id, name: EXTERNAL_INITIATOR_NAME },
      fields: { SystemName: systemName, Information: information },
    });
  }
  const content = object(element("EventId", EVENT_TYPES.externalEvent.id), element("ChannelId", channel.id));
  const accept = request.header("accept");
  return answerCommand({ root: "ExternalEvent", content }, { query, accept }, needs.clock.nowUs());
}
