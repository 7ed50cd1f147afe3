import { type Guid, STREAM_TYPES } from "../../base/index.js";
import type { StreamState } from "../../live/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
  visibleCameras,
} from "../route/index.js";
import type { ChannelNeeds } from "./needs.js";

/** `Active` while frames arrive; the others are additions of nvrd; `Idle`: the stream is not requested. */
const STATE_NAMES: Readonly<Record<StreamState["state"], string>> = {
  idle: "Idle",
  connecting: "Connecting",
  active: "Active",
  lost: "Lost",
};

/** /command?type=getchannelsstates: recording and streams of the channels the user may see, without disabled ones. */
export function getChannelsStates(context: RequestContext<ChannelNeeds>): EndpointResult {
  const { needs, request, principal } = context;
  const items = visibleCameras(needs.site.current, principal)
    .filter((camera) => !camera.disabled)
    .map((camera) =>
      object(
        element("Id", camera.id),
        element("IsRecordingOn", needs.recording.isRecording(camera.id)),
        element("StreamsStates", list("Stream", streamStates(needs, camera.id))),
      ),
    );
  const document = { root: "ArrayOfChannelState", content: list("ChannelState", items) };
  const accept = request.header("accept");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function streamStates(needs: ChannelNeeds, channelId: Guid): ReturnType<typeof object>[] {
  return STREAM_TYPES.flatMap((type) => {
    const stream = needs.streams.stream(channelId, type);
    if (stream === undefined) return [];
    return [object(element("Type", type), element("State", STATE_NAMES[stream.state.state]))];
  });
}
