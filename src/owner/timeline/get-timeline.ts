import { setImmediate } from "node:timers/promises";
import { localZoneName, NvrdError, parseGuid, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import {
  GAP_REASON_TEXTS,
  type Timeline,
  type TimelineChannel,
  timeline,
} from "../../contract/answer/index.js";
import { type Query, shown } from "../../http/index.js";
import { recordedCamera } from "../../player/index.js";
import {
  answerJson,
  guidsWithCommas,
  jsonAnswer,
  MOMENT,
  query,
  type RequestContext,
  type Route,
  range,
  requireArchiveRight,
  schemaOf,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { TimelineNeeds } from "./needs.js";
import { readSpan, readWhole } from "./request-times.js";
import { type Steps, stepUs } from "./step-counts.js";

/** Channels of one request. */
export const TIMELINE_CHANNELS_MAX = 64;
/** The longest time of one request: a leap year. */
const SPAN_US_MAX = 366 * US_PER_DAY;
const STEPS_MAX = 4000;
const STEPS_DEFAULT = 2000;

export const TIMELINE_ROUTE: Route<TimelineNeeds> = {
  method: "GET",
  path: "/api/timeline",
  login: "user",

  describe: {
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
    answer: jsonAnswer(schemaOf(timeline), "The timelines."),
    errors: { 404: "There is no such channel.", 503: "The event log is not open yet." },
    example: ['curl -fu "$AUTH" "$NVRD/api/timeline?channels=$CHANNEL&from=$FROM&to=$TO&steps=1440"'],
  },
  /** GET /api/timeline: runs, gaps and their reasons, motion, events, protected times, sound of several channels. */
  async endpoint(context) {
    const { needs, request, principal } = context;
    const cameras = readChannels(context);
    const steps = readSteps(request.query);
    const channels: TimelineChannel[] = [];
    for (const camera of cameras) {
      channels.push(await needs.timelines.channel(camera, steps, principal));
      // What is kept in memory comes without a turn of the loop: frames and other requests get theirs between channels.
      await setImmediate();
    }
    return answerJson<Timeline>({
      Zone: localZoneName(),
      From: steps.fromUs / US_PER_MS,
      To: steps.toUs / US_PER_MS,
      Now: needs.clock.nowUs() / US_PER_MS,
      StepMs: stepUs(steps) / US_PER_MS,
      Channels: channels,
    });
  },
};

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
