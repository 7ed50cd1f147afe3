import type { Guid, StreamKey } from "../../base/index.js";
import type { VolumeCounters } from "./volume.js";

/** What a stream handed over and did not get recorded. */
export interface StreamCounters {
  readonly key: StreamKey;
  /** The volume it is on; undefined while nothing is recorded. */
  readonly volumeId: Guid | undefined;
  readonly framesThinned: number;
  readonly framesDropped: number;
  readonly thinning: boolean;
  readonly dropping: boolean;
}

/** How the volumes keep up, for the health report. */
export interface OverloadCounters {
  readonly volumes: readonly VolumeCounters[];
  readonly streams: readonly StreamCounters[];
}
