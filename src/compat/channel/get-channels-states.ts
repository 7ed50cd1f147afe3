import { type Guid, STREAM_TYPES } from "../../base/index.js";
import type { StreamState } from "../../live/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  answerCommand,
  type EndpointResult,
  element,
  list,
  object,
  type RequestContext,
} from "../../route/index.js";
import type { ChannelNeeds } from "./recording-states.js";

/** `Active` and `NoConnection` are what programs count; the others are ours. */
const STATE_NAMES: Readonly<Record<StreamState["state"], string>> = {
  idle: "Idle",
  connecting: "Connecting",
  waiting: "Connecting",
  active: "Active",
  lost: "NoConnection",
};

/** /command?type=getchannelsstates: recording and streams of the channels the user may see, without disabled ones. */
export function getChannelsStates(context: RequestContext<ChannelNeeds>): EndpointResult {
  return channelsStates(context, []);
}

/** How a channel of another server is. */
export interface OtherChannelState {
  readonly id: Guid;
  readonly isRecordingOn: boolean;
  readonly streams: readonly { readonly type: string; readonly state: string }[];
}

/** The states of the channels of this server, and behind them those of others. */
export function channelsStates(
  context: RequestContext<Pick<ChannelNeeds, "site" | "recording" | "streams" | "clock">>,
  others: readonly OtherChannelState[],
): EndpointResult {
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
  const ofOthers = others.map(({ id, isRecordingOn, streams }) => {
    const streamElements = streams.map(({ type, state }) =>
      object(element("Type", type), element("State", state)),
    );
    return object(
      element("Id", id),
      element("IsRecordingOn", isRecordingOn),
      element("StreamsStates", list("Stream", streamElements)),
    );
  });
  const content = list("ChannelState", [...items, ...ofOthers]);
  const document = { root: "ArrayOfChannelState", content, jsonBlanks: true } as const;
  const accept = request.header("accept");
  return answerCommand(document, { query: request.query, accept }, needs.clock.nowUs());
}

function streamStates(needs: Pick<ChannelNeeds, "streams">, channelId: Guid): ReturnType<typeof object>[] {
  const streams = STREAM_TYPES.flatMap((type) => {
    const state = needs.streams.stream(channelId, type)?.state.state;
    return state === undefined ? [] : [{ type, state }];
  });
  const has = (wanted: StreamState["state"]): boolean => streams.some(({ state }) => state === wanted);
  // Programs count lost cameras by MainVideo alone, and of many cameras another stream is recorded.
  const isCameraLost = has("lost") && !has("active");
  return streams.map(({ type, state }) =>
    object(element("Type", `${type}Video`), element("State", STATE_NAMES[isCameraLost ? "lost" : state])),
  );
}
