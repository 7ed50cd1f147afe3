import { formatIsoTime, NvrdError } from "../../base/index.js";
import {
  answerJson,
  GUID,
  ISO_TIME,
  jsonAnswer,
  listOf,
  objectOf,
  parseJsonBody,
  type Route,
  WHOLE,
} from "../../route/index.js";
import { ANALYTICS_EVENT } from "./analytics-event-schema.js";
import type { EventNeeds } from "./event-feed.js";
import { readEvents } from "./event-input.js";
import { EVENTS_BURST_MAX } from "./event-rate.js";
import { ADDING_RIGHT } from "./event-visibility.js";

/** Maximum number of events in one body. */
const EVENTS_OF_BODY_MAX = EVENTS_BURST_MAX;

export const API_EVENTS_ROUTE: Route<EventNeeds> = {
  method: "POST",
  path: "/api/events",
  login: "user",
  rights: [ADDING_RIGHT],

  describe: {
    topic: "event",
    summary: "Adds analytics events of another program",
    text: [
      "All events of the body are added, or none: a fault is named by its path. The events appear on [`/event`](#get-event) at once, and in searches. Their initiator is of type 8, `ExternalEvent`, with the user's id.",
      "",
      "A motion event whose time is within 10 s of now counts as motion of its channel for 5 s, and each further one for 5 s more: a channel with the mode `MDandManual` is recorded.",
      "",
      "Limits per user and per address: 1000 events at once, 200 per second on average.",
    ],
    body: {
      required: true,
      text: "Numbers may also be text, with a point or a comma. Unknown members are refused.",
      schema: { oneOf: [ANALYTICS_EVENT, listOf(ANALYTICS_EVENT, EVENTS_OF_BODY_MAX)] },
    },
    answer: jsonAnswer(
      objectOf({
        Events: listOf(objectOf({ Sequence: WHOLE, EventId: GUID, ChannelId: GUID, Timestamp: ISO_TIME })),
      }),
      "The stored events, in the order sent.",
    ),
    errors: {
      404: "The only faults are channels that you may not see, or that are none.",
      409: "A `Timestamp` is too far from the recorder's clock.",
      429: "Too many events were added. `Retry-After` says how long to wait.",
    },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/events" --data \'{"EventId": "c9d6d086-c965-4cf8-aef6-85b3894e3a4a",',
      '  "ChannelId": "\'$CHANNEL\'", "plateText": "A123BC77", "Speed": 54.5, "direction": ["Up"]}\'',
    ],
  },
  /**
   * POST /api/events: adds analytics events of another program, one object or a list. All are added, or none.
   * Throws NvrdError TOO_MANY_REQUESTS beyond the rate.
   */
  endpoint(context) {
    const { needs, request, principal } = context;
    const body = parseJsonBody(request.body);
    const values: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (values.length > EVENTS_OF_BODY_MAX)
      throw new NvrdError("BAD_REQUEST", `the body has more than ${EVENTS_OF_BODY_MAX} events`);
    const keys = [`user ${principal.user.id}`, `address ${request.address}`];
    // A request without events counts as one event.
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
  },
};
