import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError } from "../../base/index.js";
import type { Headers } from "../../http/index.js";
import { type EndpointResult, type RequestContext, STREAMED, visibleCameras } from "../route/index.js";
import { readEventType, readGuid } from "./event-parameters.js";
import type { EventNeeds } from "./needs.js";

const EVENT_HEADERS: Headers = [
  ["Content-Type", "application/json"],
  ["Cache-Control", "no-cache, no-store"],
];

/**
 * GET /event: what happens, as it happens, without end. Items are JSON whatever responsetype says: no program reads XML
 * ones.
 */
export function getEvent(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request, response, principal, credentials, log } = context;
  const { query } = request;
  query.oneOf("responsetype", ["xml", "json"], "xml");
  const demo = query.oneOf("mode", ["realtime", "demo"], "realtime") === "demo";
  const typeId = readEventType(query, "filter", needs.events);
  const channelId = readGuid(query, "channelid");
  if (!isThere(needs, principal, channelId))
    throw new NvrdError("NOT_FOUND", `there is no channel ${channelId}`);
  if (request.method === "HEAD") return { status: 200, headers: EVENT_HEADERS, body: new Uint8Array(0) };
  let end = (): void => response.endForStop();
  let take = (_principal: Principal): void => undefined;
  const forget = needs.openStreams.add({
    credentials,
    mayContinue: (now) => {
      const may = isThere(needs, now, channelId);
      if (may) take(now);
      return may;
    },
    end: () => end(),
  });
  response.onClose(forget);
  const stream = response.startStream(EVENT_HEADERS, { clock: needs.clock, log });
  if (stream === undefined) return STREAMED;
  const { eventFeed } = needs;
  const listener = eventFeed.add({ stream, principal, credentials, typeId, channelId, demo, log });
  take = (now) => listener.setPrincipal(now);
  end = () => eventFeed.remove(listener);
  response.onClose(end);
  return STREAMED;
}

/** Whether the channel asked for, if one is, exists for this user. */
function isThere(needs: EventNeeds, principal: Principal, channelId: Guid | undefined): boolean {
  if (channelId === undefined) return true;
  return visibleCameras(needs.site.current, principal).some((camera) => camera.id === channelId);
}
