import type { Guid, StreamType } from "../../base/index.js";
import type { PtzUser } from "../../camera/index.js";
import type { EventRecord } from "../../event/index.js";

/** Who asks, and what of the recorder exists for this user. Made anew for each request. */
export interface OnvifUser {
  readonly who: PtzUser;
  /** A camera that the user may not see does not exist. */
  maySee(channelId: Guid): boolean;
  /** Live, this stream. */
  mayWatch(channelId: Guid, streamType: StreamType): boolean;
  /** Its recordings, of this stream. */
  mayReplay(channelId: Guid, streamType: StreamType): boolean;
  readonly mayHear: boolean;
  readonly mayMove: boolean;
  /** Presets of cameras are saved and removed. */
  readonly mayKeepPresets: boolean;
  /** The event as the user may read it; undefined: not at all. */
  shown(event: EventRecord): EventRecord | undefined;
}
