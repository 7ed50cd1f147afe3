import type { Guid, StreamType } from "../base/index.js";
import type { LiveStream } from "./live-stream.js";

/** The live streams of the cameras that are switched on. */
export interface StreamDirectory {
  /**
   * The channel's stream; undefined when the channel is unknown or disabled, or has no such stream. A stream whose
   * source is not connected is connected while it has a subscriber.
   */
  stream(channelId: Guid, streamType: StreamType): LiveStream | undefined;
  /** Why no channel has a stream, where that is so by design. */
  readonly absence?: string;
}
