import type { Guid } from "../../base/index.js";
import type { ThreadRequests } from "../disk/volume-thread.js";
import type { VolumeAccess } from "../segment/segment-summary.js";
import type { VolumeWriter } from "../write/volume-writer.js";

/** What a move asks of a volume. */
export interface MovingVolume extends Pick<VolumeAccess, "readSummaries" | "unlink"> {
  readonly id: Guid;
  readonly directory: string;
  readonly usable: boolean;
  readonly writer: Pick<VolumeWriter, "level" | "writeStallMs" | "syncStallMs"> | undefined;
  /** Throws NOT_AVAILABLE while the volume does not run. */
  readonly reads: Pick<ThreadRequests, "read" | "stallMs">;
}
