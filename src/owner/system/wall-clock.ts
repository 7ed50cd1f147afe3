import * as v from "valibot";
import { formatIsoTime } from "../../base/index.js";
import { type ClockState, clock } from "../../contract/answer/index.js";
import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  members,
  objectOf,
  type Route,
  readBody,
  schemaOf,
} from "../../route/index.js";
import type { SystemNeeds, WallClock } from "./states.js";

/* Whether the recorder's clock can be believed, and an operator's word for it; not in the reference. */

const trustBody = members({ IsRight: v.literal(true) });

export const CLOCK_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/clock",
    login: "user",
    endpoint: ({ needs }) => clockAnswer(needs.wallClock),
    describe: {
      topic: "system",
      summary: "Reports whether the recorder's clock is known to be right",
      text: [
        "An addition of nvrd's. While it is not known, recordings get provisional times, channels with a schedule are always recorded, and no recording is deleted because of its age.",
      ],
      answer: jsonAnswer(schemaOf(clock), "The clock."),
      example: ['curl -fu "$AUTH" "$NVRD/api/clock"'],
    },
  },
  {
    method: "POST",
    path: "/api/clock",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Takes an operator's word that the recorder's clock is right now",
      text: [
        "Look at the time of the machine first (`date` there, or `/command?type=gettime`). The times of recordings made since the boot are corrected. It holds until the next boot, and cannot be taken back: set the clock of the machine where it is wrong.",
      ],
      body: {
        required: true,
        schema: { ...objectOf({ IsRight: { type: "boolean", enum: [true] } }), required: ["IsRight"] },
      },
      answer: jsonAnswer(schemaOf(clock), "The clock as it is believed now."),
      example: ['curl -fu "$AUTH" "$NVRD/api/clock" --data \'{ "IsRight": true }\''],
    },
    /** POST /api/clock: an operator vouches for the wall clock. */
    endpoint({ needs, request, principal, log }) {
      readBody(trustBody, request.body);
      const { wallClock } = needs;
      log.info(
        { user: principal.user.name, wasKnown: wallClock.isKnown },
        "the clock is confirmed by an operator",
      );
      wallClock.trust();
      return clockAnswer(wallClock);
    },
  },
];

function clockAnswer(wallClock: WallClock): EndpointResult {
  const { isKnown, knownBy } = wallClock;
  return answerJson<ClockState>({
    Time: formatIsoTime(wallClock.nowUs()),
    IsKnown: isKnown,
    KnownBy: knownBy ?? null,
  });
}
