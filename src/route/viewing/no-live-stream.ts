import { NvrdError, type StreamType } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";

/** A channel has no live stream of a type; without a type none that the user may receive. */
export function noLiveStream(streams: StreamDirectory, streamType?: StreamType): NvrdError {
  const { absence } = streams;
  if (absence !== undefined)
    return new NvrdError("NOT_FOUND", absence, { hint: "see GET /archivefragments for what is recorded" });
  const stream = streamType === undefined ? "no stream that you may receive" : `no stream ${streamType}`;
  return new NvrdError("NOT_FOUND", `the channel is switched off or has ${stream}`, {
    hint: "see GET /configex for the channels and their streams",
  });
}
