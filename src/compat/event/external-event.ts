import { EMPTY_GUID, NvrdError } from "../../base/index.js";
import { EVENT_TYPES, EXTERNAL_INITIATOR_NAME } from "../../event/index.js";
import type { Query } from "../../http/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  type JsonSchema,
  lineUpTo,
  object,
  type RequestContext,
  type RouteRight,
  requireChannelId,
} from "../../route/index.js";
import { COMMENT_LENGTH_MAX } from "./event-input.js";
import { ADDING_RIGHT, requireAddingEvents } from "./event-visibility.js";
import type { EventNeeds } from "./needs.js";

/** Most characters of an external system's name. */
export const SYSTEM_NAME_LENGTH_MAX = 256;

/** What a program needs besides the channel. */
export const EXTERNAL_EVENT_RIGHT: RouteRight = {
  ...ADDING_RIGHT,
  when: "`type` is `generateexternalevent`",
};

/** Something besides blanks, in one line. */
export const SYSTEM_NAME: JsonSchema = {
  ...lineUpTo(SYSTEM_NAME_LENGTH_MAX),
  allOf: [{ pattern: "[^\\s\\ufeff]" }],
};
export const INFORMATION: JsonSchema = lineUpTo(COMMENT_LENGTH_MAX);

/** /command?type=generateexternalevent: an external system tells what happened, at a camera or at none. */
export function generateExternalEvent(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const { query } = request;
  requireAddingEvents(principal);
  const systemName = readLine(query, "systemname", SYSTEM_NAME_LENGTH_MAX);
  if (systemName === "") throw new NvrdError("BAD_REQUEST", 'parameter "systemname" is missing');
  const information = readLine(query, "information", COMMENT_LENGTH_MAX);
  const channel =
    query.getFilled("channelid") === undefined
      ? { id: EMPTY_GUID, name: "" }
      : requireChannelId(query, needs.site.current, principal);
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

/** A text of one line; empty when it was not sent. */
function readLine(query: Query, name: string, lengthMax: number): string {
  const text = query.get(name)?.trim() ?? "";
  if (text.length <= lengthMax && !/[\p{Cc}\p{Cs}]/u.test(text)) return text;
  throw new NvrdError(
    "BAD_REQUEST",
    `parameter "${name}" takes at most ${lengthMax} characters, without control characters`,
  );
}
