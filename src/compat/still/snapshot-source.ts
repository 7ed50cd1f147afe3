import type { Guid, StreamType } from "../../base/index.js";

/** Maximum size of a camera's snapshot in bytes. */
export const SNAPSHOT_BYTES_MAX = 8 * 1024 * 1024;

/** Requests snapshots from cameras (ONVIF GetSnapshotUri, or the path of the model). */
export interface SnapshotSource {
  /**
   * The JPEG of a channel's stream, not larger than SNAPSHOT_BYTES_MAX. Rejects with NvrdError NOT_SUPPORTED if the camera has
   * none, NOT_AVAILABLE with a message for the installer if fetching fails.
   */
  snapshot(channelId: Guid, streamType: StreamType, signal: AbortSignal): Promise<Uint8Array>;
}
