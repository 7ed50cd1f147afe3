import { hasRight, type Principal } from "../../access/index.js";
import { streamTypesOf } from "../../archive/index.js";
import { type Guid, NvrdError, type StreamType } from "../../base/index.js";
import {
  type ChannelPlace,
  receivableKey,
  recordedCamera,
  wholeArchiveKey,
} from "../viewing/recorded-channel.js";
import { refusedViewing } from "../viewing/refused-viewing.js";

/** What a client may be sent of a channel. */
export interface ReceivableRecording {
  /** The streams whose recordings it may be sent, the one that is recorded now first; not empty. */
  readonly streamTypes: readonly StreamType[];
  readonly sound: boolean;
}

/** Throws NvrdError NOT_FOUND when there is no such channel, FORBIDDEN when the user may not watch its recordings. */
export type RecordedStreams = (channelId: Guid) => ReceivableRecording;

/** What a user may be sent under the present configuration: the rights are those of `/video` with `mode=archive`. */
export function recordedStreams(
  place: ChannelPlace,
  principal: Principal,
  channelId: Guid,
): ReceivableRecording {
  const camera = recordedCamera(place, principal, channelId);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${channelId}`);
  const of = receivableKey(wholeArchiveKey(camera), principal);
  const refusal = refusedViewing(principal, { of, sound: false, archived: true });
  if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  return { streamTypes: streamTypesOf(of), sound: hasRight(principal, "CanReceiveSound") };
}
