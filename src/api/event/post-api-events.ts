import { formatIsoTime, NvrdError } from "../../base/index.js";
import { answerJson, type EndpointResult, parseJsonBody, type RequestContext } from "../route/index.js";
import { readEvents } from "./event-input.js";
import { EVENTS_BURST_MAX } from "./event-rate.js";
import type { EventNeeds } from "./needs.js";

/** Most events of one body. */
export const EVENTS_OF_BODY_MAX = EVENTS_BURST_MAX;

/**
 * POST /api/events: a program that analyses video adds what it found, one object or a list. All are added, or none.
 * Throws NvrdError TOO_MANY_REQUESTS beyond the rate.
 */
export function postApiEvents(context: RequestContext<EventNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const body = parseJsonBody(request.body);
  const values: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (values.length > EVENTS_OF_BODY_MAX)
    throw new NvrdError("BAD_REQUEST", `the body has more than ${EVENTS_OF_BODY_MAX} events`);
  const keys = [`user ${principal.user.id}`, `address ${request.address}`];
  // A request without an event costs as one with one.
  needs.eventRate.take(keys, Math.max(1, values.length));
  const inputs = readEvents(values, {
    site: needs.site.current,
    principal,
    nowUs: needs.clock.nowUs(),
  });
  const records = inputs.map((input) => needs.events.raise(input));
  return answerJson({
    Events: records.map((record) => ({
      Sequence: record.sequence,
      EventId: record.typeId,
      ChannelId: record.channelId,
      Timestamp: formatIsoTime(record.timeUs),
    })),
  });
}
