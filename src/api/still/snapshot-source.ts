import type { Guid, StreamType } from "../../base/index.js";

/** Most bytes of a camera's snapshot. */
export const SNAPSHOT_BYTES_MAX = 8 * 1024 * 1024;

/** Asks a camera for a picture of its own making (ONVIF GetSnapshotUri, or what its maker has). */
export interface SnapshotSource {
  /**
   * The JPEG of a channel's stream, not larger than SNAPSHOT_BYTES_MAX. Rejects with NvrdError NOT_SUPPORTED when the
   * camera has none, NOT_AVAILABLE, with words for an installer, when it does not give it.
   */
  snapshot(channelId: Guid, streamType: StreamType, signal: AbortSignal): Promise<Uint8Array>;
}
