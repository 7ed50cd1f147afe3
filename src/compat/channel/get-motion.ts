import { formatIsoTime, NvrdError } from "../../base/index.js";
import { MOTION_SOURCES, type MotionBox, type MotionStates } from "../../recording/index.js";
import {
  answerJson,
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type Route,
  range,
  TEXT,
} from "../../route/index.js";
import { type Camera, motionChoice } from "../../site/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

const DETECTORS = ["Recorder", "Camera", "None"] as const;
const PART = range(0, 1);

const SEEN: JsonSchema = objectOf({
  Source: meaning(
    "`recorder`: its detector. `blind`: its detector cannot see, so something may move. `external`: a program. `analysis`: an analyser found something. `seen`: the camera reports a thing. `sight`: the recorder sees a thing.",
    choice(MOTION_SOURCES),
  ),
  Zone: meaning("The zone or rule that sees it; empty when the source names none.", TEXT),
  Time: meaning("When it was seen last.", ISO_TIME),
  Box: meaning(
    "Where, as parts of the picture; null when the source does not say.",
    orNull(objectOf({ Left: PART, Top: PART, Width: PART, Height: PART })),
  ),
});

export const MOTION_ROUTE: Route<ChannelNeeds> = {
  method: "GET",
  path: "/api/channels/{id}/motion",
  login: "user",

  describe: {
    topic: "channel",
    summary: "Reports what moves now, as the detectors see it",
    access: "The channel must be allowed live.",
    text: [
      "For setting up a detector. What happened is in the [events](events.md). The recorder's detector looks at five pictures a second, and reports the end of motion after two seconds without any.",
    ],
    pathValues: CHANNEL_PATH_VALUES,
    answer: jsonAnswer(
      objectOf({
        ChannelId: GUID,
        Detector: meaning("What detects motion, by the settings.", choice(DETECTORS)),
        IsMotion: FLAG,
        Time: meaning("Now, by the recorder's clock.", ISO_TIME),
        Seen: meaning("What each source sees in each zone.", listOf(SEEN)),
      }),
      "The state of motion.",
    ),
    errors: NO_CHANNEL,
    example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/motion"'],
  },
  /** GET /api/channels/{id}/motion: what moves now. */
  endpoint(context) {
    const { needs, principal } = context;
    const camera = cameraOfPath(context);
    if (!principal.mayWatchRealtime(camera.id))
      throw new NvrdError("FORBIDDEN", `you may not watch channel ${camera.id} live`);
    const seen = needs.motion.seen(camera.id);
    return answerJson({
      ChannelId: camera.id,
      Detector: detectorOf(camera, needs.motion),
      IsMotion: seen.length > 0,
      Time: formatIsoTime(needs.clock.nowUs()),
      Seen: seen.map(({ source, zone, timeUs, box }) => ({
        Source: source,
        Zone: zone,
        Time: formatIsoTime(timeUs),
        Box: box === undefined ? null : boxObject(box),
      })),
    });
  },
};

const NAMES = { none: "None", recorder: "Recorder", camera: "Camera" } as const;

/** Who detects now. */
function detectorOf(camera: Camera, motion: Pick<MotionStates, "reportsMotion">): (typeof DETECTORS)[number] {
  const choice = motionChoice(camera);
  if (choice !== "automatic") return NAMES[choice];
  return motion.reportsMotion(camera.id) ? NAMES.camera : NAMES.recorder;
}

function boxObject({ left, top, width, height }: MotionBox): Record<string, number> {
  return { Left: left, Top: top, Width: width, Height: height };
}
