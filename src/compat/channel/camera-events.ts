import { TOPICS_MAX } from "../../camera/index.js";
import { type OfferedEvents, offeredEvents } from "../../contract/answer/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf, untilGone } from "../../route/index.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/* Which events a camera offers; not in the reference. */

export const CAMERA_EVENTS_ROUTE: Route<ChannelNeeds> = {
  method: "GET",
  path: "/api/channels/{id}/cameraevents",
  login: "administrator",

  describe: {
    topic: "channel",
    summary: "Lists the events that an ONVIF camera offers, and what the recorder uses of them",
    text: [
      `An addition of nvrd's. The camera is asked; the first ${TOPICS_MAX} of its events are listed. What is used becomes motion and events of [the log](events.md).`,
    ],
    pathValues: CHANNEL_PATH_VALUES,
    answer: jsonAnswer(schemaOf(offeredEvents), "The events, in the camera's order."),
    errors: {
      ...NO_CHANNEL,
      429: "Too many cameras are being asked.",
      501: "The camera is none of ONVIF, or lists no events.",
      503: "The camera does not answer, or refuses; the text says why.",
    },
    example: [
      "# Where the camera reports no events: 501.",
      'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/cameraevents"',
    ],
  },
  /** GET /api/channels/{id}/cameraevents */
  async endpoint(context) {
    const camera = cameraOfPath(context);
    const offered = await context.needs.eventOffers.of(camera.id, untilGone(context));
    return answerJson<OfferedEvents>(
      offered.map(({ topic, kinds, isUsed, setting, isState, source, data }) => ({
        Topic: topic,
        Kind: kinds[0] ?? null,
        Kinds: kinds,
        IsUsed: isUsed,
        Setting: setting ?? null,
        IsState: isState,
        Source: source,
        Data: data,
      })),
    );
  },
};
