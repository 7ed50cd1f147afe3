import * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { answerChannelsStates, type OtherChannelState } from "../../compat/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import type { EndpointResult, RequestContext } from "../../route/index.js";
import { requireHub } from "./boxes.js";
import type { BoxesControl, FleetNeeds } from "./fleet-control.js";
import { gather, missingHeader } from "./gathered.js";

const PATH = "/command?type=getchannelsstates&responsetype=json&accept=application/json";
const STREAMS_MAX = 8;
const CHANNELS_MAX = 1024;

const word = v.pipe(v.string(), v.maxLength(64), v.regex(/^\w*$/));
/** What a box answers; what else it says is left out. */
const answer = v.pipe(
  v.array(
    v.object({
      Id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
      IsRecordingOn: v.boolean(),
      StreamsStates: v.pipe(v.array(v.object({ Type: word, State: word })), v.maxLength(STREAMS_MAX)),
    }),
  ),
  v.maxLength(CHANNELS_MAX),
);

type Answered = v.InferOutput<typeof answer>;

/** /command?type=getchannelsstates of a hub: the channels of all recorders too. Those of a recorder that does not answer have no connection. */
export async function answerAllStates(context: RequestContext<FleetNeeds>): Promise<EndpointResult> {
  const { catalogue } = requireHub(context.needs);
  const asks = catalogue.boxes.map(({ boxId }) => ({ boxId, path: PATH }));
  const gathered = await gather(context, asks, (text) =>
    v.parse(answer, JSON.parse(text.replace(/^\ufeff/, ""))),
  );
  const byBox = new Map(gathered.parts.map(({ boxId, part }) => [boxId, part]));
  const states = { [Symbol.iterator]: () => statesOf(catalogue, byBox) };
  return await answerChannelsStates(context, states, missingHeader(gathered.missing));
}

function* statesOf(
  catalogue: BoxesControl["catalogue"],
  byBox: ReadonlyMap<Guid, Answered>,
): Generator<OtherChannelState> {
  for (const { boxId, channels } of catalogue.boxes) {
    const answered = byBox.get(boxId);
    const byId = new Map(answered?.map((state) => [state.Id, state]));
    for (const { Id, IsDisabled, Streams } of channels) {
      if (IsDisabled) continue;
      const state = byId.get(catalogue.place(Id)?.ownId ?? Id);
      if (answered === undefined) yield silent(Id, Streams);
      else if (state !== undefined) {
        const streams = state.StreamsStates.map(({ Type: type, State }) => ({ type, state: State }));
        yield { id: Id, isRecordingOn: state.IsRecordingOn, streams };
      }
    }
  }
}

/** Whether it records is not known; programs count the streams. */
function silent(id: Guid, streams: readonly { readonly StreamType: string }[]): OtherChannelState {
  const lost = streams.map(({ StreamType }) => ({ type: `${StreamType}Video`, state: "NoConnection" }));
  return { id, isRecordingOn: false, streams: lost };
}
