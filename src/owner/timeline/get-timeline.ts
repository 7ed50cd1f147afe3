import { setImmediate } from "node:timers/promises";
import { localZoneName, US_PER_MS } from "../../base/index.js";
import {
  GAP_REASON_TEXTS,
  type Timeline,
  type TimelineChannel,
  timeline,
} from "../../contract/answer/index.js";
import { timelineQuery } from "../../contract/query/index.js";
import type { Query } from "../../http/index.js";
import {
  answerJson,
  describeQuery,
  jsonAnswer,
  type RequestContext,
  type Route,
  readParameter,
  readQuery,
  requireArchiveRight,
  requireRecordedChannel,
  sayLack,
  schemaOf,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { spanOf } from "./request-times.js";
import { type Steps, stepUs } from "./step-counts.js";
import type { TimelineNeeds } from "./timelines.js";

export const TIMELINE_ROUTE: Route<TimelineNeeds> = {
  method: "GET",
  path: "/api/timeline",
  login: "user",

  describe: {
    topic: "timeline",
    summary: "Returns what is recorded of channels, and why the rest is not",
    access: "Each channel must be allowed in the archive.",
    text: [
      "An addition of nvrd's. Times of the answer are Unix milliseconds, in UTC; `Zone` is the recorder's time zone, to draw days in.",
      "",
      "| `Reason` | What it means |",
      "|---|---|",
      ...Object.entries(GAP_REASON_TEXTS).map(([reason, text]) => `| \`${reason}\` | ${text} |`),
    ],
    parameters: describeQuery(timelineQuery),
    answer: jsonAnswer(schemaOf(timeline), "The timelines."),
    errors: {
      404: "There is no such channel.",
      503: "The event log is not open yet; or, where there is no such channel, the index of recordings is not (`Retry-After`).",
    },
    example: ['curl -fu "$AUTH" "$NVRD/api/timeline?channels=$CHANNEL&from=$FROM&to=$TO&steps=1440"'],
  },
  /** GET /api/timeline: runs, gaps and their reasons, motion, events, protected times, sound of several channels. */
  async endpoint(context) {
    const { needs, request, principal } = context;
    const cameras = readChannels(context);
    const steps = readSteps(request.query);
    sayLack(context);
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
  const cameras = readParameter(request.query, timelineQuery, "channels").map((id) => {
    const camera = requireRecordedChannel(id, needs, principal);
    requireArchiveRight(principal, camera);
    return camera;
  });
  return [...new Map(cameras.map((camera) => [camera.id, camera])).values()];
}

/** Throws NvrdError BAD_REQUEST or BAD_TIME. */
function readSteps(parameters: Query): Steps {
  const { from, to, steps: count } = readQuery(parameters, timelineQuery);
  return { ...spanOf(from, to), count };
}
