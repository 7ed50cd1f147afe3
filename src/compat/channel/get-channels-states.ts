import { type Guid, STREAM_TYPES } from "../../base/index.js";
import type { Headers } from "../../http/index.js";
import type { StreamState } from "../../live/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  answerLongCommand,
  type Description,
  type EndpointResult,
  element,
  list,
  type OpenStreams,
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
export function getChannelsStates(context: StatesContext): Promise<EndpointResult> {
  return answerChannelsStates(context, []);
}

type StatesContext = RequestContext<
  Pick<ChannelNeeds, "site" | "recording" | "streams" | "clock"> & { readonly openStreams: OpenStreams }
>;

/** How a channel of another server is. */
export interface OtherChannelState {
  readonly id: Guid;
  readonly isRecordingOn: boolean;
  readonly streams: readonly { readonly type: string; readonly state: string }[];
}

/** The states of the channels of this server, and behind them those of others. `more`: further headers. */
export function answerChannelsStates(
  context: StatesContext,
  others: Iterable<OtherChannelState>,
  more: Headers = [],
): Promise<EndpointResult> {
  const content = list("ChannelState", { [Symbol.iterator]: () => describeStates(context, others) });
  return answerLongCommand(context, { root: "ArrayOfChannelState", content, jsonBlanks: true }, more);
}

function* describeStates(
  { needs, principal }: StatesContext,
  others: Iterable<OtherChannelState>,
): Generator<Description> {
  for (const { id, disabled } of visibleCameras(needs.site.current, principal)) {
    if (disabled) continue;
    yield describeState({
      ...{ id, isRecordingOn: needs.recording.isRecording(id), streams: streamStates(needs, id) },
    });
  }
  for (const other of others) yield describeState(other);
}

function describeState({ id, isRecordingOn, streams }: OtherChannelState): Description {
  const ofStreams = streams.map(({ type, state }) => object(element("Type", type), element("State", state)));
  return object(
    element("Id", id),
    element("IsRecordingOn", isRecordingOn),
    element("StreamsStates", list("Stream", ofStreams)),
  );
}

function streamStates(needs: Pick<ChannelNeeds, "streams">, channelId: Guid): OtherChannelState["streams"] {
  const streams = STREAM_TYPES.flatMap((type) => {
    const state = needs.streams.stream(channelId, type)?.state.state;
    return state === undefined ? [] : [{ type, state }];
  });
  const has = (wanted: StreamState["state"]): boolean => streams.some(({ state }) => state === wanted);
  // Programs count lost cameras by MainVideo alone, and of many cameras another stream is recorded.
  const isCameraLost = has("lost") && !has("active");
  return streams.map(({ type, state }) => ({
    ...{ type: `${type}Video`, state: STATE_NAMES[isCameraLost ? "lost" : state] },
  }));
}
