import { setImmediate } from "node:timers/promises";
import { localZoneName, NvrdError, parseGuid, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import { type Query, shown } from "../../http/index.js";
import type { TimelineAnswer, TimelineChannel } from "../../messages/index.js";
import { recordedCamera } from "../../player/index.js";
import {
  answerJson,
  choice,
  type EndpointResult,
  GUID,
  guidsWithCommas,
  type JsonSchema,
  jsonAnswer,
  listOf,
  MOMENT,
  meaning,
  NUMBER,
  named,
  objectOf,
  query,
  type RequestContext,
  type Route,
  type RouteDescription,
  range,
  requireArchiveRight,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { EVENT_GROUPS } from "./event-groups.js";
import { GAP_REASON_TEXTS } from "./gap-reason-texts.js";
import type { TimelineNeeds } from "./needs.js";
import { readSpan, readWhole } from "./request-times.js";
import { type Steps, stepUs } from "./step-counts.js";

/** Channels of one request. */
export const TIMELINE_CHANNELS_MAX = 64;
/** The longest time of one request: a leap year. */
const SPAN_US_MAX = 366 * US_PER_DAY;
const STEPS_MAX = 4000;
const STEPS_DEFAULT = 2000;

const MS: JsonSchema = meaning("Unix milliseconds, with a fraction.", NUMBER);
const SPAN = { From: MS, To: MS };
const COUNTS = {
  Total: WHOLE,
  Steps: meaning("The steps that have any, from 0; step `i` begins at `From + i * StepMs`.", listOf(WHOLE)),
  Counts: meaning("How many each of `Steps` has.", listOf(WHOLE)),
};

const CHANNEL = named(
  "TimelineChannel",
  objectOf({
    Id: GUID,
    Runs: meaning(
      "What is recorded, oldest first, cut to the time that was asked for. A gap shorter than a step divides no run.",
      listOf(
        objectOf(
          {
            ...SPAN,
            Recorded: meaning(
              "How many milliseconds of it are recorded. Left out where all of it is.",
              NUMBER,
            ),
          },
          ["From", "To"],
        ),
      ),
    ),
    Gaps: meaning(
      "All other times up to now, oldest first.",
      listOf(objectOf({ ...SPAN, Reason: choice(Object.keys(GAP_REASON_TEXTS)) })),
    ),
    Motion: meaning("How often motion began.", objectOf(COUNTS)),
    Events: meaning(
      "Other events of the channel, by groups of types; groups without any are left out. Empty without the right CanAccessUnifiedLog.",
      listOf(objectOf({ Group: choice(EVENT_GROUPS), ...COUNTS })),
    ),
    Protected: meaning(
      "Protected times that overlap, not cut. Empty without the right CanManageRec.",
      listOf(objectOf({ ...SPAN, Id: GUID, Comment: TEXT })),
    ),
    Sound: meaning("Where the recordings have sound.", listOf(objectOf(SPAN))),
    Away: meaning(
      "What of `Runs` lies off the box alone, at a target of `/configure/away`: it is played from there. A gap shorter than a step divides no time.",
      listOf(objectOf(SPAN)),
    ),
    KeyFrames: meaning(
      "What of `Runs` is left as key frames alone: one picture for each, without sound. The whole recording went no further than the recorder.",
      listOf(objectOf(SPAN)),
    ),
    FromCamera: meaning(
      "What of `Runs` the camera kept, fetched later into gaps of the recording. Empty while `DeviceArchiveEnabled` of the camera is off.",
      listOf(objectOf(SPAN)),
    ),
  }),
);

const DESCRIPTION: RouteDescription = {
  topic: "timeline",
  summary: "Tells what is recorded of channels, and why the rest is not",
  access: "Each channel must be allowed in the archive.",
  text: [
    "An addition of nvrd's. Times of the answer are Unix milliseconds, in UTC; `Zone` is the recorder's time zone, to draw days in.",
    "",
    "| `Reason` | What it means |",
    "|---|---|",
    ...Object.entries(GAP_REASON_TEXTS).map(([reason, text]) => `| \`${reason}\` | ${text} |`),
  ],
  parameters: [
    query(
      "channels",
      guidsWithCommas(TIMELINE_CHANNELS_MAX),
      `Ids of channels, separated by commas; at most ${TIMELINE_CHANNELS_MAX}.`,
      {
        required: true,
      },
    ),
    query("from", MOMENT, "The first moment: Unix milliseconds, ISO 8601, or any other accepted time.", {
      required: true,
    }),
    query("to", MOMENT, "The end, written as `from`: later, by 366 days at most.", { required: true }),
    query(
      "steps",
      { ...range(1, STEPS_MAX, "integer"), default: STEPS_DEFAULT },
      "Into how many steps the time is divided: the width of the drawing in pixels.",
    ),
  ],
  answer: jsonAnswer(
    objectOf({
      Zone: meaning("IANA name of the recorder's time zone.", TEXT),
      ...SPAN,
      Now: meaning("The recorder's clock, in Unix milliseconds.", NUMBER),
      StepMs: meaning("The length of a step.", NUMBER),
      Channels: meaning("In the order of the request.", listOf(CHANNEL)),
    }),
    "The timelines.",
  ),
  errors: { 404: "There is no such channel.", 503: "The event log is not open yet." },
  example: ['curl -fu "$AUTH" "$NVRD/api/timeline?channels=$CHANNEL&from=$FROM&to=$TO&steps=1440"'],
};

export const TIMELINE_ROUTE: Route<TimelineNeeds> = {
  method: "GET",
  path: "/api/timeline",
  login: "user",
  endpoint: getTimeline,
  describe: DESCRIPTION,
};

/** GET /api/timeline: runs, gaps and their reasons, motion, events, protected times, sound of several channels. */
async function getTimeline(context: RequestContext<TimelineNeeds>): Promise<EndpointResult> {
  const { needs, request, principal } = context;
  const cameras = readChannels(context);
  const steps = readSteps(request.query);
  const channels: TimelineChannel[] = [];
  for (const camera of cameras) {
    channels.push(await needs.timelines.channel(camera, steps, principal));
    // What is kept in memory comes without a turn of the loop: frames and other requests get theirs between channels.
    await setImmediate();
  }
  const answer: TimelineAnswer = {
    Zone: localZoneName(),
    From: steps.fromUs / US_PER_MS,
    To: steps.toUs / US_PER_MS,
    Now: needs.clock.nowUs() / US_PER_MS,
    StepMs: stepUs(steps) / US_PER_MS,
    Channels: channels,
  };
  return answerJson(answer);
}

/** Throws NvrdError BAD_REQUEST, NOT_FOUND for a channel that the user does not see, FORBIDDEN without its archive. */
function readChannels({ needs, request, principal }: RequestContext<TimelineNeeds>): Camera[] {
  const texts = request.query.require("channels").split(",", TIMELINE_CHANNELS_MAX + 1);
  if (texts.length > TIMELINE_CHANNELS_MAX)
    throw new NvrdError("BAD_REQUEST", `parameter "channels" names more than ${TIMELINE_CHANNELS_MAX}`);
  const cameras = texts.map((text) => {
    const id = parseGuid(text.trim());
    if (id === undefined)
      throw new NvrdError("BAD_REQUEST", `parameter "channels": "${shown(text)}" is not a GUID`);
    const camera = recordedCamera(needs, principal, id);
    if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${id}`);
    requireArchiveRight(principal, camera);
    return camera;
  });
  return [...new Map(cameras.map((camera) => [camera.id, camera])).values()];
}

/** Throws NvrdError BAD_REQUEST or BAD_TIME. */
function readSteps(parameters: Query): Steps {
  const span = readSpan(parameters, SPAN_US_MAX);
  const count = readWhole(parameters, "steps", { min: 1, max: STEPS_MAX, fallback: STEPS_DEFAULT });
  return { ...span, count };
}
