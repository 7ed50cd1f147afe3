import { PRESENCE_KINDS, SEEN_KINDS } from "../../base/index.js";
import { eventKindsQuery } from "../../contract/query/index.js";
import { EVENT_KINDS, eventNameIn, seenTypes } from "../../event/index.js";
import {
  answerJson,
  choice,
  describeQuery,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  type Route,
  readParameter,
  TEXT,
} from "../../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/* What cameras can tell of; not in the reference. */

export const CAMERA_EVENT_KINDS_ROUTE: Route<ChannelNeeds> = {
  method: "GET",
  path: "/api/cameraeventkinds",
  login: "user",

  describe: {
    topic: "channel",
    summary: "Lists the kinds of what cameras tell",
    text: [
      "An addition of nvrd's: the kinds that `CameraEventSettings` of a camera chooses among, with the types of their events. [What cameras call them](camera-events.md). Motion is a kind too; it has events of its own and is not chosen there.",
    ],
    parameters: describeQuery(eventKindsQuery),
    answer: jsonAnswer(
      listOf(
        objectOf({
          Kind: choice(SEEN_KINDS),
          Name: meaning("The name of the event type with which it begins.", TEXT),
          EventId: meaning("The type of its beginning, or of its moment.", GUID),
          EndEventId: meaning("The type of its end.", GUID),
          IsPresence: meaning(
            "Somebody or something is there: a camera whose own detector is used is recorded on it by default.",
            FLAG,
          ),
        }),
      ),
      "The kinds.",
    ),
    example: ['curl -fu "$AUTH" "$NVRD/api/cameraeventkinds?language=ru"'],
  },
  /** GET /api/cameraeventkinds */
  endpoint({ request }) {
    const language = readParameter(request.query, eventKindsQuery, "language");
    return answerJson(
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
