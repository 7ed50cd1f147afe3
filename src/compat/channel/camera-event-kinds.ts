import { PRESENCE_KINDS } from "../../base/index.js";
import { type EventKinds, eventKinds } from "../../contract/answer/index.js";
import { eventKindsQuery } from "../../contract/query/index.js";
import { EVENT_KINDS, eventNameIn, seenTypes } from "../../event/index.js";
import {
  answerJson,
  describeQuery,
  jsonAnswer,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import type { ChannelNeeds } from "./recording-states.js";

/* What cameras can report; not in the reference. */

export const CAMERA_EVENT_KINDS_ROUTE: Route<ChannelNeeds> = {
  method: "GET",
  path: "/api/cameraeventkinds",
  login: "user",

  describe: {
    topic: "channel",
    summary: "Lists the kinds of what cameras report",
    text: [
      "An addition of nvrd's: the kinds that `CameraEventSettings` of a camera chooses among, with the types of their events. [What cameras call them](camera-events.md). Motion is a kind too; it has events of its own and is not chosen there.",
    ],
    parameters: describeQuery(eventKindsQuery),
    answer: jsonAnswer(schemaOf(eventKinds), "The kinds."),
    example: ['curl -fu "$AUTH" "$NVRD/api/cameraeventkinds?language=ru"'],
  },
  /** GET /api/cameraeventkinds */
  endpoint({ request }) {
    const language = readParameter(request.query, eventKindsQuery, "language");
    return answerJson<EventKinds>(
      EVENT_KINDS.map((kind) => {
        const [EventId, EndEventId] = seenTypes(kind);
        return {
          Kind: kind,
          Name: eventNameIn(EventId, language),
          EventId,
          EndEventId,
          IsPresence: PRESENCE_KINDS.includes(kind),
        };
      }),
    );
  },
};
