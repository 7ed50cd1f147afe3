import * as v from "valibot";
import { CLOCK_WITNESSES, formatIsoTime } from "../../base/index.js";
import {
  answerJson,
  choice,
  type EndpointResult,
  FLAG,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  meaning,
  members,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readBody,
} from "../../route/index.js";
import type { SystemNeeds } from "./needs.js";
import type { WallClock } from "./states.js";

/* Whether the recorder's clock can be believed, and an operator's word for it; not in the reference. */

export const CLOCK_WITNESS: JsonSchema = meaning(
  "Who vouches for the clock: a time server, a battery-backed clock, the host of a virtual machine, somebody who set it while the service ran, an operator by `POST /api/clock`, or `clockTrust` of the settings. Null while nobody does.",
  orNull(choice(CLOCK_WITNESSES)),
);

const CLOCK = objectOf({
  Time: meaning("The time that recordings get now: provisional while the clock is not known.", ISO_TIME),
  IsKnown: meaning("See [time](../design/time.md).", FLAG),
  KnownBy: CLOCK_WITNESS,
});

const trustBody = members({ IsRight: v.literal(true) });

const CLOCK_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Reports whether the recorder's clock is known to be right",
  text: [
    "An addition of nvrd's. While it is not known, recordings get provisional times, channels with a schedule are always recorded, and no recording is deleted because of its age.",
  ],
  answer: jsonAnswer(CLOCK, "The clock."),
  example: ['curl -fu "$AUTH" "$NVRD/api/clock"'],
};

const TRUST_DESCRIPTION: RouteDescription = {
  topic: "system",
  summary: "Takes an operator's word that the recorder's clock is right now",
  text: [
    "Look at the time of the machine first (`date` there, or `/command?type=gettime`). The times of recordings made since the boot are corrected. It holds until the next boot, and cannot be taken back: set the clock of the machine where it is wrong.",
  ],
  body: {
    required: true,
    schema: { ...objectOf({ IsRight: { type: "boolean", enum: [true] } }), required: ["IsRight"] },
  },
  answer: jsonAnswer(CLOCK, "The clock as it is believed now."),
  example: ['curl -fu "$AUTH" "$NVRD/api/clock" --data \'{ "IsRight": true }\''],
};

export const CLOCK_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/clock",
    login: "user",
    endpoint: ({ needs }) => clockAnswer(needs.wallClock),
    describe: CLOCK_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/api/clock",
    login: "administrator",
    endpoint: postClock,
    describe: TRUST_DESCRIPTION,
  },
];

function clockAnswer(clock: WallClock): EndpointResult {
  const { isKnown, knownBy } = clock;
  return answerJson({ Time: formatIsoTime(clock.nowUs()), IsKnown: isKnown, KnownBy: knownBy ?? null });
}

/** POST /api/clock: an operator vouches for the wall clock. */
function postClock({ needs, request, principal, log }: RequestContext<SystemNeeds>): EndpointResult {
  readBody(trustBody, request.body);
  const { wallClock } = needs;
  log.info(
    { user: principal.user.name, wasKnown: wallClock.isKnown },
    "the clock is confirmed by an operator",
  );
  wallClock.trust();
  return clockAnswer(wallClock);
}
