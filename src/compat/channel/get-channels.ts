import { type ChannelStatus, channelStatus as status } from "../../contract/answer/index.js";
import { channelStatusQuery } from "../../contract/query/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  answerJson,
  describeQuery,
  GUID,
  type JsonSchema,
  jsonAnswer,
  listOf,
  objectOf,
  type RequestContext,
  type Route,
  readParameter,
  schemaOf,
  TEXT,
  toJson,
  zoneOffsetHours,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import { describeChannel } from "./channel-description.js";
import { channelStatus } from "./channel-status.js";
import { CHANNEL_PATH_VALUES, cameraOfPath, NO_CHANNEL } from "./path-channel.js";
import type { ChannelNeeds } from "./recording-states.js";

/*
 * The channels of /configex as separate objects, for programs that need nothing else. An object equals the item in the list
 * `Channels`.
 */

const CHANNEL: JsonSchema = {
  ...objectOf({ Id: GUID, Name: TEXT }, ["Id", "Name"]),
  description: "As an item of `Channels` of [`/configex`](#get-configex).",
};

export const CHANNEL_LIST_ROUTES: readonly Route<ChannelNeeds>[] = [
  {
    method: "GET",
    path: "/api/channels",
    login: "user",

    describe: {
      topic: "channel",
      summary: "Lists the channels that the user may see",
      answer: jsonAnswer(
        listOf(CHANNEL),
        "The channels, in the order of `/configex` and with all their members there.",
      ),
      example: ['curl -fu "$AUTH" "$NVRD/api/channels"'],
    },
    /** GET /api/channels: the channels the user may see, in the order of /configex. */
    endpoint(context) {
      const cameras = visibleCameras(context.needs.site.current, context.principal);
      return answerJson(cameras.map((camera) => channelObject(context, camera)));
    },
  },
  {
    method: "GET",
    path: "/api/channels/{id}",
    login: "user",

    describe: {
      topic: "channel",
      summary: "Returns one channel that the user may see",
      pathValues: CHANNEL_PATH_VALUES,
      answer: jsonAnswer(CHANNEL, "The channel, with all its members of `/configex`."),
      errors: NO_CHANNEL,
      example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL"'],
    },
    /** GET /api/channels/{id}: one of them. */
    endpoint(context) {
      return answerJson(channelObject(context, cameraOfPath(context)));
    },
  },
  {
    method: "GET",
    path: "/api/channels/{id}/status",
    login: "user",

    describe: {
      topic: "channel",
      summary: "Reports whether the channel's frames arrive, and otherwise what is wrong",
      pathValues: CHANNEL_PATH_VALUES,
      parameters: describeQuery(channelStatusQuery),
      answer: jsonAnswer(schemaOf(status), "The status. All members except `Status` are additions of nvrd."),
      errors: NO_CHANNEL,
      example: ['curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/status"'],
    },
    /** GET /api/channels/{id}/status: `{"Status":"Ok", …}` while frames arrive. */
    endpoint(context) {
      const language = readParameter(context.request.query, channelStatusQuery, "language");
      return answerJson<ChannelStatus>(channelStatus(context.needs, cameraOfPath(context), language));
    },
  },
];

function channelObject({ needs, principal }: RequestContext<ChannelNeeds>, camera: Camera): unknown {
  const timeZoneOffsetHours = zoneOffsetHours(needs.clock.nowUs());
  const view = { site: needs.site.current, principal, timeZoneOffsetHours, formats: needs.formats };
  return toJson({ root: "ChannelInfo", content: describeChannel(camera, view) });
}
