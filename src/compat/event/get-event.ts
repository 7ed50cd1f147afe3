import type { Principal } from "../../access/index.js";
import { type Guid, NvrdError } from "../../base/index.js";
import { liveEventsQuery } from "../../contract/query/index.js";
import type { Headers } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  describeQuery,
  type EndpointResult,
  type RequestContext,
  type Route,
  type RouteRight,
  readQuery,
  STREAMED,
} from "../../route/index.js";
import type { EventNeeds } from "./event-feed.js";
import { EVENT_ITEM } from "./event-item-schema.js";
import { EventListener } from "./event-listener.js";

const EVENT_HEADERS: Headers = [
  ["Content-Type", "application/json"],
  ["Cache-Control", "no-cache, no-store"],
];

const RIGHTS: readonly RouteRight[] = [
  { right: "CanAccessUnifiedLog", when: "events that belong to no channel are requested" },
  { right: "CanAccessToAllUsersInUnifiedLog", when: "events of other users are requested" },
];

export const EVENT_ROUTE: Route<EventNeeds> = {
  method: "GET",
  path: "/event",
  login: "user",
  rights: RIGHTS,

  describe: {
    topic: "event",
    summary: "Streams events as they happen, without end",
    access:
      "A user gets the events of the channels it may see. Changed rights take effect at once. The stream ends when the user is deleted, gets `IsAllForbidden`, or may no longer see the requested channel.",
    text: [
      "Items are JSON whatever `responsetype` says. Programs read them line by line, so each has one member per line, an empty line before it, and none after:",
      "",
      "```text",
      "{",
      '\t"EventId" : "00000000-0000-0000-0000-000000000033",',
      '\t"Timestamp" : "21.11.2026 09:00:00",',
      '\t"BinaryTimestamp" : "5250994502427387904",',
      '\t"ZonedTimestamp" : "21.11.2026 12:00:00.000 +03:00",',
      '\t"EventDescription" : "Detected Motion",',
      '\t"IsAlarmEvent" : "True",',
      '\t"ChannelId" : "22222222-0000-4000-8000-000000000001",',
      '\t"ChannelName" : "Gate",',
      '\t"Comment" : "",',
      '\t"EventType" : "Alarm",',
      '\t"InitiatorName" : "System",',
      '\t"Zoneid" : "00000000-0000-0000-0000-000000000000"',
      "}",
      "```",
      "",
      "- All values are text, decimals with a comma. Only `direction` and `alertType` are lists. A `}` within a value is written `\\u007d`.",
      "- Plates and faces have all their members, empty or zero where unknown.",
      "- An item has at most 4095 bytes, the empty line before it included. Of a longer one the image (`ImageBytes`) is left out, then the comment is cut, then the longest other text.",
      "- Each item is a chunk of its own, at least 20 ms after the one before, so that programs that take one read for one item get each. With more than 16 items waiting, the first ones go without that gap.",
      "- When nothing was sent for a second, a keep-alive item comes, even where a filter is set. Its `Comment` is `KeepAlive`, and that is its last member.",
      "- A client that is behind has at most 256 items waiting. Beyond that the oldest are dropped. If it is still behind after 10 s it is closed. One that takes nothing for 20 s is closed, too.",
    ],
    parameters: describeQuery(liveEventsQuery),
    answer: { text: "Items, one after another.", content: { "application/json": EVENT_ITEM } },
    errors: { 404: "The user may not see the channel." },
    example: [
      'curl -fsSN -u "$AUTH" "$NVRD/event" --max-time 2',
      'curl -fsSN -u "$AUTH" "$NVRD/event?filter=c9d6d086-c965-4cf8-aef6-85b3894e3a4a&mode=demo" --max-time 2',
    ],
  },
  /** GET /event: live events, without end. Items are always JSON, because no program reads XML ones. */
  endpoint(context) {
    const opened = openEvents(context);
    return opened instanceof EventListener ? STREAMED : opened;
  },
};

/** Begins to send events. Throws NvrdError NOT_FOUND. Anything but a listener is the whole answer. */
export function openEvents(context: RequestContext<EventNeeds>): EventListener | EndpointResult {
  const { needs, request, response, principal, credentials, log } = context;
  const { query } = request;
  const { mode, filter: typeId, channelid: channelId } = readQuery(query, liveEventsQuery);
  const demo = mode === "demo";
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
  return listener;
}

/** Whether the channel asked for, if one is, exists for this user. */
function isThere(needs: EventNeeds, principal: Principal, channelId: Guid | undefined): boolean {
  if (channelId === undefined) return true;
  return visibleCameras(needs.site.current, principal).some((camera) => camera.id === channelId);
}
